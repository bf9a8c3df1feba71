/**
 * Verifies Touchstone receipts offline, in a browser or in Node 20 and later, with nothing but WebCrypto.
 *
 * The rules are those of docs/verifying.md and docs/verify.py: RFC 8785 (canonical form), RFC 7515 (detached JWS),
 * RFC 8032 (Ed25519), RFC 9162 (inclusion), and C2SP signed-note, tlog-checkpoint and tlog-proof. This module shares
 * no code with the notary, makes no request, and trusts the keys that it is given.
 */

/** Greatest depth of nested arrays and objects that `parseJson` reads. */
const MAX_DEPTH = 64;
/** Bytes before the data of a leaf and of an inner node of the tree (RFC 9162, section 2.1.1). */
const [LEAF, NODE] = [Uint8Array.of(0), Uint8Array.of(1)];
const UTF8 = new TextEncoder();

/** Error for a rule that does not hold. The message is a sentence. */
class Broken extends Error {}
/** Error for a step that cannot be made, because what it needs is missing. The message is a sentence. */
class Unmade extends Error {}

function need(holds, why) {
  if (!holds) throw new Broken(why);
}

function needed(value, why) {
  if (value === undefined) throw new Unmade(why);
  return value;
}

// --- JSON ---

const SPACE = /[ \t\n\r]*/y;
const LITERAL = /true|false|null/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const UNESCAPED = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const ESCAPED = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Reads an I-JSON text (RFC 8259, RFC 7493): one value, nothing after it. Objects have no prototype, so `__proto__` is
 * a name like any other. Noncharacters are read, as by the other verifiers of receipts.
 *
 * @param {string} text
 * @returns {null | boolean | number | string | Array | Object}
 * @throws {SyntaxError} for a text that is no JSON, a byte order mark, a name given twice, a lone surrogate, nesting
 *   over 64 levels, and a number that ECMAScript writes as another decimal value (`number not exact`). The message
 *   ends with line and column, both from 1; the column counts Unicode characters.
 */
export function parseJson(text) {
  if (typeof text !== "string") throw new SyntaxError("the JSON text is not a string");
  let at = 0;

  const fail = (what, where = at) => {
    const lines = text.slice(0, where).split("\n");
    throw new SyntaxError(`${what} at line ${lines.length}, column ${Array.from(lines.pop()).length + 1}`);
  };
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  };
  const takeSign = (sign) => {
    take(SPACE);
    const isThere = text[at] === sign;
    if (isThere) at += 1;
    return isThere;
  };

  const literalOrNumber = () => {
    const [start, literal] = [at, take(LITERAL)];
    if (literal !== "") return literal === "null" ? null : literal === "true";
    const written = take(NUMBER);
    if (written === "") fail(at < text.length ? "no JSON value" : "the text ends too early");
    const value = Number(written);
    if (!Number.isFinite(value) || decimal(written) !== decimal(String(value))) fail("number not exact", start);
    return value;
  };
  const string = () => {
    const start = at++;
    let value = take(UNESCAPED);
    while (text[at] !== '"') {
      if (at === text.length) fail("the text ends within a string");
      const escape = take(ESCAPE);
      if (escape === "") fail(text[at] === "\\" ? "unknown escape in a string" : "control character in a string");
      value += escape[1] === "u" ? String.fromCharCode(parseInt(escape.slice(2), 16)) : ESCAPED[escape[1]];
      value += take(UNESCAPED);
    }
    at += 1;
    return LONE_SURROGATE.test(value) ? fail("lone surrogate in the string", start) : value;
  };
  const array = (depth) => {
    const items = [];
    if (takeSign("]")) return items;
    do items.push(value(depth));
    while (takeSign(","));
    return takeSign("]") ? items : fail("no , or ] after an item");
  };
  const object = (depth) => {
    const members = Object.create(null);
    if (takeSign("}")) return members;
    do {
      take(SPACE);
      const start = at;
      const name = text[at] === '"' ? string() : fail("no name of a member");
      if (name in members) fail(`name ${JSON.stringify(name)} given twice`, start);
      if (!takeSign(":")) fail("no : after a name");
      members[name] = value(depth);
    } while (takeSign(","));
    return takeSign("}") ? members : fail("no , or } after a member");
  };
  const value = (depth) => {
    take(SPACE);
    const sign = text[at];
    if (sign === '"') return string();
    if (sign !== "{" && sign !== "[") return literalOrNumber();
    if (depth === MAX_DEPTH) fail(`nesting over ${MAX_DEPTH} levels`);
    at += 1;
    return sign === "{" ? object(depth + 1) : array(depth + 1);
  };

  if (text[0] === "\ufeff") fail("byte order mark");
  const read = value(0);
  take(SPACE);
  return at === text.length ? read : fail("more text after the value");
}

