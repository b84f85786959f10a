// Cases, packed by reports/html/page.py as compressed JSON in base64.
const sources = new Map();
for (const holder of document.querySelectorAll("script.packed")) {
  sources.set(holder.dataset.name, { holder, cases: null });
}

async function inflate(base64) {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

function load(name) {
  const source = sources.get(name);
  source.cases ??= inflate(source.holder.textContent).then((cases) => {
    source.holder.textContent = "";
    return prepare(cases);
  });
  return source.cases;
}

const mapped = (table) => new Map(Object.entries(table));

// For each side, compute the first mention of each case and the case of each mention.
function prepare(cases) {
  for (const side of [cases.gold, ...cases.answers.map((one) => one.predicted)]) {
    side.first = [0];
    side.owner = [];
    side.count.forEach((count, at) => {
      side.first.push(side.first[at] + count);
      for (let i = 0; i < count; i++) side.owner.push(at);
    });
  }
  for (const one of cases.answers) one.outcome = mapped(one.outcome);
  for (const table of ["values", "codes", "classes"]) cases[table] = mapped(cases[table]);
  return cases;
}

const idOf = (cases, at) => (cases.ids.length ? cases.ids[at] : String(at));
