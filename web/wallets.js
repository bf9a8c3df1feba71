/** The wallets that sign a payment: the development profile's own, and one that a browser extension brings (EIP-1193). */

/** The code of EIP-1193 providers for a chain that the wallet does not know. */
const UNKNOWN_CHAIN = 4902;
const SIGNATURE = /^0x[0-9a-fA-F]{2,8192}$/;

/** A value of a message as the 32 bytes that EIP-712 hashes, in hexadecimal. */
function word(value, type, hash) {
  if (type === "string") return hash(new TextEncoder().encode(value));
  const digits = String(value).startsWith("0x") ? value.slice(2) : BigInt(value).toString(16);
  return digits.toLowerCase().padStart(64, "0");
}

/** The digest of typed data (EIP-712) whose members are of one word each, as 32 bytes. */
function digest({ types, primaryType, domain, message }, keccak, toBytes) {
  const hash = (bytes) => [...keccak(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const struct = (name, value) => {
    const members = types[name].map((member) => `${member.type} ${member.name}`).join(",");
    const words = types[name].map((member) => word(value[member.name], member.type, hash));
    return hash(toBytes(hash(new TextEncoder().encode(`${name}(${members})`)) + words.join("")));
  };
  return keccak(toBytes(`1901${struct("EIP712Domain", domain)}${struct(primaryType, message)}`));
}

/**
 * The wallet of the development profile. Its key is public, and its money is worth nothing.
 *
 * @param {string} key 64 hexadecimal digits
 */
export async function devWallet(key) {
  const [{ getPublicKey, signAsync }, { keccak_256: keccak }, { bytesToHex, hexToBytes }] = await Promise.all([
    import("./vendor/noble-secp256k1/index.js"),
    import("./vendor/noble-hashes/sha3.js"),
    import("./vendor/noble-hashes/utils.js"),
  ]);
  const secret = hexToBytes(key);
  const address = `0x${bytesToHex(keccak(getPublicKey(secret, false).slice(1)).slice(-20))}`;
  const sign = async (typed) => {
    const options = { prehash: false, format: "recovered" };
    const [recovery, ...rest] = await signAsync(digest(typed, keccak, hexToBytes), secret, options);
    return `0x${bytesToHex(Uint8Array.of(...rest, 27 + recovery))}`;
  };
  return { address, sign };
}

/**
 * The wallet of a browser extension, on the chain of the payment.
 *
 * @param {{request: Function}} provider `window.ethereum`
 * @param {string} chain the chain's number
 */
export async function injectedWallet(provider, chain) {
  const [address] = await provider.request({ method: "eth_requestAccounts" });
  const chainId = `0x${Number(chain).toString(16)}`;
  if (Number(await provider.request({ method: "eth_chainId" })) !== Number(chain)) {
    try {
      await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
    } catch (error) {
      if (error?.code !== UNKNOWN_CHAIN) throw error;
      throw new Error(`The wallet does not know the chain ${chain}: add it there, and pay again.`);
    }
  }
  const sign = async (typed) => {
    const signature = await provider.request({
      method: "eth_signTypedData_v4",
      params: [address, JSON.stringify(typed)],
    });
    if (!SIGNATURE.test(signature)) throw new Error("The wallet gave no signature.");
    return signature;
  };
  return { address: String(address), sign };
}
