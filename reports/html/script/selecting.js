// Which cases are shown: a case is, when one mention of it meets all filters at once.
const WRONG = 0, PART = 1, RIGHT = 2;
const VERDICTS = [
  ["", "anything"], ["wrong", "something wrong"], ["missed", "missed"], ["boundary", "wrong boundary"],
  ["spurious", "spurious"], ["right", "right"], ["clean", "nothing wrong in the case"],
  ["differ", "taggers differ"], ["failed", "tagger failed"],
];
const ORDERS = [["", "as in the source"], ["errors", "most errors first"], ["short", "shortest first"], ["long", "longest first"]];

// a test of mentions by class and feature; null where every mention passes
function mentionTest(cases, side, want) {
  const bits = want.class === "" ? null : side.classes.get(want.class) ?? new Uint8Array(0);
  const codes = want.feature === "" ? null : side.codes.get(want.feature) ?? null;
  const values = cases.values.get(want.feature) ?? [];
  const code = want.value === "" ? values.length : values.indexOf(want.value);
  if (bits === null && (codes === null || want.feature === "")) return null;
  return (m) => (bits === null || (bits[m >> 3] >> (m & 7)) & 1) && (codes === null || codes[m] === code);
}

function mark(flags, side, test, accept) {
  const { first } = side;
  for (let c = 0; c < flags.length; c++) {
    for (let m = first[c]; m < first[c + 1]; m++) {
      if ((test === null || test(m)) && accept(m)) { flags[c] = 1; break; }
    }
  }
}

function errorsOf(cases, taggers) {
  const errors = new Uint16Array(cases.size);
  for (const one of taggers) {
    for (const [side, verdict] of [[cases.gold, one.gold], [one.predicted, one.verdict]]) {
      for (let c = 0; c < cases.size; c++) {
        for (let m = side.first[c]; m < side.first[c + 1]; m++) if (verdict[m] !== RIGHT) errors[c]++;
      }
    }
  }
  return errors;
}

function selectCases(cases, want) {
  const taggers = cases.taggers.filter((one) => want.tagger === "" || one.name === want.tagger);
  const flags = new Uint8Array(cases.size);
  const inGold = mentionTest(cases, cases.gold, want);
  const any = () => true;
  const gold = (accept) => { for (const one of taggers) mark(flags, cases.gold, inGold, (m) => accept(one.gold[m])); };
  const predicted = (accept) => {
    for (const one of taggers) mark(flags, one.predicted, mentionTest(cases, one.predicted, want), (m) => accept(one.verdict[m]));
  };
  switch (want.verdict) {
    case "missed": gold((v) => v === WRONG); break;
    case "boundary": gold((v) => v === PART); predicted((v) => v === PART); break;
    case "right": gold((v) => v === RIGHT); break;
    case "spurious": predicted((v) => v === WRONG); break;
    case "wrong": gold((v) => v !== RIGHT); predicted((v) => v !== RIGHT); break;
    case "differ":
      mark(flags, cases.gold, inGold, (m) => cases.taggers.some((one) => (one.gold[m] === RIGHT) !== (cases.taggers[0].gold[m] === RIGHT)));
      break;
    case "failed":
      for (const one of taggers) for (const rows of one.outcome.values()) for (const c of rows) flags[c] = 1;
      break;
    case "clean": {
      const errors = errorsOf(cases, taggers);
      if (inGold === null) flags.fill(1); else mark(flags, cases.gold, inGold, any);
      for (let c = 0; c < flags.length; c++) if (errors[c]) flags[c] = 0;
      break;
    }
    default:
      if (inGold === null) flags.fill(1);
      else { mark(flags, cases.gold, inGold, any); predicted(any); }
  }
  const wanted = want.text.trim().toLowerCase();
  if (wanted !== "") {
    cases.lower ??= cases.texts.map((text) => text.toLowerCase());
    for (let c = 0; c < flags.length; c++) if (flags[c] && !cases.lower[c].includes(wanted)) flags[c] = 0;
  }
  let size = 0;
  for (let c = 0; c < flags.length; c++) size += flags[c];
  const chosen = new Uint32Array(size);
  for (let c = 0, at = 0; c < flags.length; c++) if (flags[c]) chosen[at++] = c;
  return arrange(cases, taggers, chosen, want.order);
}

// a native sort of numbers is ten times as fast as one that asks a function: the key goes above the case's number
const ABOVE = 2 ** 24;

function sorted(chosen, key) {
  const keys = new Float64Array(chosen.length);
  for (let i = 0; i < chosen.length; i++) keys[i] = key(chosen[i]) * ABOVE + chosen[i];
  keys.sort();
  for (let i = 0; i < keys.length; i++) chosen[i] = keys[i] % ABOVE;
  return chosen;
}

function arrange(cases, taggers, chosen, order) {
  const { texts } = cases;
  if (order === "errors") {
    const errors = errorsOf(cases, taggers);
    return sorted(chosen, (c) => 2 ** 16 - errors[c]);
  }
  if (order === "short") return sorted(chosen, (c) => texts[c].length);
  return order === "long" ? sorted(chosen, (c) => 2 ** 28 - texts[c].length) : chosen;
}
