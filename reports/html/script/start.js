// Start of the script: tables, and the place in the address.
const tables = new Map([...document.querySelectorAll("figure.table")].map((figure) => [figure.dataset.name, startTable(figure)]));
const openCases = startCases();
let opened = false;

function follow() {
  const { place, values } = readAddress();
  if (place === "cases" && openCases !== null) {
    opened = true;
    openCases(values);
  } else if (tables.has(place)) {
    tables.get(place)(values);
  }
  if (place !== "" && location.hash.includes("?")) byId(place)?.scrollIntoView({ behavior: "instant" });
}

addEventListener("hashchange", follow);
follow();
if (openCases !== null && !opened) {
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    seen.disconnect();
    if (!opened) { opened = true; openCases(new URLSearchParams()); }
  }, { rootMargin: "800px" });
  seen.observe(byId("cases"));
}
