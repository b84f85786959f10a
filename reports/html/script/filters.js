// Which cases are shown: a case is, when one mention of it meets all filters at once.
const WRONG = 0, PART = 1, RIGHT = 2;
const VERDICTS = [
  ["", "any"], ["wrong", "any error"],
  ["fn", "false negatives"], ["fp", "false positives"],
  ["missed", "missed"], ["boundary", "wrong boundary"], ["spurious", "spurious"], ["right", "right"], ["clean", "no error in the case"],
  ["differ", "taggers differ"], ["failed", "tagger failed"],
];
const ORDERS = [["", "original order"], ["errors", "most errors first"], ["short", "shortest first"], ["long", "longest first"]];

// by verdict, the codes of gold and of predicted mentions that have it
const IS = {
  missed: [[WRONG], []], spurious: [[], [WRONG]], boundary: [[PART], [PART]], right: [[RIGHT], []],
  wrong: [[WRONG, PART], [WRONG, PART]], fn: [[WRONG, PART], []], fp: [[], [WRONG, PART]],
};

// the test whether class and feature let a mention of a side through; null where all are
function filterOf(cases, side, want) {
  if (want.class === "" && want.feature === "") return null;
  const inside = want.class === "" ? null : side.classes.get(want.class) ?? [];
  const codes = side.codes.get(want.feature) ?? null;
  const values = cases.values.get(want.feature) ?? [];
  const code = want.value === "" ? values.length : values.indexOf(want.value);
  return (m) => (inside === null || inside[m] === 1) && (codes === null || codes[m] === code);
}

// flags the cases with a mention that gets through and is chosen
function flag(flags, side, through, chosen) {
  side.owner.forEach((at, m) => {
    if (!flags[at] && (through === null || through(m)) && chosen(m)) flags[at] = 1;
  });
}

// errors of the taggers in each case
function errorsOf(cases, answers) {
  const errors = new Uint32Array(cases.texts.length);
  for (const one of answers) {
    for (const [side, verdict] of [[cases.gold, one.gold], [one.predicted, one.verdict]]) {
      side.owner.forEach((at, m) => { if (verdict[m] !== RIGHT) errors[at]++; });
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
  const inGold = filterOf(cases, cases.gold, want);
  const any = () => true;
  if (want.verdict in IS) {
    const [gold, predicted] = IS[want.verdict];
    for (const one of answers) {
      if (gold.length) flag(flags, cases.gold, inGold, (m) => gold.includes(one.gold[m]));
      if (predicted.length) flag(flags, one.predicted, filterOf(cases, one.predicted, want), (m) => predicted.includes(one.verdict[m]));
    }
    return flags;
  }
  if (want.verdict === "differ") {
    const [first, ...others] = cases.answers;
    flag(flags, cases.gold, inGold, (m) => others.some((one) => (one.gold[m] === RIGHT) !== (first.gold[m] === RIGHT)));
    return flags;
  }
  if (inGold === null) flags.fill(1);
  else flag(flags, cases.gold, inGold, any);
  if (want.verdict === "clean" || want.verdict === "failed") {
    const bad = want.verdict === "clean" ? errorsOf(cases, answers) : failuresOf(cases, answers);
    return flags.map((on, at) => (on && (bad[at] > 0) === (want.verdict === "failed") ? 1 : 0));
  }
  if (inGold !== null) for (const one of answers) flag(flags, one.predicted, filterOf(cases, one.predicted, want), any);
  return flags;
}

function selectCases(cases, want) {
  const answers = cases.answers.filter((one) => want.tagger === "" || one.tagger === want.tagger);
  const flags = flagged(cases, answers, want);
  const wanted = want.text.trim().toLowerCase();
  cases.small ??= cases.texts.map((text) => text.toLowerCase());
  const chosen = [];
  flags.forEach((on, at) => { if (on && cases.small[at].includes(wanted)) chosen.push(at); });
  if (want.order === "errors") {
    const errors = errorsOf(cases, answers);
    return chosen.sort((a, b) => errors[b] - errors[a]);
  }
  const sign = { short: 1, long: -1 }[want.order];
  return sign ? chosen.sort((a, b) => sign * (cases.texts[a].length - cases.texts[b].length)) : chosen;
}
