// Selection of cases: a case is shown if one of its mentions satisfies all filters.
const WRONG = 0, PART = 1, RIGHT = 2;
const VERDICTS = [
  ["", "any"], ["wrong", "any error"],
  ["fn", "false negatives"], ["fp", "false positives"],
  ["missed", "missed"], ["boundary", "wrong boundary"], ["spurious", "spurious"], ["right", "right"], ["clean", "no error in the case"],
  ["differ", "taggers differ"], ["failed", "tagger failed"],
];
const ORDERS = [["", "original order"], ["errors", "most errors first"], ["short", "shortest first"], ["long", "longest first"]];

// for each verdict, its codes for gold mentions and for predicted mentions
const IS = {
  missed: [[WRONG], []], spurious: [[], [WRONG]], boundary: [[PART], [PART]], right: [[RIGHT], []],
  wrong: [[WRONG, PART], [WRONG, PART]], fn: [[WRONG, PART], []], fp: [[], [WRONG, PART]],
};

// for each kind of mention, whether it satisfies the filters class and feature; null if there are none
function kindsOf(cases, want) {
  if (want.class === "" && want.feature === "") return null;
  const inside = cases.classes.get(want.class) ?? null;
  const codes = cases.codes.get(want.feature) ?? null;
  const values = cases.values.get(want.feature) ?? [];
  const code = want.value === "" ? values.length : values.indexOf(want.value);
  return (inside ?? codes).map((_, k) => (inside === null || inside[k] === 1) && (codes === null || codes[k] === code));
}

// set the flag of each case with a mention of a selected kind and one of the verdicts (null: any)
function flag(flags, { owner, kind }, kinds, verdict = null, wanted = []) {
  for (let m = 0; m < owner.length; m++) {
    if ((kinds === null || kinds[kind[m]]) && (verdict === null || wanted.includes(verdict[m]))) flags[owner[m]] = 1;
  }
}

// number of errors of the taggers in each case
function errorsOf(cases, answers) {
  const errors = new Uint32Array(cases.texts.length);
  for (const one of answers) {
    for (const [side, verdict] of [[cases.gold, one.gold], [one.predicted, one.verdict]]) {
      for (let m = 0; m < verdict.length; m++) if (verdict[m] !== RIGHT) errors[side.owner[m]]++;
    }
  }
  return errors;
}

function failuresOf(cases, answers) {
  const failed = new Uint8Array(cases.texts.length);
  for (const one of answers) for (const rows of one.outcome.values()) for (const at of rows) failed[at] = 1;
  return failed;
}

function flagged(cases, answers, want) {
  const flags = new Uint8Array(cases.texts.length);
  const kinds = kindsOf(cases, want);
  if (want.verdict in IS) {
    const [gold, predicted] = IS[want.verdict];
    for (const one of answers) {
      if (gold.length) flag(flags, cases.gold, kinds, one.gold, gold);
      if (predicted.length) flag(flags, one.predicted, kinds, one.verdict, predicted);
    }
    return flags;
  }
  if (want.verdict === "differ") {
    const [first, ...others] = cases.answers;
    const differs = first.gold.map((verdict, m) => others.some((one) => (one.gold[m] === RIGHT) !== (verdict === RIGHT)));
    flag(flags, cases.gold, kinds, differs, [true]);
    return flags;
  }
  if (kinds === null) flags.fill(1);
  else flag(flags, cases.gold, kinds);
  if (want.verdict === "clean" || want.verdict === "failed") {
    const bad = want.verdict === "clean" ? errorsOf(cases, answers) : failuresOf(cases, answers);
    return flags.map((on, at) => (on && (bad[at] > 0) === (want.verdict === "failed") ? 1 : 0));
  }
  if (kinds !== null) for (const one of answers) flag(flags, one.predicted, kinds);
  return flags;
}

function selectCases(cases, want) {
  const answers = cases.answers.filter((one) => want.tagger === "" || one.tagger === want.tagger);
  const flags = flagged(cases, answers, want);
  const wanted = want.text.trim().toLowerCase();
  cases.small ??= cases.texts.map((text) => text.toLowerCase());
  const chosen = [];
  flags.forEach((on, at) => { if (on && cases.small[at].includes(wanted)) chosen.push(at); });
  if (want.order === "") return chosen;
  const errors = want.order === "errors" ? errorsOf(cases, answers) : null;
  const groups = [];
  for (const at of chosen) (groups[errors === null ? cases.texts[at].length : errors[at]] ??= []).push(at);
  return (want.order === "short" ? groups : groups.reverse()).flat();
}
