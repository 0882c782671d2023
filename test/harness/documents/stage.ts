import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { Earnest } from "../../../clients/typescript/src/index.ts";
import { issuerOf } from "../../../receipts/issuer.ts";
import { runDemo } from "../../../tools/demo/order.ts";
import { createKey, expectStatus, publishService, requesterOf, signIn } from "../api.ts";
import { root } from "../programs.ts";
import type { SharedStack } from "../stack.ts";
import { blockOf } from "./blocks.ts";
import { openFolder } from "./programs.ts";

type Replacement = readonly [string | RegExp, string];
export type Stage = Awaited<ReturnType<typeof openStage>>;

/**
 * An installation as in the documents: a settled sample order, a buyer with a key, and a provider at work.
 */
export async function openStage(stack: SharedStack) {
  const { chain, baseUrl } = stack;
  const requester = requesterOf(baseUrl);
  const privateKey = generatePrivateKey();
  const [buyer, provider] = [privateKeyToAccount(privateKey), privateKeyToAccount(generatePrivateKey())];
  for (const account of [buyer, provider]) await chain.fund(account);
  const printed: string[] = [];
  const print = (line: string) => printed.push(line);
  const orderId = await runDemo({ baseUrl, rpcUrl: chain.rpcUrl, buyer, provider, print });

  const session = await signIn(requester, buyer, chain.chain.chain_id);
  const key = await createKey(requester, session, [
    "orders:read",
    "orders:write",
    "webhooks:read",
    "webhooks:write",
  ]);
  const read = async (path: string) =>
    expectStatus(200, await requester.request("GET", path, { apiKey: key }));
  const order = await read(`/orders/${orderId}`);
  const { agent_slug: agentSlug } = await read(`/orders/${orderId}/agreement`);
  const { items: receipts } = await read(`/orders/${orderId}/receipts`);
  const receipt = receipts.find(({ claim }: { claim: string }) => claim === "released");
  const reader = openFolder({
    API: `${baseUrl}/api/v1`,
    KEY: key,
    RPC: chain.rpcUrl,
    PRIVATE_KEY: privateKey,
  });
  writeFileSync(join(reader.folder, "receipt.json"), JSON.stringify(receipt));

  const seller = await signIn(requester, provider, chain.chain.chain_id);
  const offered = await publishService(requester, seller);
  const stop = new AbortController();
  const apiKey = await createKey(requester, seller, ["orders:read", "orders:write", "webhooks:read"]);
  const serving = new Earnest({ baseUrl, apiKey }).serve(
    offered.agent.slug,
    { [offered.service.slug]: async () => ({ words: 6 }) },
    { signal: stop.signal, onError: () => {} },
  );

  const issuer = issuerOf(baseUrl);
  const here: Replacement[] = [
    [/did:web:(market\.example|localhost%3A42069)/g, issuer],
    [/https:\/\/(market|earnest)\.example|http:\/\/localhost:42069/g, baseUrl],
    [/http:\/\/127\.0\.0\.1:8545|https:\/\/node\.example|<node>/g, chain.rpcUrl],
    ["eip155:8453", `eip155:${chain.chain.chain_id}`],
    ["0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", chain.chain.token.address],
    [/npm run (-s )?/g, `npm --prefix ${root} run -s `],
  ];

  return {
    ...reader,
    stack,
    requester,
    wallet: buyer,
    key,
    order,
    agentSlug,
    receipt,
    /** The provider's service, whose orders are delivered at once. */
    offered,
    /** The output of the sample order. */
    printed: printed.join("\n"),
    /** Returns a block's text with the names of this installation. */
    place: (block: string, more: Replacement[] = []): string =>
      [...more, ...here].reduce((text, [from, to]) => text.replaceAll(from, () => to), blockOf(block)),
    async placeOrder(): Promise<string> {
      const body = { service_id: order.service_id, input_payload: { text: "Guten Tag" } };
      return expectStatus(201, await requester.request("POST", "/orders", { apiKey: key, body })).id;
    },
    async close(): Promise<void> {
      stop.abort();
      await serving;
      reader.close();
    },
  };
}
