import type { Logger } from "pino";
import { type Hex, keccak256, parseTransaction } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import type { Chain } from "../../config.ts";
import { traced } from "../../tracing.ts";
import type { Alarm } from "./alarm.ts";
import type { Attempt, Relay, RelayBook, Waiting } from "./book.ts";
import type { Fees } from "./fees.ts";
import type { Head, RelayNode } from "./node.ts";
import { blocksStuck, findRaise } from "./raise.ts";

/** How long a sent transaction may stay unmined before it is sent again as it is, in milliseconds. */
const resendAfter = 5000;

/** What one chain's relayer works with. */
export type RelayParts = {
  account: PrivateKeyAccount;
  chain: Chain;
  book: RelayBook;
  node: RelayNode;
  alarm: Alarm;
  log: Logger | undefined;
};

/** How a transaction is to be sent. */
export type Sending = { nonce: number; gas: bigint; fees: Fees; head: Head };

type Store = RelayBook["store"];

export type Attempts = ReturnType<typeof createAttempts>;

/** Signs a chain's relays, stores what it signed, sends it, and raises what is stuck. */
export function createAttempts({ account, chain, book, node, alarm, log }: RelayParts) {
  const own = account.address.toLowerCase();
  const sentAt = new Map<string, number>();

  return { send, push, forget: (relayId: string) => sentAt.delete(relayId) };

  /**
   * Signs a relay's next transaction, stores it, and sends it. From the storing on it is one of the relay's, whoever
   * sends it.
   *
   * @param store writes it down, and says whether it may be sent
   * @returns the relay as it stands, or null when it or the nonce went to another meanwhile, and nothing was sent
   */
  function send(row: Relay, sending: Sending, store: Store = book.store): Promise<Relay | null> {
    const about = { name: "relay", attributes: { "earnest.intent": row.intent }, parent: row.traceParent };
    return traced(about, () => signAndSend(row, sending, store));
  }

  async function signAndSend(
    row: Relay,
    { nonce, gas, fees, head }: Sending,
    store: Store,
  ): Promise<Relay | null> {
    const rawTransaction = await account.signTransaction({
      type: "eip1559",
      chainId: chain.chain_id,
      to: row.to,
      data: row.data,
      nonce,
      gas,
      ...fees,
    });
    const transactionHash = keccak256(rawTransaction);
    const sender = account.address;
    const signed = { sender, nonce, rawTransaction, transactionHash, signedBlock: head.number };
    if (!(await store(row, signed))) return null;
    const attempt = { ...signed, relayId: row.id, reverted: false, createdAt: new Date() };
    const attempts = [...row.attempts, attempt];
    const stored: Relay = { ...row, status: "signed", sender, nonce, transactionHash, attempts };
    await broadcast(stored);
    return stored;
  }

  /**
   * Sees to a relay that is on its way and not mined: raises its transaction where it is stuck, or hands it to the node
   * again.
   *
   * @param nextSince the block since which its nonce is the account's next, or null while others come first
   * @returns what it waits for if it should be raised and cannot be
   */
  async function push(row: Relay, head: Head, nextSince: bigint | null): Promise<Waiting | null> {
    const outcome = await raise(row, head, nextSince);
    if (outcome === "raised") return null;
    if (Date.now() - (sentAt.get(row.id) ?? 0) >= resendAfter) await broadcast(row);
    return outcome === "fine" ? null : outcome;
  }

  /** Replaces a stuck transaction at its nonce by one that pays more. Another key's transactions are left as they are. */
  async function raise(
    row: Relay,
    head: Head,
    nextSince: bigint | null,
  ): Promise<"fine" | "raised" | Waiting> {
    const newest = row.attempts.at(-1);
    if (!newest || newest.sender !== own) return "fine";
    const standing = readTransaction(newest);
    const fees = findRaise(standing, head, {
      // Signed at a height that the chain has not reached: a node once said it, and how old it is nobody knows.
      age: newest.signedBlock > head.number ? blocksStuck : head.number - newest.signedBlock,
      waited: nextSince === null ? null : head.number - nextSince,
      ceiling: chain.max_fee_per_gas,
    });
    if (fees === "gas_price") alarm.price(head, chain.max_fee_per_gas);
    if (typeof fees === "string") return fees;
    const balance = await node.readBalance(account.address);
    const needed = standing.gas * fees.maxFeePerGas;
    if (balance < needed) {
      alarm.empty(balance, needed);
      return "balance";
    }
    const stored = await send(row, { nonce: newest.nonce, gas: standing.gas, fees, head });
    if (!stored) return "fine";
    log?.warn({ ...aboutOf(stored), replaces: newest.transactionHash }, "relay raised");
    return "raised";
  }

  async function broadcast(row: Relay): Promise<void> {
    const newest = row.attempts.at(-1);
    if (!newest) return;
    const answer = await node.broadcast(newest.rawTransaction);
    if (answer === "unpayable") alarm.empty(await node.readBalance(account.address), null);
    else if (answer !== "taken")
      log?.warn({ ...aboutOf(row), err: answer.refused }, "the node did not take a relay");
    sentAt.set(row.id, Date.now());
  }
}

/** What a signed transaction offers for its gas, and how much it may take. */
export function readTransaction({ rawTransaction }: Attempt): Fees & { gas: bigint } {
  const read = parseTransaction(rawTransaction as `0x02${string}`);
  const { gas = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = read;
  return { gas, maxFeePerGas, maxPriorityFeePerGas };
}

/** The most wei that a relay's newest transaction may take from the wallet. */
export function costOf({ attempts }: Relay): bigint {
  const newest = attempts.at(-1);
  if (!newest) return 0n;
  const { gas, maxFeePerGas } = readTransaction(newest);
  return gas * maxFeePerGas;
}

/** What the log says of a relay. */
export function aboutOf(row: Relay): {
  relay_id: string;
  intent: string;
  transaction: Hex | null;
  nonce: number | null;
} {
  return { relay_id: row.id, intent: row.intent, transaction: row.transactionHash, nonce: row.nonce };
}
