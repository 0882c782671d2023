import { setTimeout as sleep } from "node:timers/promises";
import {
  type Account,
  type Address,
  encodeFunctionData,
  type Hex,
  type PublicClient,
  parseEventLogs,
  type Transport,
  type WalletClient,
} from "viem";
import { identityRegistryAbi } from "../../abis/registries.ts";
import type { ChainStatus, Earnest, Feedback } from "../../clients/typescript/src/index.ts";
import { timeLimit } from "./time-limit.ts";

type Wallet = WalletClient<Transport, undefined, Account>;

export type FeedbackOptions = {
  provider: Earnest;
  buyer: Earnest;
  wallets: { provider: Wallet; buyer: Wallet };
  reader: PublicClient;
  chain: ChainStatus;
  /** the agent's slug, and the URL of its registration file */
  slug: string;
  registrationUrl: string;
  orderId: string;
  step: (title: string) => void;
  say: (text: string) => void;
};

/** The provider registers its agent on chain (ERC-8004), and the buyer of its settled order gives it feedback there. */
export async function exchangeFeedback(options: FeedbackOptions): Promise<void> {
  const { provider, buyer, wallets, reader, chain, slug, orderId, step, say } = options;
  if (!chain.erc8004) throw new Error("This chain has no known ERC-8004 registries.");

  step("The provider registers the agent in the chain's Identity Registry and links it");
  const registered = await send("register", wallets.provider, {
    to: chain.erc8004.identity_registry,
    data: encodeFunctionData({
      abi: identityRegistryAbi,
      functionName: "register",
      args: [options.registrationUrl],
    }),
  });
  const { logs } = await reader.getTransactionReceipt({ hash: registered });
  const [event] = parseEventLogs({ abi: identityRegistryAbi, eventName: "Registered", logs });
  if (!event) throw new Error("The transaction of the registration has no event with the agent's number.");
  const agent = await provider.agents.identity.link(slug, {
    chain_id: chain.chain_id ?? 0,
    agent_id: event.args.agentId,
  });
  say(`identity ${agent.erc8004?.id}`);

  step("The buyer prepares feedback, and its own wallet gives it in the Reputation Registry");
  const { feedback: prepared } = await buyer.feedback.prepare(orderId, {
    value: 95,
    tag1: "starred",
    comment: "Counted every word.",
  });
  if (!prepared?.call) throw new Error("The prepared feedback has no call.");
  say(`file     ${prepared.file_url}`);
  const { proofOfPayment } = prepared.file as { proofOfPayment: { txHash: string } };
  say(`proof    ${proofOfPayment.txHash}`);
  const given = await send("giveFeedback", wallets.buyer, prepared.call);
  await buyer.feedback.submit(orderId, { transaction_hash: given });
  const confirmed = await readConfirmed();
  say(`the feedback is ${confirmed.status}: the agent's number ${confirmed.feedback_index} from this buyer`);

  async function readConfirmed(): Promise<Feedback> {
    for (
      const signal = timeLimit("The feedback was not confirmed");
      ;
      await sleep(250, undefined, { signal })
    ) {
      const { feedback } = await buyer.feedback.get(orderId, { signal });
      if (feedback?.status === "confirmed") return feedback;
    }
  }

  /** Waits until a transaction is mined. Throws if it reverted. */
  async function send(name: string, wallet: Wallet, call: { to: string; data: string }): Promise<Hex> {
    const [to, data] = [call.to as Address, call.data as Hex];
    const hash = await wallet.sendTransaction({ chain: null, to, data });
    const confirmations = chain.confirmations_required ?? 1;
    const { status, blockNumber } = await reader.waitForTransactionReceipt({ hash, confirmations });
    if (status !== "success") throw new Error(`The transaction ${hash} (${name}) reverted.`);
    say(`${name.padEnd(15)} ${hash}, block ${blockNumber}`);
    return hash;
  }
}
