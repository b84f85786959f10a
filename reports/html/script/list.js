// List of cases; only the visible rows are in the page, so that it can be long.
const ROW = 76;
const BEYOND = 8;
const BEFORE = 50;
const SHOWN = 320;

function startList(onChoose) {
  const list = byId("list"), room = byId("room");
  let cases = null, chosen = [], tagger = null, current = -1;

  function rowOf(place) {
    const at = chosen[place];
    const shown = tagger === null ? cases.answers : [tagger];
    const row = element("div", {
      role: "option", id: `row-${place}`, class: "row", "aria-selected": String(place === current),
      "aria-setsize": chosen.length, "aria-posinset": place + 1,
    });
    row.style.top = `${place * ROW}px`;
    const head = element("div", { class: "head" }, `#${idOf(cases, at)}`);
    for (const one of shown.slice(0, 3)) head.append(element("span", {}, `${one.tagger}: ${tallyWords(tally(cases, one, at))}`));
    const spans = [...goldSpans(cases, at), ...(shown.length === 1 ? predictedSpans(shown[0], at) : [])];
    const first = spans.length ? Math.min(...spans.map((s) => s.start)) : 0;
    const from = first > 2 * BEFORE ? first - BEFORE : 0;
    const text = cases.texts[at];
    const line = element("div", { class: "text" });
    if (from) line.append("… ");
    line.append(marked(text, spans, from, Math.min(text.length, from + SHOWN)));
    row.append(head, line);
    row.addEventListener("click", () => choose(place));
    return row;
  }

  function draw() {
    if (cases === null) return;
    const top = Math.max(0, Math.floor(list.scrollTop / ROW) - BEYOND);
    const end = Math.min(chosen.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + BEYOND);
    const rows = [];
    for (let place = top; place < end; place++) rows.push(rowOf(place));
    if (current >= 0 && (current < top || current >= end)) rows.push(rowOf(current));
    room.replaceChildren(...rows);
    if (current >= 0) list.setAttribute("aria-activedescendant", `row-${current}`);
    else list.removeAttribute("aria-activedescendant");
  }

  function choose(place, tell = true) {
    if (!chosen.length) return;
    current = Math.min(Math.max(place, 0), chosen.length - 1);
    const top = current * ROW;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
    draw();
    onChoose(chosen[current], tell);
  }

  list.addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
  list.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(list.clientHeight / ROW) - 1);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[event.key];
    const jump = { Home: 0, End: chosen.length - 1 }[event.key];
    if (step === undefined && jump === undefined) return;
    event.preventDefault();
    choose(jump ?? current + step);
  });
  new ResizeObserver(draw).observe(list);

  return {
    choose: (step) => choose(current + step),
    show(newCases, newChosen, newTagger, at) {
      [cases, chosen, tagger] = [newCases, newChosen, newTagger];
      room.style.height = `${chosen.length * ROW}px`;
      if (list.scrollTop) list.scrollTop = 0;
      const place = at === null ? -1 : chosen.indexOf(at);
      current = -1;
      if (chosen.length) choose(Math.max(place, 0), false);
      else { room.replaceChildren(); list.removeAttribute("aria-activedescendant"); onChoose(null, false); }
    },
  };
}
