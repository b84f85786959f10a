// One case: the text with gold mentions, with each tagger's predictions, and a table of mentions.
function readCase(cases, at, step) {
  const article = byId("case");
  if (at === null) {
    article.replaceChildren(element("p", {}, "No case matches these filters."));
    return;
  }
  const text = cases.texts[at];
  const head = element("header", {}, element("h3", {}, `Case ${idOf(cases, at)} of ${cases.name}`));
  for (const [label, by] of [["Previous", -1], ["Next", 1]]) {
    const button = element("button", { type: "button" }, label);
    button.addEventListener("click", () => step(by));
    head.append(button);
  }
  const parts = [head];
  const block = (title, note, spans) => {
    parts.push(
      element("h4", {}, title, element("small", {}, note)),
      element("p", { class: "text", dir: "auto" }, marked(text, spans)),
    );
  };
  const golds = goldSpans(cases, at);
  block("Gold", golds.length ? counted(golds.length, "mention") : "no mentions", golds);
  for (const one of cases.answers) {
    const outcome = outcomeOf(one, at);
    const note = tallyWords(tally(cases, one, at)) + (outcome === null ? "" : ` · the tagger failed: ${outcome}`);
    const missed = goldSpans(cases, at, (m) => (one.gold[m] === WRONG ? "m0" : null));
    block(one.tagger, note, [...predictedSpans(one, at), ...missed]);
    const [reason, reply] = one.failures[at] ?? ["", null];
    if (reason) parts.push(element("p", { class: "reason" }, `Reason: ${reason}`));
    if (reply !== null) parts.push(element("p", {}, "Reply:"), element("pre", { dir: "auto" }, reply || "(empty)"));
  }
  if (golds.length) parts.push(mentionTable(cases, text, golds));
  article.replaceChildren(...parts);
  article.scrollTop = 0;
}

function mentionTable(cases, text, golds) {
  const names = [...cases.values.keys()];
  const head = element("tr", {}, element("th", { scope: "col" }, "gold mention"));
  for (const one of cases.answers) head.append(element("th", { scope: "col" }, one.tagger));
  head.append(element("th", { scope: "col" }, "features"));
  const body = element("tbody");
  for (const { start, end, mention } of golds) {
    const row = element("tr", {}, element("th", { scope: "row", dir: "auto" }, text.slice(start, end)));
    for (const one of cases.answers) row.append(element("td", {}, ["✗ missed", "↔ wrong boundary", "✓ right"][one.gold[mention]]));
    const features = names.map((name) => [name, cases.values.get(name)[cases.codes.get(name)[cases.gold.kind[mention]]]])
      .filter(([, value]) => value !== undefined && value !== "false")
      .map(([name, value]) => (value === "true" ? name : `${name} = ${value}`));
    row.append(element("td", {}, element("code", {}, features.join(", "))));
    body.append(row);
  }
  return element("table", {}, element("thead", {}, head), body);
}
