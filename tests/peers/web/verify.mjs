/**
 * Holds web/verify.js to receipts that hold, and to such as must not.
 *
 * node tests/peers/web/verify.mjs RECEIPTS.jsonl JWKS VKEY, where RECEIPTS.jsonl has a notary's receipt a line, JWKS is
 * the file of its key set, and VKEY its log's verifier key. The unit cases are signed by a notary made here.
 */
import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const CHANGES = 200;
const STEPS = "form hash signature checkpoint inclusion";
// A copy named .mjs, since the first releases of Node 20 take a file named .js for CommonJS.
const folder = await mkdtemp(join(tmpdir(), "verify-"));
const copy = join(folder, "verify.mjs");
await copyFile(new URL("../../../web/verify.js", import.meta.url), copy);
const { parseJson, canonical, verify, hashOf, statusOfCrypto } = await import(pathToFileURL(copy));
await rm(folder, { recursive: true });

const [receiptsFile, jwksFile, vkey] = process.argv.slice(2);
const lines = (await readFile(receiptsFile, "utf8")).split("\n").filter((line) => line !== "");
const jwks = await readFile(jwksFile, "utf8");

const failures = [];
const check = (holds, what) => holds || failures.push(what);
const said = ({ steps }) =>
  steps
    .filter(({ ok }) => ok !== true)
    .map(({ id, ok, detail }) => `${id} ${ok}: ${detail}`)
    .join("; ");
/** The ids of the steps that do not hold, with a question mark after those that could not be made. */
const failed = ({ steps }) =>
  steps
    .filter(({ ok }) => ok !== true)
    .map(({ id, ok }) => (ok === null ? `${id}?` : id))
    .join(" ");

/** Checks the form of a result, which is the same for every text. */
function checkForm(result, what) {
  const ids = result.steps.map(({ id }) => id).join(" ");
  check(ids === STEPS || ids === `${STEPS} rerun`, `${what}: the steps are ${ids}`);
  check(result.valid === result.steps.every(({ ok }) => ok === true), `${what}: valid is not that of the steps`);
  for (const { ok, title, detail, shown } of result.steps) {
    check(
      [true, false, null].includes(ok) && title !== "" && /^\p{L}.*\.$/su.test(detail),
      `${what}: ${title}: ${detail}`,
    );
    check(!/^The step failed/.test(detail), `${what}: an error that nobody expected: ${detail}`);
    check(
      shown.every((pair) => pair.length === 2 && pair.every((one) => typeof one === "string")),
      `${what}: ${title} shows no text`,
    );
  }
  return result;
}

async function holds(text, keys, what) {
  const result = checkForm(await verify(text, keys), what);
  check(result.valid, `${what} is not valid: ${said(result)}`);
  return result;
}

/** Checks that exactly these steps do not hold. */
async function breaks(text, keys, expected, what) {
  const found = failed(checkForm(await verify(text, keys), what));
  check(found === expected, `${what}: "${found}" does not hold instead of "${expected}"`);
}

// --- Receipts of the notary, whole and with a byte changed ---

for (const [at, line] of lines.entries()) {
  const { verdict, receipt } = await holds(line, { jwks, vkey }, `receipt ${at + 1}`);
  check(
    verdict === JSON.parse(line).verdict && canonical(receipt) === canonical(JSON.parse(line)),
    `receipt ${at + 1}: another is given back`,
  );
}

/** Deterministic random numbers below a bound (mulberry32). */
function generator(seed) {
  return (bound) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}

/** The canonical form of a text's value, or nothing where it is no JSON. */
function valueOf(text) {
  try {
    return canonical(parseJson(text));
  } catch {
    return undefined;
  }
}

const random = generator(21);
let [tried, found] = [0, 0];
for (let at = 0; lines.length > 0 && tried < CHANGES; at += 1) {
  const line = lines[at % lines.length];
  const bytes = Buffer.from(line);
  const place = random(bytes.length);
  const byte = 0x20 + random(0x5f);
  if (bytes[place] === byte) continue;
  bytes[place] = byte;
  const changed = bytes.toString();
  if (valueOf(changed) === valueOf(line)) continue;
  tried += 1;
  const what = `receipt ${(at % lines.length) + 1} with ${JSON.stringify(String.fromCharCode(byte))} as byte ${place}`;
  const { valid } = checkForm(await verify(changed, { jwks, vkey }), what);
  if (valid) failures.push(`${what} is valid`);
  else found += 1;
}

// --- JSON and its canonical form ---

const refused = (text, why) => {
  let message = "it is read";
  try {
    parseJson(text);
  } catch (error) {
    message = error instanceof SyntaxError ? error.message : String(error.stack);
  }
  check(message === why, `${JSON.stringify(text).slice(0, 60)}: ${message}, not: ${why}`);
};
const read = (text, expected) =>
  check(valueOf(text) === expected, `${text.slice(0, 60)} is read as ${valueOf(text)}, not as ${expected}`);