/** Decimal value of a JSON number without its sign, in one spelling: digits without outer zeros, and the exponent. */
function decimal(written) {
  const [, whole, fraction = "", power = 0] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(written);
  const digits = whole + fraction;
  let [start, end] = [0, digits.length];
  while (start < end && digits[start] === "0") start += 1;
  while (start < end && digits[end - 1] === "0") end -= 1;
  return start === end ? "0" : `${digits.slice(start, end)}e${Number(power) - fraction.length + digits.length - end}`;
}

/**
 * Writes a JSON value in canonical form (RFC 8785): names sorted by UTF-16 code units, no white space, numbers and
 * strings as ECMAScript writes them.
 *
 * @param {null | boolean | number | string | Array | Object} value
 * @returns {string}
 * @throws {TypeError} for a value that JSON does not have, and for a lone surrogate
 */
export function canonical(value) {
  if (value === null || typeof value === "boolean" || Number.isFinite(value)) return String(value);
  if (typeof value === "string" && !LONE_SURROGATE.test(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${Array.from(value, (item) => canonical(item)).join(",")}]`;
  if (typeof value !== "object") throw new TypeError(`this ${typeof value} has no canonical form`);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${canonical(name)}:${canonical(value[name])}`).join(",")}}`;
}

const canonicalBytes = (value) => UTF8.encode(canonical(value));
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Gives an object's own member, or fails with a sentence that names it. */
function member(object, name, of = "The receipt") {
  need(isObject(object) && Object.hasOwn(object, name), `${of} has no member "${name}".`);
  return object[name];
}

// --- Bytes ---

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
const base64url = (bytes) => base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** Decodes base64 strictly: the text must be as `encode` writes its bytes, so nothing can be put in between. */
function unbase64(text, encode, name) {
  let bytes;
  try {
    bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
  } catch {
    bytes = undefined;
  }
  need(bytes !== undefined && encode(bytes) === text, `${name} is not base64 in its one spelling.`);
  return bytes;
}

function unhex(text, name) {
  need(typeof text === "string" && /^[0-9a-f]{64}$/.test(text), `${name} is not 64 lowercase hexadecimal digits.`);
  return Uint8Array.from(text.match(/../g), (byte) => parseInt(byte, 16));
}

function subtle() {
  const why = "WebCrypto is missing here: browsers have it on https and on localhost only.";
  return needed(globalThis.crypto?.subtle, why);
}

async function sha256(...parts) {
  return new Uint8Array(await subtle().digest("SHA-256", await new Blob(parts).arrayBuffer()));
}

/** Says whether `signature` is one of the Ed25519 key (RFC 8032, 32 bytes) over `message`. */
async function isSignedBy(key, signature, message) {
  need(key.length === 32, `The Ed25519 key has ${key.length} bytes instead of 32.`);
  const imported = await subtle()
    .importKey("raw", key, "Ed25519", false, ["verify"])
    .catch((why) => {
      if (why.name === "NotSupportedError") throw new Unmade("WebCrypto has no Ed25519 here.");
      throw new Broken("The key is not one of Ed25519.");
    });
  return subtle().verify("Ed25519", imported, signature, message);
}

/** Shortens a text of more than `limit` bytes to its first and last bytes, for display. */
function ends(bytes, limit = 160) {
  const text = (part) => new TextDecoder().decode(part);
  return bytes.length <= limit ? text(bytes) : `${text(bytes.subarray(0, 96))} … ${text(bytes.subarray(-48))}`;
}

// --- Verification ---

/**
 * Result of one step.
 *
 * @typedef {Object} Step
 * @property {"form" | "hash" | "signature" | "checkpoint" | "inclusion" | "rerun"} id
 * @property {string} title
 * @property {boolean | null} ok null where the step could not be made, because what it needs is missing
 * @property {string} detail the rule that holds, or why it does not, as a sentence
 * @property {Array<[string, string]>} shown labels and values of the bytes at work. Values may hold any text of the
 *   receipt: show them as text, never as markup.
 */

/**
 * Verifies one receipt. Each step is made that can be: a wrong `receipt_hash` does not keep the signature from being
 * checked. Never rejects, whatever the text holds.
 *
 * @param {string} text JSON text of the receipt, or of GET /verify's answer, whose `receipt` is then verified
 * @param {{jwks: Object | string, vkey: string}} keys the issuer's key set (RFC 7517) and its log's verifier key (C2SP
 *   signed-note), which the caller must have from a source that it trusts
 * @returns {Promise<{valid: boolean, verdict: string | null, receipt: Object | null, steps: Step[]}>} `verdict` is as
 *   the receipt states it, and counts only where `valid` is true
 */
export async function verify(text, { jwks, vkey } = {}) {
  const [given, steps] = [{}, []];
  const step = async (id, title, make) => {
    const shown = [];
    const text = (value) => (typeof value === "string" ? value : (JSON.stringify(value) ?? "none"));
    const show = (pairs) => shown.push(...Object.entries(pairs).map(([label, value]) => [label, text(value)]));
    try {
      steps.push({ id, title, ok: true, detail: await make(given, show), shown });
    } catch (why) {
      const isSentence = why instanceof Broken || why instanceof Unmade;
      const detail = isSentence ? why.message : `The step failed: ${why.message}.`;
      steps.push({ id, title, ok: why instanceof Unmade ? null : false, detail, shown });
    }
  };
  await step("form", "Form of receipt, key set and log key", (_, show) => readForm(given, { text, jwks, vkey }, show));
  await step("hash", "Hash of the payload", checkHash);
  await step("signature", "Notary's signature", checkSignature);
  await step("checkpoint", "Log's signature", checkCheckpoint);
  await step("inclusion", "Inclusion in the log", checkInclusion);
  const { receipt = null } = given;
  if (receipt?.class === "dispute") await step("rerun", "Rerun of the dispute", checkRerun);
  const verdict = typeof receipt?.verdict === "string" ? receipt.verdict : null;
  return { valid: steps.every(({ ok }) => ok === true), verdict, receipt, steps };
}

const NO_RECEIPT = "This step needs a receipt that can be read.";
const NO_ISSUER = "This step needs the receipt's iss, which is missing.";

/** Reads receipt, key set and log key, each for itself, into `given`, which lacks what could not be read. */
async function readForm(given, { text, jwks, vkey }, show) {
  const problems = [];
  const read = async (name, make) => {
    try {
      given[name] = await make();
    } catch (why) {
      problems.push(why);
    }
  };
  await read("receipt", () => readReceipt(text));
  const { iss, v, verdict } = given.receipt ?? {};
  if (given.receipt) {
    await read("host", () => {
      need(typeof iss === "string", "The receipt has no iss.");
      return /:\/\/(.*)$/s.exec(iss)?.[1] ?? "";
    });
    await read("version", () => {
      need(v === 1, "The receipt is not of version 1, the only one known here.");
      need(typeof verdict === "string", "The receipt has no verdict.");
    });
  }
  await read("jwks", () => {
    need(jwks !== undefined && jwks !== null, "No key set is given.");
    return typeof jwks === "string" ? readJson(jwks, "The key set") : jwks;
  });
  await read("log", () => readLogKey(vkey));
  show({ "issuer (iss)": iss, log: given.log?.origin, "log key id": given.log?.id });
  const broken = problems.filter((why) => why instanceof Broken);
  need(broken.length === 0, broken.map(({ message }) => message).join(" "));
  if (problems.length > 0) throw problems[0];
  return "The receipt is of version 1, and the keys can be read.";
}

function readJson(text, name) {
  try {
    return parseJson(text);
  } catch (why) {
    throw new Broken(`${name} is not JSON as it must be: ${why.message}.`);
  }
}

function readReceipt(text) {
  const read = readJson(text, "The receipt");
  const isAnswer = isObject(read) && typeof read.valid === "boolean" && !("receipt_hash" in read);
  const receipt = isAnswer ? read.receipt : read;
  need(isObject(receipt), "The text is not a receipt, which is a JSON object.");
  return receipt;
}

/** Reads a verifier key of C2SP signed-note: `origin+id+base64(1, key)`, where the id is of origin and key. */
async function readLogKey(vkey) {
  const [, origin, id, encoded] = (typeof vkey === "string" && /^([^+]*)\+([^+]*)\+(.*)$/s.exec(vkey)) || [];
  need(encoded !== undefined, "The log key is not of the form origin+id+key.");
  const key = unbase64(encoded, base64, "The log key");
  need(key[0] === 1, "The log key is not one of Ed25519 (type 1).");
  const computed = hex((await sha256(UTF8.encode(`${origin}\n`), key)).subarray(0, 4));
  need(computed === id, "The log key has another key id than its bytes give.");
  return { origin, id, key: key.subarray(1), vkey };
}

/** Writes the payload's bytes: all members but the three that are not signed, in canonical form. */
function payloadOf(receipt) {
  const outside = ["receipt_hash", "signature", "proof"];
  return canonicalBytes(Object.fromEntries(Object.entries(receipt).filter(([name]) => !outside.includes(name))));
}

async function checkHash({ receipt }, show) {
  const payload = payloadOf(needed(receipt, NO_RECEIPT));
  const computed = hex(await sha256(payload));
  show({ "canonical payload": ends(payload), "length in bytes": payload.length });
  show({ "SHA-256 computed": computed, "receipt_hash stated": receipt.receipt_hash });
  need(computed === receipt.receipt_hash, "receipt_hash is not the SHA-256 of the payload.");
  return "The SHA-256 of the payload in canonical form is receipt_hash.";
}

/** Checks a detached JWS (RFC 7515, appendix F) by the issuer's one key of this kid and role (null: no role). */
async function checkJws({ host, jwks }, { kid, signature }, { role, typ, payload }, show) {
  needed(host, NO_ISSUER);
  needed(jwks, "This step needs a key set that can be read.");
  show({ kid, signature });
  const did = `did:web:${host.replaceAll(":", "%3A").replaceAll("[", "%5B").replaceAll("]", "%5D")}`;
  need(typeof kid === "string" && kid.split("#")[0] === did, "kid is not a key of the host of iss.");
  need(Array.isArray(jwks.keys) && jwks.keys.every(isObject), "The key set has no list of keys.");
  const keys = jwks.keys.filter((key) => key.kid === kid && (key.role ?? null) === role);
  need(keys.length === 1, `The key set has ${keys.length} keys of this kid and role instead of 1.`);
  const header = canonicalBytes({ alg: "EdDSA", kid, typ });
  const message = UTF8.encode(`${base64url(header)}.${base64url(payload)}`);
  show({ "JWS header": ends(header, 1024), "key (x)": keys[0].x, "signed bytes": ends(message) });
  const key = unbase64(keys[0].x, base64url, "The key");
  const thumbprint = base64url(await sha256(canonicalBytes({ crv: "Ed25519", kty: "OKP", x: keys[0].x })));
  need(kid === `${did}#${thumbprint}`, "kid does not end with the thumbprint of its key (RFC 7638).");
  const isSigned = await isSignedBy(key, unbase64(signature, base64url, "The signature"), message);
  need(isSigned, "The signature is not one of this key over the header and the payload.");
  return keys[0];
}

