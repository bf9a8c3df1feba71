// An x402 facilitator as the library has it: npm @x402/core and @x402/evm, scheme `exact`, both versions.
//
//     PRIVATE_KEY=0x... RPC=http://127.0.0.1:8545 node facilitator.mjs
//
// Listens on a free port of 127.0.0.1 and prints `listening on http://127.0.0.1:PORT`. Takes POST /verify and /settle,
// GET /supported. The key's account pays for the gas. Environment: NETWORK (default `eip155:8453`).

import { createServer } from "node:http";
import { x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { registerExactEvmScheme } from "@x402/evm/exact/facilitator";
import { createWalletClient, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";

const { PRIVATE_KEY: key, RPC: rpc, NETWORK: network = "eip155:8453" } = process.env;
if (key === undefined || rpc === undefined) {
  console.error(`usage: PRIVATE_KEY=0x... RPC=http://... node ${process.argv[1]}`);
  process.exit(2);
}

const account = privateKeyToAccount(key);
const client = createWalletClient({ account, chain: base, transport: http(rpc), pollingInterval: 50 }).extend(publicActions);
const signer = toFacilitatorEvmSigner({
  address: account.address,
  getCode: (args) => client.getCode(args),
  readContract: (args) => client.readContract({ ...args, args: args.args ?? [] }),
  verifyTypedData: (args) => client.verifyTypedData(args),
  writeContract: (args) => client.writeContract({ ...args, args: args.args ?? [] }),
  sendTransaction: (args) => client.sendTransaction(args),
  waitForTransactionReceipt: (args) => client.waitForTransactionReceipt(args),
});
const facilitator = registerExactEvmScheme(new x402Facilitator(), { signer, networks: network });

async function answer(request) {
  if (request.method === "GET" && request.url === "/supported") return facilitator.getSupported();
  const { paymentPayload, paymentRequirements } = JSON.parse(await text(request));
  switch (`${request.method} ${request.url}`) {
    case "POST /verify":
      return facilitator.verify(paymentPayload, paymentRequirements);
    case "POST /settle":
      return facilitator.settle(paymentPayload, paymentRequirements);
    default:
      throw new Error(`no such route: ${request.method} ${request.url}`);
  }
}

async function text(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const server = createServer(async (request, response) => {
  let [status, body] = [200, undefined];
  try {
    body = await answer(request);
  } catch (error) {
    [status, body] = [500, { error: String(error.message ?? error) }];
  }
  const json = (_, value) => (typeof value === "bigint" ? value.toString() : value);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body, json));
});
server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
