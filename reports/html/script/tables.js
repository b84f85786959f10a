// Tables: sorting, search, copying as CSV.
function startTable(figure) {
  const table = figure.querySelector("table");
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const original = [...body.rows];
  figure.querySelector(".tools").hidden = false;
  const sort = (at, direction) => {
    heads.forEach((head, i) => {
      if (i === at && direction) head.setAttribute("aria-sort", direction);
      else head.removeAttribute("aria-sort");
    });
    const sign = direction === "ascending" ? 1 : -1;
    const numeric = heads[at].classList.contains("number");
    const key = (row) => row.cells[at].dataset.v;
    const compare = (a, b) => {
      const [x, y] = [key(a), key(b)];
      if (x === "" || y === "") return (x === "") - (y === "");
      return sign * (numeric ? x - y : x.localeCompare(y, "en", { numeric: true }));
    };
    body.append(...(direction ? [...original].sort(compare) : original));
  };
  heads.forEach((head, at) => {
    const button = element("button", { type: "button" });
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const first = head.classList.contains("number") ? "descending" : "ascending";
      const second = first === "ascending" ? "descending" : "ascending";
      const now = head.getAttribute("aria-sort");
      const next = now === null ? first : now === first ? second : "";
      sort(at, next);
      writeAddress(figure.dataset.name, new Map(next ? [["sort", head.dataset.name], ["direction", next]] : []));
      say(next ? `Sorted by ${button.textContent}, ${next}` : "In the original order");
    });
  });
  const box = figure.querySelector(".scroll");
  const more = () => box.classList.toggle("more", box.scrollHeight - box.scrollTop - box.clientHeight > 4);
  box.addEventListener("scroll", more, { passive: true });
  new ResizeObserver(more).observe(box);
  const find = figure.querySelector(".find input");
  const search = () => {
    const wanted = find.value.trim().toLowerCase();
    for (const row of original) row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
  };
  find?.addEventListener("input", search);
  const copy = figure.querySelector(".copy");
  copy.addEventListener("click", async () => {
    const text = csvOf(heads, [...body.rows].filter((row) => !row.hidden));
    const done = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    say(done ? "Copied" : "The browser did not allow copying");
    copy.textContent = done ? "Copied" : "Not copied";
    setTimeout(() => { copy.textContent = "Copy CSV"; }, 1600);
  });
  return (values) => {
    const at = heads.findIndex((head) => head.dataset.name === values.get("sort"));
    if (at >= 0) sort(at, values.get("direction") === "ascending" ? "ascending" : "descending");
  };
}

// Put an apostrophe before text that looks like a formula, as catalogues/core/spreadsheets.py does.
const harmless = (text) => (/^[=+\-@\uff1d\uff0b\uff0d\uff20\x00-\x1f\x7f-\x9f]/.test(text) ? `'${text}` : text);

function csvOf(heads, rows) {
  const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const names = heads.flatMap((head) => {
    const name = harmless(head.dataset.name);
    return head.dataset.ends ? [name, `${name}_low`, `${name}_high`] : [name];
  });
  const lines = rows.map((row) => heads.flatMap((head, i) => {
    const { v, l = "", h = "" } = row.cells[i].dataset;
    if (!head.classList.contains("number")) return [harmless(v)];
    return head.dataset.ends ? [v, l, h] : [v];
  }));
  return [names, ...lines].map((line) => line.map(quoted).join(",")).join("\n") + "\n";
}