/** Checks that a key may sign this leaf: the log's records of keys say from which leaf on, and until which. */
function checkRange(key, leaf) {
  const { leaf_from: from = 0, leaf_until: until = null } = key;
  const isLeaf = (value) => Number.isSafeInteger(value) && value >= 0;
  need(isLeaf(from) && (until === null || isLeaf(until)), "The range of the key is not of two leaves.");
  need(BigInt(from) <= leaf, `The leaf ${leaf} is before the key's range, which began at ${from}.`);
  need(until === null || leaf < BigInt(until), `The leaf ${leaf} is past the key's range, which ended at ${until}.`);
}

async function checkSignature(given, show) {
  const payload = payloadOf(needed(given.receipt, NO_RECEIPT));
  given.signer = await checkJws(given, given.receipt, { role: null, typ: "verdict-receipt+jws", payload }, show);
  return "The notary's receipt key signed this payload.";
}

/** Reads a signature line of C2SP signed-note. A line of an unknown name must be well-formed too. */
function readSignatureLine(line) {
  const [mark, name, encoded, ...rest] = line.split(" ");
  need(mark === "\u2014" && rest.length === 0, "A line of the note is not one of a signature.");
  const signature = unbase64(encoded, base64, "A signature of the note");
  const length = UTF8.encode(name).length;
  need(signature.length > 4 && 1 <= length && length <= 1024, "A line of the note is not one of a signature.");
  need(!/[+\p{White_Space}]/u.test(name), "A key's name in the note has a space or a plus sign.");
  return { name, id: hex(signature.subarray(0, 4)), signature: signature.subarray(4) };
}

