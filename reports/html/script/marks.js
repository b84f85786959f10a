// Text with marked spans. Spans may overlap and nest, so the text is cut at every boundary.
const SIGNS = { p2: "✓ right: ", p1: "↔ wrong boundary: ", p0: "+ spurious: ", m0: "✗ missed: ", gold: "gold: " };

function marked(text, spans, from = 0, to = text.length) {
  const cuts = new Set([from, to]);
  for (const { start, end } of spans) for (const at of [start, end]) if (at > from && at < to) cuts.add(at);
  const places = [...cuts].sort((a, b) => a - b);
  const made = document.createDocumentFragment();
  for (let i = 0; i + 1 < places.length; i++) {
    const [start, end] = [places[i], places[i + 1]];
    const over = spans.filter((s) => s.start < end && s.end > start);
    const piece = text.slice(start, end);
    if (!over.length) { made.append(piece); continue; }
    const mark = element("mark", { class: [...new Set(over.map((s) => s.kind))].join(" ") });
    for (const s of over) if (s.start === start || (start === from && s.start < from)) mark.append(hidden(SIGNS[s.kind]));
    mark.append(piece);
    made.append(mark);
  }
  return made;
}

function spansOf({ first, start, length }, at, kindOf) {
  const spans = [];
  for (let m = first[at]; m < first[at + 1]; m++) {
    const kind = kindOf(m);
    if (kind !== null) spans.push({ start: start[m], end: start[m] + length[m], kind, mention: m });
  }
  return spans;
}

const goldSpans = (cases, at, kindOf = () => "gold") => spansOf(cases.gold, at, kindOf);
const predictedSpans = (tagger, at) => spansOf(tagger.predicted, at, (m) => "p" + tagger.verdict[m]);

function tally(cases, tagger, at) {
  const found = { missed: 0, boundary: 0, spurious: 0, right: 0 };
  for (const { mention } of goldSpans(cases, at)) {
    found[["missed", "boundary", "right"][tagger.gold[mention]]]++;
  }
  for (const { kind } of predictedSpans(tagger, at)) if (kind === "p0") found.spurious++;
  return found;
}

function tallyWords(found) {
  const parts = [];
  if (found.missed) parts.push(`✗ ${found.missed} missed`);
  if (found.boundary) parts.push(`↔ ${found.boundary} with wrong boundary`);
  if (found.spurious) parts.push(`+ ${found.spurious} spurious`);
  if (found.right) parts.push(`✓ ${found.right} right`);
  return parts.join(" · ") || "no mentions, no predictions";
}

function outcomeOf(tagger, at) {
  for (const [name, rows] of tagger.outcome) if (rows.includes(at)) return name;
  return null;
}