// RFC 8785, appendix B: IEEE 754 bits and the form of the number.
for (const [bits, form] of [
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["ffefffffffffffff", "-1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["c340000000000000", "-9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["44b52d02c7e14af7", "1.0000000000000001e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef4f", "999999999999999900000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["41b3de4355555555", "333333333.3333333"],
  ["41b3de4355555556", "333333333.3333334"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"],
]) {
  const number = Buffer.from(bits, "hex").readDoubleBE();
  check(canonical(number) === form, `${bits} is ${canonical(number)}, not ${form}`);
  read(form, form);
}
for (const [text, form] of [
  ["1e21", "1e+21"],
  ["1E-7", "1e-7"],
  ["1.50", "1.5"],
  ["-0", "0"],
  ["-0.0e5", "0"],
  ["100e-2", "1"],
  ["0e9999999999", "0"],
  ["1000000000000000000000", "1e+21"],
  ["9007199254740992", "9007199254740992"],
  ["4.35", "4.35"],
  ["2e-3", "0.002"],
  ["0.1", "0.1"],
])
  read(text, form);
for (const text of [
  "0.1000000000000000055",
  "9007199254740993",
  "333333333.33333329",
  "1e400",
  "-1e400",
  "1e-400",
  "1e23000000000000000000",
  "123456789012345678",
]) {
  refused(` ${text}`, "number not exact at line 1, column 2");
}
// RFC 8785, sections 3.2.2 and 3.2.3; every escape; names that objects inherit elsewhere.
read(
  '{"\\u20ac":1,"\\r":2,"\\ufb33":3,"1":4,"\\ud83d\\ude00":5,"\\u0080":6,"\\u00f6":7}',
  '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
);
read(
  '"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/\\b\\f\\n\\r\\t\u007f\u2028"',
  '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/\\b\\f\\n\\r\\t\u007f\u2028"',
);
read(' [ null , true , false , { } , [ ] , "" ]\r\n\t', '[null,true,false,{},[],""]');
read(
  '{"constructor":1,"__proto__":{"a":[]},"toString":2,"hasOwnProperty":3}',
  '{"__proto__":{"a":[]},"constructor":1,"hasOwnProperty":3,"toString":2}',
);
check(
  Object.getPrototypeOf(parseJson("{}")) === null && parseJson('{"__proto__":{"v":1}}').v === undefined,
  "__proto__ is not a name like any other",
);
refused('{"__proto__":1,"__proto__":2}', 'name "__proto__" given twice at line 1, column 16');
refused('{"a":1,\n "b":{"c":1,"\\u0063":2}}', 'name "c" given twice at line 2, column 13');
for (const text of ['"\\ud800"', '"\\udc00\\ud800"', '"\ud800"', '"a\udc00"', '{"\\ud83d":1}']) {
  refused(text, `lone surrogate in the string at line 1, column ${text[0] === "{" ? 2 : 1}`);
}
read(`${"[".repeat(64)}${"]".repeat(64)}`, `${"[".repeat(64)}${"]".repeat(64)}`);
refused(`${"[".repeat(65)}${"]".repeat(65)}`, "nesting over 64 levels at line 1, column 65");
refused('{"a":'.repeat(100_000), "nesting over 64 levels at line 1, column 321");
refused("\ufeff{}", "byte order mark at line 1, column 1");
refused("{}\n x", "more text after the value at line 2, column 2");
refused('["😀" 1]', "no , or ] after an item at line 1, column 6");
refused("-", "no JSON value at line 1, column 1");
for (const text of ["", " ", "[", '{"a":', "[1,"]) {
  refused(text, `the text ends too early at line 1, column ${text.length + 1}`);
}
for (const text of [
  "01",
  "1.",
  "1e",
  "+1",
  ".5",
  "NaN",
  "Infinity",
  "true1",
  "nul",
  "'a'",
  '"\\x"',
  '"\\u12g4"',
  '"\t"',
  '"',
  '"\\',
  "[1,]",
  '{"a":1,}',
  "{a:1}",
  '{"a" 1}',
  '{"a":1 "b":2}',
  "\u00a01",
  "1\u2028",
  "/**/1",
  "]",
  "undefined",
  "1 1",
])
  check(valueOf(text) === undefined, `${text} is read as JSON`);
for (const value of [NaN, Infinity, undefined, 1n, "\ud800", { a: undefined }, [,], Symbol("a")]) {
  let message = "";
  try {
    message = canonical(value);
  } catch (error) {
    message = error instanceof TypeError;
  }
  check(message === true, `${String(value)} has a canonical form: ${message}`);
}

// --- A notary made here ---

const { subtle } = globalThis.crypto;
const sha = async (...parts) =>
  Buffer.from(await subtle.digest("SHA-256", Buffer.concat(parts.map((part) => Buffer.from(part)))));

/** An Ed25519 key whose 32 bytes of seed are all `seed` (RFC 8410). */
async function keyOf(seed) {
  const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, seed)]);
  const key = await subtle.importKey("pkcs8", pkcs8, "Ed25519", true, ["sign"]);
  const { x } = await subtle.exportKey("jwk", key);
  return {
    x,
    public: Buffer.from(x, "base64url"),
    sign: async (data) => Buffer.from(await subtle.sign("Ed25519", key, Buffer.from(data))),
  };
}