/** Checks the signed checkpoint to its last byte: nothing may be added that nobody signed. */
async function checkCheckpoint(given, show) {
  const { proof } = needed(given.receipt, NO_RECEIPT);
  need(typeof proof === "string", "The receipt has no proof.");
  const [head, tree, signatures, ...rest] = proof.split("\n\n");
  need(signatures !== undefined && rest.length === 0, "The proof is not a path and a note of two parts.");
  const [named, size, root] = tree.split("\n");
  need(root !== undefined, "The checkpoint has not the three lines origin, size and root.");
  given.proof = { head, size, root };
  show({ checkpoint: tree });
  const lines = signatures.split("\n");
  const isWhole = lines.pop() === "" && 1 <= lines.length && lines.length <= 100;
  need(isWhole, "The note does not end with 1 to 100 whole lines.");
  const note = `${tree}\n\n${signatures}`;
  need(UTF8.encode(note).length <= 2 ** 20, "The note is over 1 MiB.");
  need(!/[\u0000-\u0009\u000b-\u001f]/.test(note), "The note has a control character.");
  const signers = lines.map(readSignatureLine);
  const log = needed(given.log, "This step needs a log key that can be read.");
  need(named === `${needed(given.host, NO_ISSUER)}/log`, "The checkpoint is not of the log of iss.");
  need(named === log.origin, "The checkpoint is of another log than the log key.");
  const ours = signers.filter(({ name, id }) => name === log.origin && id === log.id);
  need(ours.length > 0, "No signature of the note is of the log key.");
  show({ "log key": hex(log.key) });
  for (const { signature } of ours) {
    show({ signature: hex(signature) });
    const isSigned = await isSignedBy(log.key, signature, UTF8.encode(`${tree}\n`));
    need(isSigned, "The signature is not one of the log key over the checkpoint.");
  }
  // A former log key may sign no tree that has a leaf past its range.
  const keys = Array.isArray(given.jwks?.keys) ? given.jwks.keys : [];
  const known = keys.find((key) => key?.role === "log" && key.vkey === log.vkey);
  if (known) checkRange(known, readDecimal(size, "The size of the tree") - 1n);
  return `The log key signed this checkpoint of a tree of ${size} leaves.`;
}

