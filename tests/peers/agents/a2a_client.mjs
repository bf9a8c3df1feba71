// Does @a2a-js/sdk speak with the notary, and believe its card?
//
//     node a2a_client.mjs BASE_URL
//
// Unmodified: it verifies the card's signature, and that a changed card has none; a message answers a free call; a task waits for
// the payment of a call that costs; unknown tasks, other versions and questions of no skill are refused.

import assert from "node:assert";
import { randomUUID } from "node:crypto";
import { Role, TaskState, verifyAgentCardSignature } from "@a2a-js/sdk";
import { ClientFactory, ClientFactoryOptions, ServiceParameters, withA2AExtensions } from "@a2a-js/sdk/client";
import { ContentTypeNotSupportedError, TaskNotFoundError } from "@a2a-js/sdk/errors";

const base = process.argv[2]?.replace(/\/$/, "");
assert(base, "node a2a_client.mjs BASE_URL");
const x402 = "https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2";
// The verifier prints each signature that does not fit.
console.debug = () => {};

const card = await (await fetch(`${base}/.well-known/agent-card.json`)).json();
const verify = verifyAgentCardSignature(async (kid, jku) => {
  assert(!jku || jku.startsWith(base), `the keys are elsewhere: ${jku}`);
  const { keys } = await (await fetch(jku ?? `${base}/.well-known/jwks.json`)).json();
  return keys.find((key) => key.kid === kid);
});
await verify(card);
await assert.rejects(verify({ ...card, name: "Impostor" }));
await assert.rejects(verify({ ...card, supportedInterfaces: [{ ...card.supportedInterfaces[0], url: "https://evil.example/" }] }));

const client = await new ClientFactory(ClientFactoryOptions.default).createFromUrl(base);
const asking = (skill, input) => ({
  message: {
    messageId: randomUUID(),
    role: Role.ROLE_USER,
    parts: [{ content: { $case: "data", value: { skill, input } }, mediaType: "application/json" }],
  },
});

const free = await client.sendMessage(asking("scan-text", { agent: `a2a-js-peer-${randomUUID()}`, text: "Hello there." }));
assert(free.parts, `a free call is no message: ${JSON.stringify(free)}`);
assert.equal(free.parts[0].content.value.class, "scan-text");

const headers = ServiceParameters.create(withA2AExtensions([x402]));
const task = await client.sendMessage(asking("commit", { agent: "a2a-js-peer", content: randomUUID() }), { serviceParameters: headers });
assert.equal(task.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED);
assert.equal(task.status.message.metadata["x402.payment.status"], "payment-required");
assert.equal(task.status.message.metadata["x402.payment.required"].accepts[0].scheme, "exact");
const waiting = await client.getTask({ id: task.id });
assert.deepEqual([waiting.id, waiting.status.state], [task.id, TaskState.TASK_STATE_INPUT_REQUIRED]);

const file = asking("commit", {});
file.message.parts = [{ content: { $case: "url", value: "https://files.example/question" } }];
await assert.rejects(client.sendMessage(file), ContentTypeNotSupportedError);
await assert.rejects(client.sendMessage(asking("no-such-skill", {})), /skill/);
await assert.rejects(client.getTask({ id: "no-such-task" }), TaskNotFoundError);
// The SDK always says 1.0, so other versions are asked for by hand.
const { url } = card.supportedInterfaces.find(({ protocolBinding }) => protocolBinding === "JSONRPC");
for (const version of [{ "A2A-Version": "0.3" }, { "A2A-Version": "2.0" }, {}]) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: task.id } });
  const answer = await (await fetch(url, { method: "POST", body, headers: { "Content-Type": "application/json", ...version } })).json();
  assert.equal(answer.error?.code, -32009, JSON.stringify(answer));
}
console.log(`@a2a-js/sdk: a signed card of ${card.skills.length} skills, a free answer, a task that asks for payment`);