const [receiptKey, rerunKey, logKey, witnessKey] = [await keyOf(1), await keyOf(2), await keyOf(3), await keyOf(4)];
const ISS = "https://notary.example:8402";
const ORIGIN = "notary.example:8402/log";
const DID = "did:web:notary.example%3A8402";
/** RFC 7638 thumbprint of a key. */
const thumbprint = async ({ x }) => (await sha(canonical({ crv: "Ed25519", kty: "OKP", x }))).toString("base64url");
const [KID, RERUN_KID] = [`${DID}#${await thumbprint(receiptKey)}`, `${DID}#${await thumbprint(rerunKey)}`];
const vkeyOf = async (origin, { public: key }, type = 1) => {
  const typed = Buffer.concat([[type], key].map((part) => Buffer.from(part)));
  return `${origin}+${(await sha(`${origin}\n`, typed)).toString("hex", 0, 4)}+${typed.toString("base64")}`;
};
const ours = {
  jwks: {
    keys: [
      { kty: "OKP", crv: "Ed25519", kid: KID, x: receiptKey.x },
      { kty: "OKP", crv: "Ed25519", kid: RERUN_KID, x: rerunKey.x, role: "rerun" },
    ],
  },
  vkey: await vkeyOf(ORIGIN, logKey),
};

const jws = async (key, kid, typ, payload) => {
  const encoded = [canonical({ alg: "EdDSA", kid, typ }), canonical(payload)].map((part) =>
    Buffer.from(part).toString("base64url"),
  );
  return (await key.sign(encoded.join("."))).toString("base64url");
};
const signatureLine = async (name, key, text, id) => {
  const keyId = id ?? Buffer.from((await vkeyOf(name, key)).split("+")[1], "hex");
  return `\u2014 ${name} ${Buffer.concat([keyId, await key.sign(text)]).toString("base64")}\n`;
};

/** Root of a tree, and the path from the leaf at `index` to it, as RFC 9162 defines them (2.1.1, 2.1.3.1). */
async function tree(leaves, index) {
  if (leaves.length === 1) return { root: await sha([0], leaves[0]), path: [] };
  let left = 1;
  while (left * 2 < leaves.length) left *= 2;
  const [one, other] = [await tree(leaves.slice(0, left), index), await tree(leaves.slice(left), index - left)];
  const path = index < left ? [...one.path, other.root] : [...other.path, one.root];
  return { root: await sha([1], one.root, other.root), path };
}

const withoutUndefined = (value) => JSON.parse(JSON.stringify(value));

/** A receipt as this notary, or a thief of its keys, would sign it, at `index` in a tree of `size` leaves. */
async function signed(
  changes = {},
  { index = 0, size = 1, key = receiptKey, log = logKey, origin = ORIGIN, written = String(size), more = "" } = {},
) {
  const said = {
    class: "commit",
    agent: "me",
    request_hash: "0".repeat(64),
    verdict: "COMMITTED",
    evidence: {},
    scope: "None.",
    method: "commit/1",
  };
  const usual = {
    v: 1,
    iss: ISS,
    kid: KID,
    salt: "0".repeat(32),
    log_head: { size: 0, root: (await sha("")).toString("hex") },
    signed_at: "2026-11-26T00:00:00.000Z",
  };
  const payload = withoutUndefined({ ...usual, ...said, ...changes });
  const hash = await sha(canonical(payload));
  const entry = {
    class: payload.class,
    h: (await sha(hash)).toString("hex"),
    kid: payload.kid,
    t: payload.signed_at,
    v: payload.v,
  };
  if (typeof payload.ref === "string") entry.ref = (await sha(Buffer.from(payload.ref, "hex"))).toString("hex");
  const leaves = Array.from({ length: size }, (_, at) =>
    at === index ? canonical(withoutUndefined(entry)) : `leaf ${at}`,
  );
  const { root, path } = await tree(leaves, index);
  const text = `${origin}\n${written}\n${root.toString("base64")}\n${more}`;
  const steps = path.map((node) => `${node.toString("base64")}\n`).join("");
  const proof = `c2sp.org/tlog-proof@v1\nindex ${index}\n${steps}\n${text}\n${await signatureLine(origin, log, text)}`;
  return {
    ...payload,
    receipt_hash: hash.toString("hex"),
    signature: await jws(key, payload.kid, "verdict-receipt+jws", payload),
    proof,
  };
}

