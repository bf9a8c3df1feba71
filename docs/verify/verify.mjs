// Verifies a receipt offline, with Node.js 20 or newer and no package: node verify.mjs RECEIPT JWKS VKEY
// Makes the checks of docs/verifying.md, except a dispute's rerun. Exit code 0: they hold, 1: one does not, 2: it cannot say.
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

// C2SP tlog-proof with its signed note, to the last byte: nothing may be added that nobody signed, and base64 has one spelling.
const BASE64 = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?";
const [HASH, NUMBER] = ["[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=", "(0|[1-9][0-9]{0,14})"];
const PATH = `c2sp\\.org/tlog-proof@v1\n(?:extra (?=.)${BASE64}\n)?index ${NUMBER}\n((?:${HASH}\n)*)`;
const SIGNATURES = `((?:\u2014 [^+\\p{White_Space}\\0-\\x1f]+ (?=[^=\n]{7})${BASE64}\n){1,100})`;
const PROOF = new RegExp(`^${PATH}\n(([^\n]+)\n${NUMBER}\n(${HASH})\n(?:[^\n]+\n)*)\n${SIGNATURES}$`, "u");

const sha = (...parts) => createHash("sha256").update(Buffer.concat(parts.map((part) => Buffer.from(part)))).digest();
const shaOfHex = (hex) => sha(Buffer.from(hex, "hex")).toString("hex");
const b64u = (data) => Buffer.from(data).toString("base64url");
const members = (value) => Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${jcs(value[name])}`);
const jcs = (value) => // RFC 8785
  Array.isArray(value) ? `[${value.map(jcs)}]` : Object(value) === value ? `{${members(value)}}` : JSON.stringify(value);
const countNames = (json) => json.match(/"(?:[^"\\]|\\.)*"\s*:?/g).filter((token) => token.endsWith(":")).length;
const jwk = (x) => ({ crv: "Ed25519", kty: "OKP", x });
const hasSigned = (x, data, text) => verify(null, Buffer.from(text), createPublicKey({ key: jwk(x), format: "jwk" }), data);
const need = (holds, why, exit = 1) => { if (!holds) throw new Error(why, { cause: exit }); };

// The root of the tree from the node at this index, with the path from the top (RFC 9162, section 2.1.3).
function rootOf(node, index, size, [sibling, ...path]) {
  if (size === 1 && sibling === undefined) return node;
  const left = 2 ** ((size - 1).toString(2).length - 1);
  if (index < left) return sha([1], rootOf(node, index, left, path), sibling);
  return sha([1], sibling, rootOf(node, index - left, size - left, path));
}

let exit = 2;
try {
  const [text, jwks, vkey] = [readFileSync(process.argv[2], "utf8"), readFileSync(process.argv[3]), process.argv[4]];
  const [{ keys }, [origin, id, ...logKey]] = [JSON.parse(jwks), vkey.split("+")];
  const logX = b64u(Buffer.from(logKey.join("+"), "base64").subarray(1));
  exit = 1;
  const { receipt_hash, signature, proof, ...payload } = JSON.parse(text);
  const [{ iss, kid, signed_at: t, ref }, host] = [payload, payload.iss.split("://")[1]];
  need(payload.v === 1 && countNames(text) === countNames(jcs(JSON.parse(text))), "another version, or a name is given twice");
  need(sha(jcs(payload)).toString("hex") === receipt_hash, "receipt_hash is not the SHA-256 of the payload");
  const key = keys.find((key) => key.kid === kid && key.role === undefined);
  need(key, "the key set has no receipt key of this kid", 2);
  need(kid === `did:web:${encodeURIComponent(host)}#${b64u(sha(jcs(jwk(key.x))))}`, "kid is not of iss and its key");
  const [header, bytes] = [jcs({ alg: "EdDSA", kid, typ: "verdict-receipt+jws" }), Buffer.from(signature, "base64url")];
  const isSigned = b64u(bytes) === signature && hasSigned(key.x, bytes, `${b64u(header)}.${b64u(jcs(payload))}`);
  need(isSigned, "the signature is not one of the key");
  need(proof !== undefined, "the receipt has no proof", 2);
  const parts = PROOF.exec(typeof proof === "string" ? proof : "") ?? need(false, "the proof is not a tlog-proof");
  const [, at, path, tree, named, size, root, lines] = parts;
  need(named === origin && origin === `${host}/log`, "the checkpoint is not of the log of iss");
  const signatures = [...lines.matchAll(/(\S+) (\S+)\n/g)].filter(([, name]) => name === origin);
  const ours = signatures.map(([, , data]) => Buffer.from(data, "base64")).filter((data) => data.toString("hex", 0, 4) === id);
  need(ours.length > 0, "no signature of the checkpoint is of the log key");
  need(ours.every((data) => hasSigned(logX, data.subarray(4), tree)), "the log key has not signed the checkpoint");
  const log = keys.find((key) => key.role === "log" && key.vkey === vkey) ?? {};
  const isOfTree = (log.leaf_from ?? 0) <= size - 1 && size - 1 < (log.leaf_until ?? +size);
  need(isOfTree, "the tree is not one that the log key may sign");
  const entry = jcs({ class: payload.class, h: shaOfHex(receipt_hash), kid, t, v: 1, ...("ref" in payload && { ref: shaOfHex(ref) }) });
  const siblings = path.split("\n").slice(0, -1).map((line) => Buffer.from(line, "base64")).reverse();
  need(+at < +size, "the leaf index is not one of the tree");
  need((key.leaf_from ?? 0) <= +at && +at < (key.leaf_until ?? +size), "the leaf is not in the range of the key");
  const computed = rootOf(sha([0], entry), +at, +size, siblings).toString("base64");
  need(computed === root, "the path does not lead to the root that is signed");
  need(payload.log_head.size <= +at, "log_head is later than the receipt's leaf");
  need(payload.class !== "dispute", "docs/verify.py checks the rerun of a dispute, and this does not", 2);
  console.log(`valid: ${payload.verdict}`);
  exit = 0;
} catch (why) {
  exit = why.cause ?? exit;
  console.log(`${exit === 1 ? "not valid" : "cannot say"}: ${why.message}`);
}
process.exitCode = exit;
