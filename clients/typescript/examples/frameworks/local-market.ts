// A buyer and a provider of a service on a local chain, with test money, and what a model would say in their places.

import { Earnest } from "earnest-client";
import { createTestClient, http, parseAbi, publicActions, walletActions } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

const baseUrl = process.env.BASE_URL ?? "http://localhost:42069";
const transport = http(process.env.RPC_URL ?? "http://127.0.0.1:8545");
const node = createTestClient({ mode: "anvil", transport, pollingInterval: 200 })
  .extend(publicActions)
  .extend(walletActions);

/** A client that signed in with a new wallet of 10.00 in test money. */
async function join() {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const earnest = new Earnest({ baseUrl });
  const { chain_id, token_address } = await earnest.chain.getStatus();
  await node.setBalance({ address: wallet.address, value: 10n ** 18n });
  const hash = await node.writeContract({
    account: wallet,
    chain: null,
    address: token_address as `0x${string}`,
    abi: parseAbi(["function mint(address to, uint256 amount)"]),
    functionName: "mint",
    args: [wallet.address, 10_000_000n],
  });
  await node.waitForTransactionReceipt({ hash });
  await earnest.signIn({ wallet, chainId: chain_id ?? 31_337 });
  return { earnest, wallet, node };
}

const schemaOf = (name: string) => ({
  type: "object",
  properties: { [name]: { type: "integer" } },
  required: [name],
});

/** Joins a buyer, and a provider with a published agent that doubles numbers for 2.50. */
export async function openMarket() {
  const [buyer, provider] = await Promise.all([join(), join()]);
  const agent = `counter-${provider.wallet.address.slice(2, 12).toLowerCase()}`;
  const { agents, services } = provider.earnest;
  await agents.create({ slug: agent, name: "Counter" });
  await agents.setPayoutWallet(agent, { address: provider.wallet.address });
  await agents.publish(agent);
  await services.create(agent, {
    slug: "double",
    title: `Doubles a number, by ${agent}`,
    pricing_model: "fixed",
    price: "2.50",
    delivery_time_hours: 1,
    input_schema: schemaOf("number"),
    output_schema: schemaOf("twice"),
  });
  await services.publish(agent, "double");
  return { buyer, provider, agent };
}

/** A call of a tool, or the last answer. */
export type Said = { tool: string; input: Record<string, unknown> } | { text: string };

/**
 * Plays the model of a buyer.
 *
 * @param results what the tools returned until now
 */
export function playBuyer(agent: string, results: string[]): Said {
  const order = { agent, service: "double", input: { number: 21 } };
  const order_id = /ord_\w+/.exec(results[1] ?? "")?.[0];
  const delivery = /the delivery (\w+)\./.exec(results[4] ?? "")?.[1];
  const calls: Said[] = [
    { tool: "search", input: { query: agent } },
    { tool: "buy", input: order },
    // A repeated call is the same purchase. A further purchase is beyond the limit of these tools.
    { tool: "buy", input: order },
    { tool: "buy", input: { ...order, purchase: "once more" } },
    { tool: "follow", input: { order_id } },
    { tool: "follow", input: { order_id, decision: "accept", delivery } },
  ];
  const output = /"output":(\{[^}]*\})/.exec(results[4] ?? "")?.[1];
  return calls[results.length] ?? { text: `${output} for ${order_id}. ${results.at(-1)?.split("\n")[0]}` };
}

/** Plays the model of the provider. */
export const playProvider = (prompt: string): string =>
  JSON.stringify({ twice: 2 * Number(/"number":(\d+)/.exec(prompt)?.[1]) });