const textOf = (receipt, changes = {}) => JSON.stringify({ ...receipt, ...changes });
const good = await signed({}, { index: 5, size: 11 });
await holds(textOf(good), ours, "a receipt of our own");
await holds(
  JSON.stringify(good, null, 2),
  { ...ours, jwks: JSON.stringify(ours.jwks, null, 1) },
  "one with white space",
);
await holds(
  JSON.stringify({ valid: true, checks: {}, disputes: [], superseded_by: null, receipt: good }),
  ours,
  "an answer of /verify",
);
await breaks(
  JSON.stringify({ valid: true, checks: {}, receipt: { ...good, salt: "01" } }),
  ours,
  "hash signature",
  "an answer that says valid of a changed receipt",
);
await holds(
  textOf(
    await signed({
      note: "\u0000\u202e<b>é😀",
      n: [1e21, 1e-7, 0.000001, -0, 333333333.3333333],
      "": { constructor: 1 },
    }),
  ),
  ours,
  "one of odd values",
);
await holds(
  textOf(await signed(JSON.parse('{"__proto__":{"a":1},"constructor":2}'))),
  ours,
  "one with the name __proto__",
);
for (let size = 1; size <= 17; size += 1) {
  for (let index = 0; index < size; index += 1)
    await holds(textOf(await signed({}, { index, size })), ours, `leaf ${index} of ${size}`);
}

// Texts that are no receipt.
for (const text of [
  "",
  "hello",
  "[]",
  "null",
  "7",
  '"a"',
  "[[[[",
  textOf(good).slice(0, -9),
  `\ufeff${textOf(good)}`,
  '{"valid":false}',
  '{"valid":true,"receipt":[]}',
  undefined,
  null,
  {},
]) {
  await breaks(text, ours, "form hash? signature? checkpoint? inclusion?", `the text ${String(text).slice(0, 20)}`);
}
await breaks("{}", ours, "form hash signature? checkpoint inclusion?", "an empty object");
await breaks(
  textOf(good).replace("{", '{"verdict":"REFUTED",'),
  ours,
  "form hash? signature? checkpoint? inclusion?",
  "a name given twice",
);

// What each changed member breaks, and what it does not.
await breaks(textOf(good, { receipt_hash: "0".repeat(64) }), ours, "hash inclusion", "another receipt_hash");
await breaks(
  textOf(good, { receipt_hash: good.receipt_hash.toUpperCase() }),
  ours,
  "hash inclusion",
  "receipt_hash in capitals",
);
await breaks(textOf(good, { verdict: "REFUTED" }), ours, "hash signature", "another verdict");
await breaks(textOf(good, { extra: 1 }), ours, "hash signature", "a member more");
await breaks(textOf(good, { signed_at: "2026-11-25T00:00:00.000Z" }), ours, "hash signature inclusion", "another time");
await breaks(textOf(good, { signature: undefined }), ours, "signature", "no signature");
await breaks(textOf(good, { proof: undefined }), ours, "checkpoint inclusion?", "no proof");
await breaks(textOf(good, { iss: 7 }), ours, "form hash signature? checkpoint?", "iss that is no text");
const last =
  good.signature.slice(0, -1) + String.fromCharCode(good.signature.charCodeAt(good.signature.length - 1) + 1);
for (const signature of [
  last,
  `${good.signature}==`,
  `${good.signature}\n`,
  `${good.signature.slice(0, 9)}!!${good.signature.slice(9)}`,
  "",
  7,
  {},
  good.signature.slice(0, -4),
]) {
  await breaks(textOf(good, { signature }), ours, "signature", `the signature ${JSON.stringify(signature)}`);
}
for (const [changes, expected] of [
  [{ v: 2 }, "form"],
  [{ v: "1" }, "form"],
  [{ v: undefined }, "form inclusion"],
  [{ verdict: undefined }, "form"],
  [{ class: undefined }, "inclusion"],
  [{ iss: "https://other.example" }, "signature checkpoint"],
  [{ iss: "notary.example:8402" }, "signature checkpoint"],
  [{ kid: KID.replace("#", ".other#") }, "signature"],
  [{ log_head: { size: 1 } }, "inclusion"],
  [{ log_head: { size: -1 } }, "inclusion"],
  [{ log_head: { size: "0" } }, "inclusion"],
  [{ log_head: null }, "inclusion"],
  [{ log_head: undefined }, "inclusion"],
  [{ ref: "0" }, "inclusion"],
  [{ ref: null }, "inclusion"],
])
  await breaks(textOf(await signed(changes)), ours, expected, `signed with ${JSON.stringify(changes)}`);
