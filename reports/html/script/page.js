// Elements. Text from corpora and taggers is inserted only with textContent.
const byId = (id) => document.getElementById(id);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

const hidden = (text) => element("span", { class: "hidden" }, text);

function say(text) {
  byId("said").textContent = text;
}

const grouped = new Intl.NumberFormat("en");
const counted = (n, one) => `${grouped.format(n)} ${n === 1 ? one : one + "s"}`;

// The address contains the filters (#cases?source=…&class=…), and the sort order of a table.
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
