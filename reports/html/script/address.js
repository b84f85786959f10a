// The address keeps what is shown: #cases?source=…&class=…; sorts and searches of tables too.
function readAddress() {
  const [place, rest] = location.hash.slice(1).split(/\?(.*)/s);
  return { place, values: new URLSearchParams(rest ?? "") };
}

function writeAddress(place, values) {
  const kept = new URLSearchParams();
  for (const [name, value] of values) if (value !== "") kept.append(name, value);
  const rest = String(kept);
  history.replaceState(null, "", `#${place}${rest ? "?" + rest : ""}`);
}