await holds(
  textOf(await signed({ log_head: { size: 5 } }, { index: 5, size: 6 })),
  ours,
  "a log_head just before the leaf",
);

// Keys.
const keys = (...list) => ({ ...ours, jwks: { keys: list } });
const [first, second] = ours.jwks.keys;
await breaks(textOf(good), { jwks, vkey: ours.vkey }, "signature", "the key set of the notary given");
await breaks(textOf(good), { jwks: ours.jwks, vkey }, "checkpoint", "the log key of the notary given");
await breaks(
  lines[0] ?? textOf(good),
  lines[0] ? ours : keys(),
  lines[0] ? "signature checkpoint" : "signature",
  "our keys for a receipt given",
);
await breaks(textOf(good), keys(), "signature", "an empty key set");
await breaks(textOf(good), keys(first, first), "signature", "a key given twice");
await breaks(textOf(good), keys({ ...first, role: "rerun" }, second), "signature", "a key of another role");
await breaks(textOf(good), keys(first, "key"), "signature", "a key that is no object");
await breaks(textOf(good), keys({ ...first, x: second.x }), "signature", "another key of that kid");
await breaks(textOf(good), keys({ ...first, x: first.x.slice(4) }), "signature", "a key of 29 bytes");
await breaks(textOf(good), keys({ ...first, x: `${first.x}=` }), "signature", "a padded key");
await holds(textOf(good), keys({ ...first, role: null }), "a role of null");
await breaks(
  textOf(await signed({}, { key: rerunKey })),
  keys({ ...first, x: second.x }),
  "signature",
  "a kid that is not the thumbprint of the key that signed",
);
await breaks(
  textOf(await signed({ kid: RERUN_KID }, { key: rerunKey })),
  ours,
  "signature",
  "signed by the rerun's key",
);
await breaks(textOf(await signed({}, { key: rerunKey })), ours, "signature", "signed under another's kid");
await breaks(textOf(good), { ...ours, jwks: {} }, "signature", "no list of keys");
await breaks(textOf(good), { ...ours, jwks: "{" }, "form signature?", "a key set that is no JSON");
await breaks(textOf(good), { vkey: ours.vkey }, "form signature?", "no key set");
await breaks(textOf(good), { jwks: ours.jwks }, "form checkpoint?", "no log key");
for (const bad of [
  "hello",
  "a+b",
  ours.vkey.replace("+", "+0"),
  ours.vkey.slice(0, -1),
  `${ours.vkey}\n`,
  `x${ours.vkey}`,
  await vkeyOf(ORIGIN, logKey, 2),
  7,
]) {
  await breaks(textOf(good), { ...ours, vkey: bad }, "form checkpoint?", `the log key ${bad}`);
}
await breaks(
  textOf(good),
  { ...ours, vkey: await vkeyOf(ORIGIN, witnessKey) },
  "checkpoint",
  "another log key of that origin",
);
await breaks(
  textOf(good),
  { ...ours, vkey: await vkeyOf(ORIGIN, { public: logKey.public.subarray(1) }) },
  "checkpoint",
  "a log key of 31 bytes",
);
const otherLog = { ...ours, vkey: await vkeyOf("other.example/log", logKey) };
await breaks(
  textOf(await signed({}, { origin: "other.example/log" })),
  otherLog,
  "checkpoint",
  "a log that is not that of iss",
);
const [v6, v6Kid] = ["[2001:db8::1]:8402", KID.replace("notary.example", "%5B2001%3Adb8%3A%3A1%5D")];
const v6Keys = { jwks: { keys: [{ ...first, kid: v6Kid }] }, vkey: await vkeyOf(`${v6}/log`, logKey) };
await holds(
  textOf(await signed({ iss: `http://${v6}`, kid: v6Kid }, { origin: `${v6}/log` })),
  v6Keys,
  "a notary on an IPv6 address",
);

