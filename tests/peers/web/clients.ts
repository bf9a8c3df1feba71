/** Calls a notary by generated clients: node clients.js BASE_URL. See ../clients.sh. */
import { client } from "./heyapi/client.gen";
import { claimVerdict, commit, screenEntity } from "./heyapi/sdk.gen";
import type { paths } from "./types";

type Claim = paths["/claim-verdict"]["post"]["requestBody"]["content"]["application/json"];

declare const process: { argv: string[]; exit(code: number): never };

async function main(): Promise<void> {
  const base = process.argv[2];
  if (!base) throw new Error("clients.js BASE_URL");
  client.setConfig({ baseUrl: base });
  const question: Claim = {
    agent: "typescript-client",
    claim: "This notary is for trying out.",
    resolver: { type: "url_json", url: `${base}/health`, path: "profile", expect: "dev" },
  };
  const claim = await claimVerdict({ body: question });
  const verdict: "CONFIRMED" | "REFUTED" | "UNRESOLVED" | undefined = claim.data?.verdict;
  const screened = await screenEntity({ body: { agent: "typescript-client", entity: "Viktor Anatolyevich Bout" } });
  const committed = await commit({ body: { agent: "typescript-client", content: { a: 1 } } });
  const terms = committed.error && "accepts" in committed.error ? committed.error.accepts[0].amount : undefined;
  if (verdict !== "CONFIRMED" || screened.data?.matches[0]?.verdict !== "MATCH" || terms !== "0.10") {
    throw new Error(JSON.stringify({ claim: claim.error, screened: screened.error, committed: committed.error }));
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