/** Reads a decimal number of at most 20 digits in its one spelling. */
function readDecimal(text, name) {
  need(/^(?:0|[1-9][0-9]{0,19})$/.test(text), `${name} is not a decimal number in its one spelling.`);
  return BigInt(text);
}

/** Writes the receipt's entry in the log (docs/verifying.md, step 4), which shows neither its hash nor its `ref`. */
async function entryOf(receipt) {
  const [type, kid, t, v] = ["class", "kid", "signed_at", "v"].map((name) => member(receipt, name));
  const h = hex(await sha256(unhex(member(receipt, "receipt_hash"), "receipt_hash")));
  const ref = "ref" in receipt ? { ref: hex(await sha256(unhex(receipt.ref, "ref"))) } : {};
  return canonicalBytes({ class: type, h, kid, t, v, ...ref });
}

/** Checks that the tlog-proof leads from the receipt's leaf to the checkpoint's root (RFC 9162, section 2.1.3.2). */
async function checkInclusion(given, show) {
  const { receipt, proof, signer } = given;
  needed(receipt, NO_RECEIPT);
  const { head, size, root } = needed(proof, "This step needs a proof that can be read.");
  const [form, ...path] = head.split("\n");
  need(form === "c2sp.org/tlog-proof@v1", "The proof is not a tlog-proof of version 1.");
  if (path[0]?.startsWith("extra ")) {
    const { length } = unbase64(path.shift().slice(6), base64, "The proof's extra data");
    need(1 <= length && length <= 2 ** 16, "The proof's extra data is empty or over 64 KiB.");
  }
  need(path[0]?.startsWith("index "), "The proof has no line of the leaf index.");
  const index = readDecimal(path.shift().slice(6), "The leaf index");
  const leaves = readDecimal(size, "The size of the tree");
  need(index < leaves && leaves <= 2n ** 64n, "The leaf index is not one of the tree.");
  const { size: known } = member(receipt, "log_head") ?? {};
  need(Number.isInteger(known) && 0 <= known && known <= 2 ** 64, "log_head.size is not the size of a tree.");
  need(BigInt(String(known)) <= index, "log_head is later than the receipt's leaf.");
  given.leaf = index;
  if (signer !== undefined) checkRange(signer, index);

  const entry = await entryOf(receipt);
  let node = await sha256(LEAF, entry);
  show({ "log_head.size": known, entry: ends(entry, 1024), [`leaf ${index} of ${leaves}`]: hex(node) });
  let [at, last] = [index, leaves - 1n];
  for (const [number, line] of path.entries()) {
    need(last > 0n, "The path is too long for the tree.");
    const sibling = unbase64(line, base64, "A hash of the path");
    need(sibling.length === 32, "A hash of the path has not 32 bytes.");
    const isRight = at % 2n === 1n || at === last;
    node = await (isRight ? sha256(NODE, sibling, node) : sha256(NODE, node, sibling));
    show({ [`step ${number + 1}, sibling on the ${isRight ? "left" : "right"}`]: hex(sibling) });
    show({ [`step ${number + 1}, node`]: hex(node) });
    while (isRight && at % 2n === 0n && at > 0n) [at, last] = [at / 2n, last / 2n];
    [at, last] = [at / 2n, last / 2n];
  }
  show({ "root computed": base64(node), "root signed": root });
  need(last === 0n, "The path is too short for the tree.");
  need(base64(node) === root, "The path does not lead to the root that is signed.");
  return `The path leads from leaf ${index}, the receipt's entry, to the root of the tree of ${leaves} leaves.`;
}