// The note: a stranger's line may be added if it is well-formed, and nothing else.
const [head, checkpoint] = good.proof.split("\n\n");
const witness = await signatureLine("witness.example/w", witnessKey, `${checkpoint}\n`);
const ownLine = good.proof.slice(good.proof.lastIndexOf("\u2014"));
for (const [what, proof] of [
  ["a stranger's line after ours", good.proof + witness],
  ["a stranger's line before ours", good.proof.replace("\u2014", `${witness}\u2014`)],
  ["99 lines of strangers", good.proof + witness.repeat(99)],
  ["our line twice", good.proof + ownLine],
  ["a stranger's of five bytes", `${good.proof}\u2014 a QUFBQUE=\n`],
  ["our name under another key id", good.proof + (await signatureLine(ORIGIN, witnessKey, "x"))],
  ["a name of 1024 bytes", good.proof + witness.replace("witness", "w".repeat(1024 - 10))],
  ["extra data", good.proof.replace("\n", "\nextra QUJD\n")],
  ["extra data of 64 KiB", good.proof.replace("\n", `\nextra ${Buffer.alloc(2 ** 16).toString("base64")}\n`)],
])
  await holds(textOf(good, { proof }), ours, what);
await holds(textOf(await signed({}, { more: "another line\n" })), ours, "a checkpoint with a line more");
for (const [what, proof] of [
  ["100 lines of strangers", good.proof + witness.repeat(100)],
  ["an empty line at the end", `${good.proof}\n`],
  ["a line at the end", `${good.proof}hello\n`],
  ["half a line at the end", `${good.proof}hello`],
  ["no line feed at the end", good.proof.slice(0, -1)],
  ["no signature", good.proof.replace(ownLine, "")],
  ["a stranger's alone", good.proof.replace(ownLine, witness)],
  ["a hyphen", good.proof + witness.replace("\u2014", "-")],
  ["four bytes", `${good.proof}\u2014 a QUFBQQ==\n`],
  ["no name", good.proof + witness.replace("witness.example/w", "")],
  ["a plus sign", good.proof + witness.replace("witness", "wit+ness")],
  ["an em space", good.proof + witness.replace("witness", "wit\u2003ness")],
  ["a next line sign", good.proof + witness.replace("witness", "wit\u0085ness")],
  ["a name of 1025 bytes", good.proof + witness.replace("witness", "w".repeat(1025 - 10))],
  ["a space at the end", good.proof + witness.replace("\n", " \n")],
  ["a carriage return", good.proof.replaceAll("\n", "\r\n")],
  ["our line twice, once broken", good.proof + (await signatureLine(ORIGIN, logKey, "x"))],
  ["base64 of another spelling", good.proof.replace(/=\n$/, "\n")],
  ["a name with a control character", good.proof + witness.replace("witness", "wit\u001fness")],
  ["a note over 1 MiB", good.proof + witness.replace(/ (\S+)\n/, ` ${Buffer.alloc(2 ** 20).toString("base64")}\n`)],
]) {
  const result = checkForm(await verify(textOf(good, { proof }), ours), what);
  check(/^checkpoint( inclusion\??)?$/.test(failed(result)), `the note with ${what}: ${said(result)}`);
}
await breaks(
  textOf(good, { proof: good.proof.replace("\u2014", "\ud800") }),
  ours,
  "form hash? signature? checkpoint? inclusion?",
  "a lone surrogate in the note",
);
await breaks(
  textOf(good, { proof: good.proof.replace(`\n${ORIGIN}\n`, "\nother.example/log\n") }),
  ours,
  "checkpoint",
  "another origin",
);
await breaks(
  textOf(good, { proof: good.proof.replace("\n11\n", "\n40\n") }),
  ours,
  "checkpoint inclusion",
  "another size",
);
await breaks(textOf(good, { proof: "hello" }), ours, "checkpoint inclusion?", "a proof of one word");

// The path.
const path = head.split("\n").slice(2);
const withPath = (...steps) => textOf(good, { proof: good.proof.replace(path.join("\n"), steps.join("\n")) });
await breaks(withPath(...path, path[0]), ours, "inclusion", "a path too long");
await breaks(withPath(...path.slice(0, -1)), ours, "inclusion", "a path too short");
await breaks(withPath(...path.slice(1)), ours, "inclusion", "a path without its first hash");
await breaks(withPath(path[1], path[0], ...path.slice(2)), ours, "inclusion", "a path of another order");
await breaks(withPath(path[0].slice(0, -4), ...path.slice(1)), ours, "inclusion", "a hash of 30 bytes");
await breaks(withPath(`${path[0]} `, ...path.slice(1)), ours, "inclusion", "a hash with a space");
await breaks(withPath(...Array(70).fill(path[0])), ours, "inclusion", "a path of 70 hashes");
await breaks(textOf(good, { proof: good.proof.replace("@v1", "@v2") }), ours, "inclusion", "another form");
for (const at of [
  ...Array(20).keys(),
  -1,
  2 ** 32 + 5,
  `${2n ** 64n + 5n}`,
  "05",
  "+5",
  "5 ",
  " 5",
  "5.0",
  "",
  "9".repeat(1000),
].filter((at) => at !== 5)) {
  await breaks(
    textOf(good, { proof: good.proof.replace("index 5\n", `index ${at}\n`) }),
    ours,
    "inclusion",
    `the index ${at}`,
  );
}
for (const extra of [
  "QR==",
  "QQ",
  "",
  " QUJD",
  "QUJD ",
  "QUJD\nextra QUJD",
  Buffer.alloc(2 ** 16 + 1).toString("base64"),
]) {
  await breaks(
    textOf(good, { proof: good.proof.replace("\n", `\nextra ${extra}\n`) }),
    ours,
    "inclusion",
    `the extra data ${extra.slice(0, 20)}`,
  );
}
for (const written of ["0", "2", "01", "+1", " 1", "1_0", "\u0661", `${2n ** 64n + 1n}`, "one"]) {
  await breaks(textOf(await signed({}, { written })), ours, "inclusion", `a signed size of ${written}`);
}
for (const at of ["0".repeat(64), 7])
  await breaks(textOf(good, { proof: at }), ours, "checkpoint inclusion?", `the proof ${at}`);

