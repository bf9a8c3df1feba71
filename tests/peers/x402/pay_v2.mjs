// Pays for one call as a client of x402 version 2 does: npm @x402/fetch and @x402/evm as they are.
//
//     PRIVATE_KEY=0x... node pay_v2.mjs URL [METHOD [BODY]]
//
// Environment: NETWORK (default `eip155:8453`); PAYMENT_ID sends this payment identifier; LIMITS=default keeps the
// library's own limits (known dollars only, 1 USD at most: the `local` token is refused).
// Prints {status, headers, sent, settlement, terms, receipt, body}, or {error} and exits 1 where the library gave up or
// does not accept what was served: it checks the shape of PAYMENT-REQUIRED (`terms.size` is its length), the signed
// offers and the signed receipt with keys that it fetches by did:web. `terms.discovery` and `terms.identifier` say
// whether these extensions are valid, `receipt.matchesOffer` whether the receipt is for what was offered.

import { validatePaymentRequired } from "@x402/core/schemas";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { validateDiscoveryExtension } from "@x402/extensions/bazaar";
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  findAcceptsObjectFromSignedOffer,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS,
} from "@x402/extensions/offer-receipt";
import { appendPaymentIdentifierToExtensions, validatePaymentIdentifier } from "@x402/extensions/payment-identifier";
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client, x402HTTPClient } from "@x402/fetch";
import { answer, question, recordingFetch } from "./caller.mjs";

const { url, request, account, careless } = question();
const recording = recordingFetch();

await answer(async () => {
  const client = new x402Client().register(process.env.NETWORK ?? "eip155:8453", new ExactEvmScheme(account));
  if (careless) client.setSpendControls(false);
  if (process.env.PAYMENT_ID !== undefined) {
    client.onBeforePaymentCreation(async ({ paymentRequired }) => {
      appendPaymentIdentifierToExtensions(paymentRequired.extensions ?? {}, process.env.PAYMENT_ID);
    });
  }

  let required;
  const http = new x402HTTPClient(client).onPaymentRequired(async (context) => {
    required = structuredClone(context.paymentRequired);
  });
  let size = 0;
  const measuring = async (input, init) => {
    const response = await recording.fetch(input, init);
    if (required === undefined) size = response.headers.get("PAYMENT-REQUIRED")?.length ?? 0;
    return response;
  };

  const response = await wrapFetchWithPayment(measuring, http)(url, request);
  const terms = required === undefined ? null : { size, ...(await checkedTerms(required)) };
  const header = response.headers.get("PAYMENT-RESPONSE");
  return {
    response,
    sent: recording.sent,
    settlement: header === null ? null : decodePaymentResponseHeader(header),
    terms,
    receipt: await checkedReceipt(response, terms?.offers?.[0]),
  };
});

async function checkedTerms(required) {
  validatePaymentRequired(required);
  const { bazaar, "payment-identifier": identifier } = required.extensions ?? {};
  const offers = [];
  for (const offer of decodeSignedOffers(extractOffersFromPaymentRequired(required))) {
    await verifyOfferSignatureJWS(offer.signedOffer);
    if (findAcceptsObjectFromSignedOffer(offer, required.accepts) === undefined) throw new Error("an offer of no terms");
    offers.push(offer);
  }
  return {
    required,
    offers,
    discovery: bazaar === undefined ? null : validateDiscoveryExtension(bazaar),
    identifier: identifier === undefined ? null : validatePaymentIdentifier(identifier),
  };
}

async function checkedReceipt(response, offer) {
  const receipt = extractReceiptFromResponse(response);
  if (receipt === undefined) return null;
  const payload = await verifyReceiptSignatureJWS(receipt);
  return { ...payload, matchesOffer: offer !== undefined && verifyReceiptMatchesOffer(receipt, offer, [account.address]) };
}