/** Checks a dispute: the rerun's key signed the replay, and the ruling follows from it (docs/verifying.md, step 6). */
async function checkRerun(given, show) {
  const { ref, disputed, replay, rerun } = given.receipt;
  const names = ["receipt_hash", "verdict", "evidence_sha256"];
  const [hash, before, evidence] = names.map((name) => member(disputed, name, "disputed"));
  need(typeof before === "string" && typeof evidence === "string", "disputed is not of the known form.");
  if (replay !== undefined) {
    const payload = canonicalBytes(replay);
    show({ replay: ends(payload) });
    need(isObject(replay) && isObject(rerun), "replay and rerun are not objects.");
    const key = await checkJws(given, rerun, { role: "rerun", typ: "verdict-rerun+jws", payload }, show);
    // What a key found before it was replaced may be logged later; a revoked one may have been another's by then.
    if ("revoked_reason" in key) checkRange(key, needed(given.leaf, "This step needs the leaf of the receipt."));
  } else need(rerun === undefined, "There is a rerun without its replay.");
  const replayed = replay === undefined ? ref : replay.receipt_hash;
  show({ ref, "disputed.receipt_hash": hash, "replay.receipt_hash": replayed });
  need(typeof ref === "string" && ref === hash && ref === replayed, "The replay is of another receipt.");
  // A finding that is no object is as good as none, and so is a verdict that is no text.
  const finding = isObject(replay?.finding) ? replay.finding : {};
  const computed = "evidence" in finding ? hex(await sha256(canonicalBytes(finding.evidence))) : "none";
  show({ "verdict disputed": before, "verdict found": finding.verdict ?? null });
  show({ "SHA-256 of the evidence found": computed, "disputed.evidence_sha256": evidence });
  const follows = rulingOn(given.receipt, finding, computed === evidence);
  for (const [name, value] of Object.entries(follows))
    need(given.receipt[name] === value, `The ${name} does not follow from the replay, which gives ${value ?? "none"}.`);
  if (replay === undefined)
    return "No rerun was made, so the verdict can only be INCONCLUSIVE, on the notary's word alone.";
  return "The rerun's key signed the replay, and the verdict follows from it.";
}