// Disputes.
const evidence = { body_sha256: "aa" };
const finding = { verdict: "CONFIRMED", method: "claim-verdict/1", evidence };
const disputed = {
  receipt_hash: good.receipt_hash,
  verdict: "CONFIRMED",
  method: "claim-verdict/1",
  evidence_sha256: (await sha(canonical(evidence))).toString("hex"),
};
async function dispute(
  verdict,
  {
    reason = { UPHELD: "same_verdict", OVERTURNED: "other_verdict" }[verdict] ?? "evidence_missing",
    finds = finding,
    outcome = "found",
    of = {},
    key = rerunKey,
    kid = RERUN_KID,
    about = good.receipt_hash,
    typ = "verdict-rerun+jws",
    ...changes
  } = {},
) {
  const replay = JSON.parse(JSON.stringify({ receipt_hash: about, outcome, finding: finds }));
  if (outcome !== "found" && finds === finding) delete replay.finding;
  const rerun = { kid, signature: await jws(key, kid, typ, replay) };
  return textOf(
    await signed({
      class: "dispute",
      method: "dispute/2",
      ref: good.receipt_hash,
      disputed: { ...disputed, ...of },
      replay,
      rerun,
      verdict,
      reason,
      found: replay.finding?.verdict,
      ...changes,
    }),
  );
}
const other = { ...finding, verdict: "REFUTED" };
const unheard = { replay: undefined, rerun: undefined, found: undefined };
for (const [verdict, changes] of [
  ["UPHELD", {}],
  ["OVERTURNED", { finds: other }],
  ["INCONCLUSIVE", { finds: { ...other, method: "claim-verdict/2" }, reason: "rules_changed" }],
  ["OVERTURNED", { finds: { ...other, method: "claim-verdict/2" }, method: "dispute/1" }],
  ["UPHELD", { finds: { ...finding, method: "claim-verdict/2" } }],
  ["INCONCLUSIVE", { finds: { ...finding, evidence: {} } }],
  ["OVERTURNED", { finds: { ...other, method: "claim-verdict/2" }, of: { method: undefined } }],
  ["OVERTURNED", { finds: { ...other, method: undefined } }],
  ["OVERTURNED", { finds: other, of: { evidence_sha256: "" } }],
  // Of a finding without evidence the hash is not that of null, and what is no text is as good as none.
  ["INCONCLUSIVE", { finds: { verdict: "CONFIRMED" }, of: { evidence_sha256: (await sha("null")).toString("hex") } }],
  ["OVERTURNED", { finds: { ...other, method: 2 } }],
  ["INCONCLUSIVE", { outcome: "missing" }],
  ["INCONCLUSIVE", { outcome: "missing", finds: null }],
  ["INCONCLUSIVE", { outcome: "missing", finds: { verdict: null }, found: undefined }],
  ["INCONCLUSIVE", { outcome: "refused", reason: "request_refused" }],
  ["INCONCLUSIVE", { ...unheard, reason: "rerun_exhausted" }],
  ["INCONCLUSIVE", { ...unheard, reason: "request_redacted" }],
]) {
  const about = `a dispute: ${verdict} ${JSON.stringify(changes)}`;
  const { steps } = await holds(await dispute(verdict, changes), ours, about);
  check(steps.length === 6, "a dispute has another number of steps than six");
  for (const wrong of ["UPHELD", "OVERTURNED", "INCONCLUSIVE", "upheld"])
    if (wrong !== verdict) await breaks(await dispute(wrong, changes), ours, "rerun", `${about}, said to be ${wrong}`);
  for (const wrong of [{ reason: "another" }, { reason: null }, { found: "UNRESOLVED" }, { found: null }])
    await breaks(await dispute(verdict, { ...changes, ...wrong }), ours, "rerun", `${about}, ${JSON.stringify(wrong)}`);
}
for (const [what, changes] of [
  ["another key", { key: receiptKey }],
  ["the receipt's key", { key: receiptKey, kid: KID }],
  ["another typ", { typ: "verdict-receipt+jws" }],
  ["no rerun", { rerun: undefined }],
  ["no disputed", { disputed: undefined }],
  ["another receipt disputed", { of: { receipt_hash: "0".repeat(64) } }],
  ["another receipt replayed", { about: "0".repeat(64) }],
  ["no verdict disputed", { of: { verdict: undefined } }],
  ["a verdict disputed that is no text", { of: { verdict: 1 } }],
  ["no evidence disputed", { of: { evidence_sha256: undefined } }],
  ["no finding", { finds: null }],
  ["no verdict found", { finds: { evidence } }],
  ["a verdict that is no text", { finds: { ...finding, verdict: [] } }],
  ["no outcome", { outcome: null, finds: null, reason: "too_large" }],
  ["an outcome of another name", { outcome: "lost" }],
  ["nothing found and a verdict", { outcome: "missing", finds: { ...finding } }],
  ["a replay of null", { replay: null }],
  ["a rerun without a replay", { replay: undefined, found: undefined, reason: "too_large" }],
  ["rules that are not known", { method: "dispute/3" }],
  ["no replay", { replay: undefined }],
  ["a replay that nobody signed", { replay: { receipt_hash: good.receipt_hash, finding } }],
  ["another ref", { ref: "0".repeat(64) }],
  ["a foreign kid", { kid: RERUN_KID.replace("notary", "other") }],
  ["a replay that is no object", { replay: "UPHELD" }],
])
  await breaks(await dispute("UPHELD", changes), ours, "rerun", `a dispute with ${what}`);
