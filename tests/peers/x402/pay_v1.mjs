// Pays for one call as a client of x402 version 1 does: npm x402-fetch as it is, with our opt-in header.
//
//     PRIVATE_KEY=0x... node pay_v1.mjs URL [METHOD [BODY]]
//
// Environment: NETWORK (default `base`); LIMITS=default keeps the library's own maximum of 0.10 USDC.
// Prints {status, headers, sent, settlement, body}, or {error} and exits 1 where the library gave up.

import { createSigner, decodeXPaymentResponse, wrapFetchWithPayment } from "x402-fetch";
import { answer, question, recordingFetch } from "./caller.mjs";

const { url, request, careless } = question();
const { fetch, sent } = recordingFetch({ "X-Accept-Payment": "x402-v1" });

await answer(async () => {
  const signer = await createSigner(process.env.NETWORK ?? "base", process.env.PRIVATE_KEY);
  const paying = wrapFetchWithPayment(fetch, signer, careless ? 10n ** 30n : undefined);
  const response = await paying(url, request);
  const header = response.headers.get("X-PAYMENT-RESPONSE");
  return { response, sent, settlement: header === null ? null : decodeXPaymentResponse(header) };
});
