import type { Logger } from "pino";
import { type Hex, keccak256, parseTransaction } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import type { Chain } from "../../config/config.ts";
import { inSpan } from "../../config/tracing.ts";
import { type Fees, findRaise, replacedAfterBlocks } from "./fees.ts";
import type { Head, RelayNode } from "./relay-node.ts";
import type { Attempt, Relay } from "./relay-row.ts";
import type { RelayStore } from "./relay-store.ts";
import type { Waiting, Wallet } from "./relayer-wallet.ts";

/** Milliseconds after which an unmined transaction is broadcast again. */
const resendAfter = 5000;

/** The parts of one chain's relayer. */
export type RelayParts = {
  account: PrivateKeyAccount;
  chain: Chain;
  relays: RelayStore;
  node: RelayNode;
  wallet: Wallet;
  log: Logger | undefined;
};

/** The values with which a transaction is sent. */
export type Sending = { nonce: number; gas: bigint; fees: Fees; head: Head };

type Store = RelayStore["store"];

export type Transactions = ReturnType<typeof createTransactions>;

/** Signs, stores and broadcasts the transactions of one chain's relays, and replaces those that are stuck. */
export function createTransactions({ account, chain, relays, node, wallet, log }: RelayParts) {
  const own = account.address.toLowerCase();
  const sentAt = new Map<string, number>();

  return { send, push, forget: (relayId: string) => sentAt.delete(relayId) };

  /**
   * Signs a relay's next transaction, stores it, and then broadcasts it. Any worker may broadcast a stored transaction.
   *
   * @param store stores the transaction, and decides whether it may be broadcast
   * @returns the relay as stored, or null if another worker took the relay or the nonce, and nothing was sent
   */
  function send(row: Relay, sending: Sending, store: Store = relays.store): Promise<Relay | null> {
    const about = { name: "relay", attributes: { "earnest.relay_key": row.key }, parent: row.traceParent };
    return inSpan(about, () => signAndSend(row, sending, store));
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
   * Replaces a relay's unmined transaction if it is stuck, or broadcasts it again.
   *
   * @param nextSince the block since which its nonce is the account's next, or null while others come first
   * @returns why a due replacement is not possible
   */
  async function push(row: Relay, head: Head, nextSince: bigint | null): Promise<Waiting | null> {
    const outcome = await raise(row, head, nextSince);
    if (outcome === "raised") return null;
    if (Date.now() - (sentAt.get(row.id) ?? 0) >= resendAfter) await broadcast(row);
    return outcome === "fine" ? null : outcome;
  }

  /** Replaces a stuck transaction at its nonce by one that pays more. Transactions of another key stay as they are. */
  async function raise(
    row: Relay,
    head: Head,
    nextSince: bigint | null,
  ): Promise<"fine" | "raised" | Waiting> {
    const newest = row.attempts.at(-1);
    if (!newest || newest.sender !== own) return "fine";
    const current = readTransaction(newest);
    const fees = findRaise(current, head, {
      // A signed block beyond the head means that a node reported a wrong height. The age is then unknown.
      age: newest.signedBlock > head.number ? replacedAfterBlocks : head.number - newest.signedBlock,
      waited: nextSince === null ? null : head.number - nextSince,
      ceiling: chain.max_fee_per_gas,
    });
    if (fees === "gas_price") wallet.alertPrice(head, chain.max_fee_per_gas);
    if (typeof fees === "string") return fees;
    const balance = await node.readBalance(account.address);
    const { wei } = await node.readDataFee(row, fees);
    const needed = current.gas * fees.maxFeePerGas + wei;
    if (balance < needed) {
      wallet.alertEmpty(balance, needed);
      return "balance";
    }
    const stored = await send(row, { nonce: newest.nonce, gas: current.gas, fees, head });
    if (!stored) return "fine";
    log?.warn(
      { ...logFieldsOf(stored), replaces: newest.transactionHash },
      "relay replaced with higher fees",
    );
    return "raised";
  }

  async function broadcast(row: Relay): Promise<void> {
    const newest = row.attempts.at(-1);
    if (!newest) return;
    const answer = await node.broadcast(newest.rawTransaction);
    if (answer === "unpayable") wallet.alertEmpty(await node.readBalance(account.address), null);
    else if (answer !== "taken")
      log?.warn({ ...logFieldsOf(row), err: answer.refused }, "the node refused a relay");
    sentAt.set(row.id, Date.now());
  }
}

/** Reads the gas limit and the fees of a signed transaction. */
export function readTransaction({ rawTransaction }: Attempt): Fees & { gas: bigint } {
  const read = parseTransaction(rawTransaction as `0x02${string}`);
  const { gas = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = read;
  return { gas, maxFeePerGas, maxPriorityFeePerGas };
}

/** Computes the most wei that a relay's newest transaction can cost. */
export function costOf({ attempts }: Relay): bigint {
  const newest = attempts.at(-1);
  if (!newest) return 0n;
  const { gas, maxFeePerGas } = readTransaction(newest);
  return gas * maxFeePerGas;
}

/** Returns the fields of a relay's log lines. */
export function logFieldsOf(row: Relay): {
  relay_id: string;
  relay_key: string;
  transaction: Hex | null;
  nonce: number | null;
} {
  return { relay_id: row.id, relay_key: row.key, transaction: row.transactionHash, nonce: row.nonce };
}
