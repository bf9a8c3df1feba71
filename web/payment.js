/**
 * Payment by x402, version 2, scheme `exact`: the terms of a 402, the EIP-3009 authorization that pays them, and the
 * header that proves it. docs/payments.md describes the same for other clients.
 */

/** Decimal places of USDC, the only token that the page pays with. */
const DECIMALS = 6;
/** The longest time for which an authorization is made valid, in seconds, whatever the terms ask for. */
const MAX_VALID_S = 300;

const UNITS = /^(?:0|[1-9][0-9]{0,30})$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Error for terms that the page does not pay. The message is a sentence. */
export class Unpayable extends Error {}

const bytesOf = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
const hexOf = (bytes) => `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;

function decode(header) {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(header)));
  } catch {
    throw new Unpayable("The header PAYMENT-REQUIRED is not base64 of JSON.");
  }
}

/** Atomic units as a decimal number with at least two places: 50000 is 0.05. */
export function decimal(units) {
  const digits = units.padStart(DECIMALS + 1, "0");
  const places = digits.slice(-DECIMALS).replace(/0{1,4}$/, "");
  return `${digits.slice(0, -DECIMALS)}.${places}`;
}

/**
 * Reads the terms of a 402.
 *
 * @param {string | null} header the value of `PAYMENT-REQUIRED`
 * @param {DOMStringMap} ours chain, token and payee that the page was made for: nothing else is paid
 * @returns {{required: Object, accepted: Object, amount: string, validS: number, ours: DOMStringMap}}
 */
export function readTerms(header, ours) {
  if (!header || !ours.chain) throw new Unpayable("This notary says no terms under which the call could be paid for.");
  const required = decode(header);
  const accepts = required?.x402Version === 2 && Array.isArray(required.accepts) ? required.accepts : [];
  const same = (left, right) => typeof left === "string" && left.toLowerCase() === right.toLowerCase();
  const accepted = accepts.find(
    (terms) =>
      terms?.scheme === "exact" &&
      terms.network === `eip155:${ours.chain}` &&
      same(terms.asset, ours.token) &&
      same(terms.payTo, ours.payTo) &&
      terms.extra?.name === ours.tokenName &&
      terms.extra?.version === ours.tokenVersion,
  );
  if (!accepted || !UNITS.test(accepted.amount)) {
    throw new Unpayable("The terms name another token, network or payee than this page does. Do not pay them.");
  }
  const validS = Math.min(Number(accepted.maxTimeoutSeconds) || 0, MAX_VALID_S);
  return { required, accepted, amount: `${decimal(accepted.amount)} ${ours.symbol}`, validS, ours };
}

/**
 * The EIP-712 message of an authorization over exactly the terms, from now on, with a fresh nonce.
 *
 * @param {string} from the payer's address
 */
export function authorization({ accepted, validS, ours }, from) {
  if (!ADDRESS.test(from)) throw new Unpayable("The wallet names no address.");
  const field = (name, type) => ({ name, type });
  return {
    types: {
      EIP712Domain: [
        field("name", "string"),
        field("version", "string"),
        field("chainId", "uint256"),
        field("verifyingContract", "address"),
      ],
      TransferWithAuthorization: [
        field("from", "address"),
        field("to", "address"),
        field("value", "uint256"),
        field("validAfter", "uint256"),
        field("validBefore", "uint256"),
        field("nonce", "bytes32"),
      ],
    },
    primaryType: "TransferWithAuthorization",
    domain: {
      name: ours.tokenName,
      version: ours.tokenVersion,
      chainId: Number(ours.chain),
      verifyingContract: ours.token,
    },
    message: {
      from,
      to: ours.payTo,
      value: accepted.amount,
      validAfter: "0",
      validBefore: String(Math.floor(Date.now() / 1000) + validS),
      nonce: hexOf(crypto.getRandomValues(new Uint8Array(32))),
    },
  };
}

/** A fresh payment-identifier: with it the payer gets the answer later too, when the signed authorization is public. */
export const identifier = () => hexOf(crypto.getRandomValues(new Uint8Array(16))).slice(2);

/**
 * The value of `PAYMENT-SIGNATURE` for a signed message.
 *
 * @param {string} id the payment's identifier
 */
export function proof({ required, accepted }, message, signature, id) {
  const { resource } = required;
  const named = required.extensions?.["payment-identifier"];
  const own = named ? { "payment-identifier": { ...named, info: { ...named.info, id } } } : {};
  const extensions = { ...required.extensions, ...own };
  const payload = { signature, authorization: message };
  const text = JSON.stringify({ x402Version: 2, resource, accepted, payload, extensions });
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
