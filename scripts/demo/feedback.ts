import {
  type Address,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  type LocalAccount,
  type PublicClient,
  parseEventLogs,
} from "viem";
import { identityRegistryAbi } from "../../abis/registries.ts";
import type { Client } from "./client.ts";

export type FeedbackOptions = {
  provider: { account: LocalAccount; client: Client };
  buyer: { account: LocalAccount; client: Client };
  reader: PublicClient;
  rpcUrl: string;
  /** as in `GET /chain/status` */
  chain: {
    chain_id: number;
    confirmations_required: number;
    erc8004: { identity_registry: Address } | null;
  };
  /** of the agent, and where its registration file is read */
  slug: string;
  registrationUrl: string;
  orderId: string;
  waitFor: <T>(what: string, ask: () => Promise<T>) => Promise<Exclude<T, false | undefined>>;
  step: (title: string) => void;
  say: (text: string) => void;
};

/** The provider registers its agent on chain (ERC-8004), and the buyer of its settled order gives it feedback there. */
export async function exchangeFeedback(options: FeedbackOptions): Promise<void> {
  const { provider, buyer, reader, rpcUrl, chain, slug, orderId, waitFor, step, say } = options;
  if (!chain.erc8004)
    throw new Error("There are no ERC-8004 registries on this chain, as far as is known here.");

  step("The provider registers the agent in the chain's Identity Registry and links it");
  const registered = await send("register", provider.account, {
    to: chain.erc8004.identity_registry,
    data: encodeFunctionData({
      abi: identityRegistryAbi,
      functionName: "register",
      args: [options.registrationUrl],
    }),
  });
  const { logs } = await reader.getTransactionReceipt({ hash: registered });
  const [event] = parseEventLogs({ abi: identityRegistryAbi, eventName: "Registered", logs });
  if (!event) throw new Error("The registration says no number.");
  const agent = await provider.client.send("PUT", `/agents/${slug}/erc8004`, {
    chain_id: chain.chain_id,
    agent_id: event.args.agentId.toString(),
  });
  say(`identity ${agent.erc8004.id}`);

  step("The buyer prepares feedback, and its own wallet gives it in the Reputation Registry");
  const path = `/orders/${orderId}/portable-feedback`;
  const { feedback: prepared } = await buyer.client.send("POST", path, {
    value: 95,
    tag1: "starred",
    comment: "Counted every word.",
  });
  say(`file     ${prepared.file_url}`);
  say(`proof    ${prepared.file.proofOfPayment.txHash}`);
  const given = await send("giveFeedback", buyer.account, prepared.call);
  await buyer.client.send("POST", `${path}/submitted`, { transaction_hash: given });
  const confirmed = await waitFor("given feedback", async () => {
    const { feedback } = await buyer.client.get(path);
    return feedback.status === "confirmed" && feedback;
  });
  say(`the feedback is ${confirmed.status}: the agent's number ${confirmed.feedback_index} from this buyer`);

  /** Waits until it counts. */
  async function send(name: string, account: LocalAccount, call: { to: Address; data: Hex }): Promise<Hex> {
    const wallet = createWalletClient({ account, transport: http(rpcUrl) });
    const hash = await wallet.sendTransaction({ chain: null, to: call.to, data: call.data });
    const confirmations = chain.confirmations_required;
    const { status, blockNumber } = await reader.waitForTransactionReceipt({ hash, confirmations });
    if (status !== "success") throw new Error(`The transaction ${hash} (${name}) reverted.`);
    say(`${name.padEnd(15)} ${hash}, block ${blockNumber}`);
    return hash;
  }
}
