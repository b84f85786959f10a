// Which cases are shown: a case is, when one mention of it meets all filters at once.
const WRONG = 0, PART = 1, RIGHT = 2;
const VERDICTS = [
  ["", "any"], ["wrong", "any error"],
  ["fn", "false negatives"], ["fp", "false positives"],
  ["missed", "missed"], ["boundary", "wrong boundary"], ["spurious", "spurious"], ["right", "right"], ["clean", "no error in the case"],
  ["differ", "taggers differ"], ["failed", "tagger failed"],
];
const ORDERS = [["", "original order"], ["errors", "most errors first"], ["short", "shortest first"], ["long", "longest first"]];

// one loop over mentions, one array of flags: no function is called for a mention, so that 300,000 take milliseconds
const meaning = (...verdicts) => { const table = new Uint8Array(4); for (const v of verdicts) table[v] = 1; return table; };
const IS = {
  missed: [meaning(WRONG), null], spurious: [null, meaning(WRONG)], boundary: [meaning(PART), meaning(PART)],
  right: [meaning(RIGHT), null], wrong: [meaning(WRONG, PART), meaning(WRONG, PART)],
  fn: [meaning(WRONG, PART), null], fp: [null, meaning(WRONG, PART)],
};

// the mentions of a side that class and feature let through, as flags; null where all are
function throughFilters(cases, side, want) {
  const bits = want.class === "" ? null : side.classes.get(want.class) ?? new Uint8Array((side.start.length >> 3) + 1);
  const codes = want.feature === "" ? null : side.codes.get(want.feature) ?? null;
  if (bits === null && codes === null) return null;
  const values = cases.values.get(want.feature) ?? [];
  const code = want.value === "" ? values.length : values.indexOf(want.value);
  const through = new Uint8Array(side.start.length);
  for (let m = 0; m < through.length; m++) {
    through[m] = (bits === null || (bits[m >> 3] >> (m & 7)) & 1) && (codes === null || codes[m] === code) ? 1 : 0;
  }
  return through;
}

// cases with a mention that gets through and has one of the verdicts (null: any)
function flag(flags, side, through, verdict, wanted) {
  const { owner } = side;
  for (let m = 0; m < owner.length; m++) {
    if ((through === null || through[m]) && (wanted === null || wanted[verdict[m]])) flags[owner[m]] = 1;
  }
}

// errors of the taggers in each case; kept, for they do not change
function errorsOf(cases, taggers) {
  const name = taggers.length === cases.taggers.length ? "" : taggers[0].name;
  if (cases.errors.has(name)) return cases.errors.get(name);
  const errors = new Uint32Array(cases.size);
  for (const one of taggers) {
    for (const [{ owner }, verdict] of [[cases.gold, one.gold], [one.predicted, one.verdict]]) {
      for (let m = 0; m < owner.length; m++) if (verdict[m] !== RIGHT) errors[owner[m]]++;
    }
  }
  cases.errors.set(name, errors);
  return errors;
}

function flagDiffering(flags, cases, through) {
  const { owner } = cases.gold;
  const [first, ...others] = cases.taggers;
  for (const one of others) {
    for (let m = 0; m < owner.length; m++) {
      if ((through === null || through[m]) && (one.gold[m] === RIGHT) !== (first.gold[m] === RIGHT)) flags[owner[m]] = 1;
    }
  }
}

