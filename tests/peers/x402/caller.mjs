// What pay_v1.mjs and pay_v2.mjs share: the words of the command line, and the line that they print.

import { privateKeyToAccount } from "viem/accounts";

const seconds = 60;

/// The call, from the command line, and the payer, from the environment.
export function question() {
  const [url, method = "POST", body] = process.argv.slice(2);
  const key = process.env.PRIVATE_KEY;
  if (url === undefined || key === undefined) {
    console.error(`usage: PRIVATE_KEY=0x... node ${process.argv[1]} URL [METHOD [BODY]]`);
    process.exit(2);
  }
  return {
    url,
    request: { method, headers: body === undefined ? {} : { "content-type": "application/json" }, body },
    account: privateKeyToAccount(key),
    careless: process.env.LIMITS !== "default",
  };
}

/// A fetch that ends, sends `extra` headers each time, and notes in `sent` the last payment header.
export function recordingFetch(extra = {}) {
  const sent = {};
  const record = async (input, init) => {
    const request = new Request(input, init);
    for (const [name, value] of Object.entries(extra)) request.headers.set(name, value);
    for (const [name, value] of request.headers) if (isProof(name)) sent[name] = value;
    return fetch(request, { signal: AbortSignal.timeout(seconds * 1000) });
  };
  return { fetch: record, sent };
}

/// Prints the answer, or what the client library threw; exits 1 on the latter only.
export async function answer(call) {
  let line;
  try {
    const { response, ...rest } = await call();
    const text = await response.text();
    const headers = Object.fromEntries([...response.headers].filter(([name]) => /^(x-)?payment-/.test(name)));
    line = { status: response.status, headers, ...rest, body: parsed(text) };
  } catch (error) {
    const cause = error.cause === undefined ? "" : `: ${error.cause.message ?? error.cause}`;
    line = { error: `${error.message ?? error}${cause}` };
    process.exitCode = 1;
  }
  console.log(JSON.stringify(line));
}

function isProof(name) {
  return name === "x-payment" || name === "payment-signature";
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