await breaks(await dispute("UPHELD"), keys(first), "rerun", "a key set without the rerun's");
await breaks(await dispute("UPHELD", { ref: undefined }), ours, "rerun", "a dispute without ref");

// --- The rest ---

const hash = good.receipt_hash;
for (const text of [
  hash,
  ` ${hash}\n`,
  `${ISS}/r/${hash}`,
  `/r/${hash}`,
  `r/${hash}`,
  `${ISS}/receipts/${hash}`,
  `/receipts/${hash}.jws`,
  `receipts/${hash}.tlog-proof`,
  `/receipts/${hash}.svg`,
  `?hash=${hash}`,
  `${ISS}/verify?hash=${hash}`,
  `/verify?a=b&hash=${hash}`,
])
  check(hashOf(text) === hash, `hashOf finds none in ${text}`);
for (const text of [
  "",
  hash.slice(1),
  `${hash}0`,
  hash.toUpperCase(),
  `/q/${hash}`,
  `/r/${hash}0`,
  `/r/${hash}.txt`,
  `/xr/${hash}`,
  `?xhash=${hash}`,
  `see ${hash}`,
  textOf(good),
  textOf(good, { claim: `/r/${hash}` }),
  null,
  undefined,
  7,
])
  check(hashOf(text) === null, `hashOf finds one in ${String(text).slice(0, 90)}`);
check((await statusOfCrypto()) === true, "WebCrypto has no Ed25519 here");

// Without WebCrypto, and without its Ed25519, nothing is valid and nothing is thrown.
const whole = Object.getOwnPropertyDescriptor(globalThis, "crypto");
const without = async (crypto, expected, what) => {
  Object.defineProperty(globalThis, "crypto", { value: crypto, configurable: true });
  await breaks(textOf(good), ours, expected, what);
  await breaks("hello", ours, "form hash? signature? checkpoint? inclusion?", `${what}, and no receipt`);
  check((await statusOfCrypto()) === false, `${what}: statusOfCrypto says that it is there`);
};
const unsupported = async () => {
  throw new DOMException("unknown algorithm", "NotSupportedError");
};
await without(undefined, "form? hash? signature? checkpoint? inclusion?", "no WebCrypto");
await without(
  { subtle: { digest: subtle.digest.bind(subtle), importKey: unsupported } },
  "signature? checkpoint?",
  "no Ed25519",
);
Object.defineProperty(globalThis, "crypto", whole);

check(lines.length > 0, "no receipts are given");
check(tried === CHANGES, `${tried} changes were tried instead of ${CHANGES}`);
for (const failure of failures.slice(0, 50)) console.error(failure);
const more = failures.length > 0 ? `; ${failures.length} checks failed` : "";
console.log(`verified ${lines.length} receipts, ${found} of ${CHANGES} changes found${more}`);
process.exitCode = failures.length > 0 ? 1 : 0;