function flagged(cases, taggers, want) {
  const flags = new Uint8Array(cases.size);
  const inGold = throughFilters(cases, cases.gold, want);
  const withGold = () => { if (inGold === null) flags.fill(1); else flag(flags, cases.gold, inGold, null, null); };
  if (want.verdict in IS) {
    const [gold, predicted] = IS[want.verdict];
    for (const one of taggers) {
      if (gold !== null) flag(flags, cases.gold, inGold, one.gold, gold);
      if (predicted !== null) flag(flags, one.predicted, throughFilters(cases, one.predicted, want), one.verdict, predicted);
    }
  } else if (want.verdict === "differ") flagDiffering(flags, cases, inGold);
  else if (want.verdict === "failed" || want.verdict === "clean") {
    withGold();
    const bad = want.verdict === "clean" ? errorsOf(cases, taggers) : failuresOf(cases, taggers);
    for (let c = 0; c < flags.length; c++) if ((bad[c] > 0) === (want.verdict === "clean")) flags[c] = 0;
  } else {
    withGold();
    if (inGold !== null) for (const one of taggers) flag(flags, one.predicted, throughFilters(cases, one.predicted, want), null, null);
  }
  return flags;
}

function failuresOf(cases, taggers) {
  const failed = new Uint8Array(cases.size);
  for (const one of taggers) for (const rows of one.outcome.values()) for (const c of rows) failed[c] = 1;
  return failed;
}

// All texts in small letters as one, so that a search is one run through memory; between two stands a sign that
// nobody types. Small letters may take more room than great ones: places are those in the small.
const BETWEEN = "\uffff";

function prepareSearch(cases) {
  if (cases.search === null) {
    const small = cases.texts.map((text) => text.toLowerCase());
    const first = new Float64Array(small.length + 1);
    for (let c = 0; c < small.length; c++) first[c + 1] = first[c] + small[c].length + BETWEEN.length;
    cases.search = { whole: small.join(BETWEEN), first };
    cases.search.whole.indexOf(BETWEEN); // the parts are put together now, not at the first search
  }
  return cases.search;
}

function unflagWithout(flags, cases, wanted) {
  const { whole, first } = prepareSearch(cases);
  let at = whole.indexOf(wanted);
  for (let c = 0; c < flags.length; c++) {
    if (at >= 0 && at < first[c]) at = whole.indexOf(wanted, first[c]);
    if (at < 0 || at + wanted.length >= first[c + 1]) flags[c] = 0;
  }
}

function selectCases(cases, want) {
  const taggers = cases.taggers.filter((one) => want.tagger === "" || one.name === want.tagger);
  const flags = flagged(cases, taggers, want);
  const wanted = want.text.trim().toLowerCase();
  if (wanted !== "") unflagWithout(flags, cases, wanted);
  let size = 0;
  for (let c = 0; c < flags.length; c++) size += flags[c];
  const chosen = new Uint32Array(size);
  for (let c = 0, at = 0; c < flags.length; c++) if (flags[c]) chosen[at++] = c;
  return arrange(cases, taggers, chosen, want.order);
}

// Cases by a small whole number, the rest as it was: they are counted, not compared.
const MOST = 2 ** 20;

function sorted(chosen, numbers, descending) {
  let top = 0;
  for (let i = 0; i < chosen.length; i++) top = Math.max(top, Math.min(numbers[chosen[i]], MOST));
  const place = new Uint32Array(top + 2);
  const key = (c) => (descending ? top - Math.min(numbers[c], MOST) : Math.min(numbers[c], MOST));
  for (let i = 0; i < chosen.length; i++) place[key(chosen[i]) + 1]++;
  for (let k = 0; k <= top; k++) place[k + 1] += place[k];
  const ordered = new Uint32Array(chosen.length);
  for (let i = 0; i < chosen.length; i++) ordered[place[key(chosen[i])]++] = chosen[i];
  return ordered;
}

function arrange(cases, taggers, chosen, order) {
  if (order === "errors") return sorted(chosen, errorsOf(cases, taggers), true);
  if (order !== "short" && order !== "long") return chosen;
  return sorted(chosen, sizesOf(cases), order === "long");
}

function sizesOf(cases) {
  if (cases.sizes === null) {
    cases.sizes = new Uint32Array(cases.size);
    for (let c = 0; c < cases.size; c++) cases.sizes[c] = cases.texts[c].length;
  }
  return cases.sizes;
}
