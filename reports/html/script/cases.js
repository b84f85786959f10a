// Section of cases: filters, address, list, and the selected case.
const FILTERS = ["source", "tagger", "verdict", "class", "feature", "value", "order", "text"];

function startCases() {
  const form = document.querySelector(".filters");
  if (form === null) return null;
  const fields = Object.fromEntries(FILTERS.map((name) => [name, form.elements[name]]));
  let cases = null, wanted = null, turn = 0;
  const list = startList((at, tell) => {
    wanted = at === null ? null : idOf(cases, at);
    readCase(cases, at, list.choose);
    if (tell) keep();
  });

  const fill = (field, pairs, value = "") => {
    field.replaceChildren(...pairs.map(([key, label]) => element("option", { value: key }, label)));
    field.value = value;
    if (field.selectedIndex < 0) field.selectedIndex = 0;
  };
  const named = (names, all) => [["", all], ...names.map((name) => [name, name])];
  const keep = () => {
    const values = new Map(FILTERS.map((name) => [name, fields[name].value]));
    if (wanted !== null) values.set("case", wanted);
    writeAddress("cases", values);
  };
  const fillValues = (value) => {
    const values = cases.values.get(fields.feature.value);
    fill(fields.value, values ? [["", "(absent)"], ...values.map((v) => [v, v])] : [["", "–"]], value ?? values?.[0]);
    fields.value.disabled = !values;
  };

  function apply(tell) {
    const want = Object.fromEntries(FILTERS.map((name) => [name, fields[name].value]));
    const chosen = selectCases(cases, want);
    const at = wanted === null ? null : cases.ids.length ? cases.ids.indexOf(wanted) : Number(wanted);
    list.show(cases, chosen, cases.answers.find((one) => one.tagger === want.tagger) ?? null, at);
    byId("count").textContent = `${grouped.format(chosen.length)} of ${counted(cases.texts.length, "case")}`;
    if (tell) keep();
  }

  async function open(values) {
    const mine = ++turn;
    const names = [...sources.keys()];
    const name = names.includes(values.get("source")) ? values.get("source") : names[0];
    fill(fields.source, names.map((n) => [n, n]), name);
    const loaded = await load(name);
    if (mine !== turn) return;
    cases = loaded;
    const value = (field) => values.get(field) ?? "";
    fill(fields.tagger, named(cases.answers.map((one) => one.tagger), "any"), value("tagger"));
    fill(fields.verdict, VERDICTS, value("verdict"));
    fill(fields.class, named([...cases.classes.keys()], "all"), value("class"));
    fill(fields.feature, named([...cases.values.keys()], "any"), value("feature"));
    fillValues(values.get("value"));
    fill(fields.order, ORDERS, value("order"));
    fields.text.value = value("text");
    wanted = values.get("case");
    apply(false);
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => {
    if (cases === null) return;
    if (event.target === fields.source) {
      const same = new URLSearchParams(FILTERS.map((name) => [name, fields[name].value]));
      open(same).then(keep);
      return;
    }
    if (event.target === fields.feature) fillValues();
    if (event.target !== fields.text) apply(true);
  });
  fields.text.addEventListener("input", () => { if (cases !== null) apply(true); });
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    open(new URLSearchParams([["source", fields.source.value]])).then(keep);
  });
  return open;
}