/** The reasons of a ruling without a finding, by the outcome of the replay, or where there is none. */
const REASONS_WITHOUT_FINDING = new Map([
  ["missing", ["evidence_missing"]],
  ["refused", ["request_refused"]],
  [undefined, ["rerun_exhausted", "too_large", "another_dispute", "rerun_unavailable", "request_redacted"]],
]);

/** The members of a dispute's receipt that follow from a finding; `isKept` says that it is on the evidence disputed. */
function rulingOn({ method, reason, disputed, replay }, finding, isKept) {
  need(["dispute/1", "dispute/2"].includes(method), "The rules of the dispute are not known here.");
  const found = typeof finding.verdict === "string" ? finding.verdict : undefined;
  const outcome = replay === undefined ? undefined : (replay.outcome ?? null);
  if (outcome !== "found") {
    const reasons = REASONS_WITHOUT_FINDING.get(outcome) ?? [];
    need(found === undefined && reasons.includes(reason), "The reason does not follow from the replay.");
    return { verdict: "INCONCLUSIVE", reason, found };
  }
  need(found !== undefined, "The finding has no verdict that is a text.");
  if (found === disputed.verdict) {
    return isKept
      ? { verdict: "UPHELD", reason: "same_verdict", found }
      : { verdict: "INCONCLUSIVE", reason: "evidence_missing", found };
  }
  const rules = [disputed.method, finding.method];
  const areOthers = method !== "dispute/1" && rules.every((one) => typeof one === "string") && rules[0] !== rules[1];
  return areOthers
    ? { verdict: "INCONCLUSIVE", reason: "rules_changed", found }
    : { verdict: "OVERTURNED", reason: "other_verdict", found };
}

// --- Helpers of the pages ---

/**
 * Finds the receipt hash that a text names: the hash itself (64 lowercase hexadecimal digits), or an address or path
 * that ends in `/r/HASH`, `/receipts/HASH` (also with `.jws` or another suffix of a form) or `?hash=HASH`.
 *
 * @param {string} text
 * @returns {string | null} null where the text names none
 */
export function hashOf(text) {
  const forms = [
    /^([0-9a-f]{64})$/,
    /^(?:[^\s"]*\/)?r\/([0-9a-f]{64})(?:#\S*)?$/,
    /^(?:[^\s"]*\/)?receipts\/([0-9a-f]{64})(?:\.(?:jws|tlog-proof|cose|vc|erc8004|svg))?(?:#\S*)?$/,
    /^[^\s"]*[?&]hash=([0-9a-f]{64})(?:[&#]\S*)?$/,
  ];
  const found = forms.map((form) => form.exec(String(text).trim())).find((match) => match !== null);
  return found?.[1] ?? null;
}

/**
 * Tries whether WebCrypto has Ed25519 here, with the first public key of RFC 8032, section 7.1.
 *
 * @returns {Promise<boolean>}
 */
export async function statusOfCrypto() {
  try {
    const key = unhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "key");
    await isSignedBy(key, new Uint8Array(64), new Uint8Array());
    return true;
  } catch {
    return false;
  }
}
