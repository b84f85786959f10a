// Start of the script: colours, tables, and the place in the address.
function startTheme() {
  const button = byId("theme"), root = document.documentElement;
  const dark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const show = () => { button.textContent = dark() ? "Light" : "Dark"; button.setAttribute("aria-label", `Show in ${dark() ? "light" : "dark"} colours`); };
  button.hidden = false;
  button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; show(); });
  show();
}

startTheme();
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
