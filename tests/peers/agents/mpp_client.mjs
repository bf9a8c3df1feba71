// Does npm mppx pay the notary by the Machine Payments Protocol?
//
//     PRIVATE_KEY=0x... node mpp_client.mjs BASE_URL
//
// Unmodified, over HTTP (WWW-Authenticate, Authorization, Payment-Receipt), and over MCP in 2026-07-28 and 2025-11-25, where
// the challenge is an error, or a member of the result for a client that does not ask for the error. Each authorization pays
// once. The token of a development notary is known to nobody, so its name and version, which its EIP-712 domain has, are taken
// from the x402 terms.

import assert from "node:assert";
import { randomUUID } from "node:crypto";
import { Receipt } from "mppx";
import { evm, Fetch } from "mppx/client";
import { privateKeyToAccount } from "viem/accounts";

const base = process.argv[2]?.replace(/\/$/, "");
assert(base && process.env.PRIVATE_KEY, "PRIVATE_KEY=0x... node mpp_client.mjs BASE_URL");
const account = privateKeyToAccount(process.env.PRIVATE_KEY);
const json = { "Content-Type": "application/json" };
const question = () => ({ agent: "mpp-peer", content: randomUUID() });
const post = (path, body, headers = {}) => ({ url: `${base}${path}`, init: { method: "POST", body: JSON.stringify(body), headers: { ...json, ...headers } } });
const sent = ({ url, init }) => fetch(url, init);

const unpaid = await sent(post("/commit", question()));
assert.equal(unpaid.status, 402);
assert.match(unpaid.headers.get("WWW-Authenticate"), /^Payment /);
assert.match(unpaid.headers.get("Cache-Control"), /no-store/);
const [terms] = JSON.parse(Buffer.from(unpaid.headers.get("PAYMENT-REQUIRED"), "base64")).accepts;
const authorization = { name: terms.extra.name, version: terms.extra.version };

// mppx over a fetch that keeps what was sent. `asks` is false for a client that does not say what it pays by.
const requests = [];
const payer = (asks, maxAtomicAmount = "1000000") =>
  Fetch.from({
    methods: [evm.charge({ account, authorization, networks: [8453], maxAtomicAmount })],
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      if (!asks) headers.delete("Accept-Payment");
      requests.push({ url: input, init: { ...init, headers } });
      return fetch(input, { ...init, headers });
    },
  });
const pay = payer(true);

// HTTP. Both envelopes are offered; mppx takes its own.
const asked = post("/commit", question());
const paid = await pay(asked.url, asked.init);
const receipt = await paid.json();
assert.equal(paid.status, 200, JSON.stringify(receipt));
const { headers } = requests.at(-1).init;
assert.match(headers.get("Authorization"), /^Payment /);
assert.equal(headers.get("PAYMENT-SIGNATURE"), null);
const proof = Receipt.fromResponse(paid);
assert.deepEqual([proof.method, proof.status, proof.reference], ["evm", "success", receipt.payment.transaction]);
assert.match(paid.headers.get("Cache-Control"), /private/);

// The credential again: the same answer. For another question: none. The authorization in it, by x402: the same answer.
const credential = { Authorization: headers.get("Authorization") };
const again = await sent(requests.at(-1));
assert.deepEqual(await again.json(), receipt);
const other = await sent(post("/commit", question(), credential));
assert.deepEqual([other.status, (await other.json()).code], [402, "invalid_challenge"]);
assert.equal(other.headers.get("Payment-Receipt"), null);
const { payload } = JSON.parse(Buffer.from(credential.Authorization.slice("Payment ".length), "base64url"));
const { signature, type, ...authorized } = payload;
const proofOfX402 = { x402Version: 2, accepted: terms, payload: { signature, authorization: authorized } };
const encoded = Buffer.from(JSON.stringify(proofOfX402)).toString("base64");
const overX402 = await sent({ url: asked.url, init: { ...asked.init, headers: { ...json, "PAYMENT-SIGNATURE": encoded } } });
assert.deepEqual(await overX402.json(), receipt);
await assert.rejects(payer(true, "99999")(`${base}/commit`, post("/commit", question()).init), /amount/i);
console.log(`mppx, HTTP: paid ${receipt.payment.amount}, once`);

// MCP: the retry has the credential in _meta.
for (const revision of ["2026-07-28", "2025-11-25"]) {
  const isModern = revision >= "2026";
  const ofRevision = { Accept: "application/json, text/event-stream", "MCP-Protocol-Version": revision };
  if (isModern) Object.assign(ofRevision, { "Mcp-Method": "tools/call", "Mcp-Name": "commit" });
  const _meta = isModern ? { "io.modelcontextprotocol/protocolVersion": revision, "io.modelcontextprotocol/clientCapabilities": {} } : {};
  for (const asks of [true, false]) {
    const call = (more) =>
      post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "commit", arguments: question(), _meta } }, { ...ofRevision, ...more });
    const { error, result: refused } = await (await sent(call(asks ? { "Accept-Payment": "evm/charge" } : {}))).json();
    const { httpStatus, challenges } = asks ? error.data : refused._meta["org.paymentauth/payment-required"];
    assert.deepEqual([error?.code, httpStatus, challenges[0].request.amount], [asks ? -32042 : undefined, 402, terms.amount]);
    const { url, init } = call({});
    const answer = await (await payer(asks)(url, init)).json();
    assert(answer.result && !answer.result.isError, JSON.stringify(answer));
    const { reference, challengeId } = answer.result._meta["org.paymentauth/receipt"];
    assert(challengeId && reference === answer.result.structuredContent.payment.transaction);
  }
  console.log(`mppx, MCP ${revision}: paid by the error -32042, and by the challenge in a result`);
}
