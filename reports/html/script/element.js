// Elements. Text of corpora and taggers gets into the page by textContent alone.
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
const counted = (n, one, many = one + "s") => `${grouped.format(n)} ${n === 1 ? one : many}`;
