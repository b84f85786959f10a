// Cases, as reports/html/embedding.py packs them: base64 of deflated bytes; JSON first, arrays behind it.
const sources = new Map();
for (const holder of document.querySelectorAll("script.packed")) {
  sources.set(holder.dataset.name, { holder, cases: null });
}

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

function load(name) {
  const source = sources.get(name);
  source.cases ??= inflate(bytesOf(source.holder.textContent)).then((buffer) => {
    source.holder.textContent = "";
    return unpack(buffer);
  });
  return source.cases;
}

function unpack(buffer) {
  const size = new DataView(buffer).getUint32(0, true);
  const utf8 = new TextDecoder();
  const head = JSON.parse(utf8.decode(new Uint8Array(buffer, 4, size)));
  const types = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };
  const array = (at) => {
    const [type, offset, length] = head.arrays[at];
    return new types[type](buffer, 4 + size + offset, length);
  };
  const texts = (at) => JSON.parse(utf8.decode(array(at)));
  const mentions = (packed) => {
    const count = array(packed.count);
    const first = new Uint32Array(count.length + 1);
    const owner = new Uint32Array(head.arrays[packed.start][2]);
    for (let i = 0; i < count.length; i++) {
      first[i + 1] = first[i] + count[i];
      owner.fill(i, first[i], first[i + 1]);
    }
    const each = (table) => new Map(Object.entries(table).map(([name, at]) => [name, array(at)]));
    return {
      first, owner, start: array(packed.start), length: array(packed.length),
      codes: each(packed.codes), classes: each(packed.classes),
    };
  };
  return {
    name: head.name, suite: head.suite, size: head.cases, texts: texts(head.texts), search: null, sizes: null, errors: new Map(),
    ids: head.ids === null ? null : texts(head.ids), values: new Map(Object.entries(head.values)),
    gold: mentions(head.gold),
    taggers: head.taggers.map((one) => ({
      name: one.name, notion: one.notion, predicted: mentions(one.predicted),
      verdict: array(one.verdict), gold: array(one.gold),
      outcome: new Map(Object.entries(one.outcome).map(([name, at]) => [name, array(at)])),
      failures: one.failures,
    })),
  };
}

const idOf = (cases, at) => (cases.ids === null ? String(at) : cases.ids[at]);
