/**
 * Reads a receipt in its form `.vc` with the libraries of Digital Bazaar, and has them refuse mutants.
 *
 * node credential.mjs BASE_URL, of a development notary without limits. A DID's document is fetched as did:web has it, but over HTTP.
 */
import * as vc from "@digitalbazaar/vc";
import { DataIntegrityProof } from "@digitalbazaar/data-integrity";
import { createVerifyCryptosuite } from "@digitalbazaar/eddsa-jcs-2022-cryptosuite";
import { contexts } from "@digitalbazaar/credentials-context";

const base = process.argv[2];
const multikey = "https://w3id.org/security/multikey/v1";

async function json(path, question) {
  const answer = await fetch(base + path, question && { method: "POST", body: JSON.stringify(question) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return [answer, await answer.json()];
}

const [, did] = await json("/.well-known/did.json");

/** The base context, which the library has, and what the notary's own DID document says. Nothing else is there. */
async function documentLoader(url) {
  const document = contexts.get(url) ?? found(url);
  if (!document) throw new Error(`nothing is at ${url}`);
  return { contextUrl: null, documentUrl: url, document };
}

function found(url) {
  if (url === did.id) return did;
  const method = did.verificationMethod.find((method) => method.id === url);
  return method && { "@context": multikey, ...method };
}

async function isValid(credential) {
  const suite = new DataIntegrityProof({ cryptosuite: createVerifyCryptosuite() });
  const result = await vc.verifyCredential({ credential, suite, documentLoader });
  return { isValid: result.verified, error: result.error };
}

/**
 * The credential with each of its values changed in turn and each member left out, but for one: a context that is added behind those of
 * the proof is cut off before the proof is verified (Data Integrity EdDSA Cryptosuites 1.0, section 3.3.2, step 4).
 */
function* mutants(credential) {
  const places = [];
  const walk = (value, path) => {
    if (path.length) places.push(path);
    if (value && typeof value === "object") for (const name of Object.keys(value)) walk(value[name], [...path, name]);
  };
  walk(credential, []);
  for (const path of places) {
    const last = path.at(-1);
    for (const change of [changed, left]) {
      if (path.join() === "@context" && change === changed) continue;
      const copy = structuredClone(credential);
      const holder = path.slice(0, -1).reduce((value, name) => value[name], copy);
      change(holder, last);
      yield [path.join("/"), copy];
    }
  }
}

function changed(holder, name) {
  const value = holder[name];
  if (typeof value === "string") holder[name] = value.slice(0, -1) + (value.endsWith("a") ? "b" : "a");
  else if (typeof value === "number") holder[name] = value + 1;
  else if (typeof value === "boolean") holder[name] = !value;
  else if (Array.isArray(value)) value.push("another");
  else if (value) value.another = true;
  else holder[name] = 0;
}

function left(holder, name) {
  if (Array.isArray(holder)) holder.splice(Number(name), 1);
  else delete holder[name];
}

const [asked, receipt] = await json("/scan-text", { agent: "credential", text: "hello" });
const [answer, credential] = await json(`/receipts/${receipt.receipt_hash}.vc`);
const links = (await fetch(`${base}/receipts/${receipt.receipt_hash}`)).headers.get("link");
if (!links.includes(`</receipts/${receipt.receipt_hash}.vc>; rel="alternate"; type="application/vc"`)) throw new Error(links);
if (answer.headers.get("content-type") !== "application/vc") throw new Error("the media type");
const given = await isValid(credential);
if (!given.isValid) throw new Error(`the credential does not verify: ${JSON.stringify(given.error, null, 1)}`, { cause: given.error });
if (credential.credentialSubject.receipt.receipt_hash !== receipt.receipt_hash) throw new Error("another receipt");
if (credential.issuer !== did.id) throw new Error("another issuer");

let refused = 0;
for (const [path, mutant] of mutants(credential)) {
  const said = await isValid(mutant).catch(() => ({ isValid: false }));
  if (said.isValid) throw new Error(`a credential with another ${path} verifies`);
  refused += 1;
}
console.log(`credentials: @digitalbazaar/vc verifies the notary's, and refuses ${refused} mutants`);
