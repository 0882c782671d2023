import { setTimeout as sleep } from "node:timers/promises";
import { and, asc, eq, inArray, max, sql } from "drizzle-orm";
import type { Logger } from "pino";
import {
  BaseError,
  createPublicClient,
  defineChain,
  type Hex,
  http,
  InsufficientFundsError,
  keccak256,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import type { Chain } from "../config.ts";
import type { Database } from "../db/client.ts";
import type { RelayRow } from "../db/relays.ts";
import { relay } from "../db/schema.ts";
import { revertReasonOf } from "./revert-reason.ts";

export type Sender = {
  /** Whether this chain has anything queued or on its way. */
  hasWork(): Promise<boolean>;
  /** Sends what is queued and follows it to its end. The caller sees to it that nobody else does so meanwhile. */
  drain(): Promise<"done" | "blocked">;
  /** Wei of the wallet. */
  readBalance(): Promise<bigint>;
};

/** A stored row that was signed. */
type Signed = RelayRow & { sender: Hex; nonce: number; rawTransaction: Hex; transactionHash: Hex };

/** Transactions on their way at once; nodes drop more of one account. */
const mostUnmined = 16;
/** How often the contract must refuse an intent before it has failed: a node may lag behind the one asked before. */
const refusalsToFail = 3;
/** How long a sent transaction may stay unmined before it is sent again, in milliseconds. */
const resendAfter = 5000;
/** How often the log says that the wallet is empty, in milliseconds. */
const alertEvery = 60_000;

/**
 * Sends the relays of one chain from one account. Of each intent at most one transaction can be mined: it is signed
 * and stored before it is sent, after a crash the stored one is sent again, and an intent is signed anew only when
 * another transaction has used up the stored one's nonce.
 */
export function createSender(
  db: Database,
  chain: Chain,
  account: PrivateKeyAccount,
  { log, signal }: { log?: Logger; signal?: AbortSignal } = {},
): Sender {
  const client = createPublicClient({
    chain: defineChain({
      id: chain.chain_id,
      name: chain.network_name,
      nativeCurrency: { name: "native coin", symbol: "ETH", decimals: 18 },
      rpcUrls: { default: { http: [chain.rpc_url] } },
      // Only the block's own fee is paid; a high ceiling keeps a stored transaction minable when fees rise.
      fees: { baseFeeMultiplier: 3 },
    }),
    transport: http(chain.rpc_url),
    cacheTime: 0,
  });
  // What this process remembers of rows; a new process starts without and only asks the node more often.
  const sentAt = new Map<string, number>();
  const minedIn = new Map<string, bigint>();
  const overtakenSince = new Map<string, number>();
  const refusals = new Map<string, number>();
  let alertedAt = 0;

  return { hasWork, drain, readBalance: () => client.getBalance({ address: account.address }) };

  async function hasWork(): Promise<boolean> {
    const [row] = await db
      .select({ id: relay.id })
      .from(relay)
      .where(and(eq(relay.chainId, chain.chain_id), inArray(relay.status, ["queued", "signed"])))
      .limit(1);
    return row !== undefined;
  }

  async function drain(): Promise<"done" | "blocked"> {
    for (;;) {
      if (signal?.aborted) return "blocked";
      const { open, unmined } = await followSigned();
      const { sent, postponed, blocked } = await sendQueued(mostUnmined - unmined);
      if (open + sent + postponed === 0) return blocked ? "blocked" : "done";
      await sleep(chain.polling_interval, undefined, { signal }).catch(() => {});
    }
  }

  /** Brings signed rows to their end where the chain knows it, and sends the others again from time to time. */
  async function followSigned(): Promise<{ open: number; unmined: number }> {
    const rows = await readRows("signed");
    const counts = { open: 0, unmined: 0 };
    if (rows.length === 0) return counts;
    const head = await client.getBlockNumber();
    for (const row of rows as Signed[]) {
      const deepEnough = (block: bigint) => head - block + 1n >= BigInt(chain.confirmations);
      const known = minedIn.get(row.id);
      if (known !== undefined && !deepEnough(known)) {
        counts.open += 1;
        continue;
      }
      const receipt = await readReceipt(row.transactionHash);
      if (receipt && deepEnough(receipt.blockNumber)) {
        await finish(row, receipt);
        continue;
      }
      counts.open += 1;
      if (receipt) {
        minedIn.set(row.id, receipt.blockNumber);
      } else {
        minedIn.delete(row.id);
        counts.unmined += 1;
        await pursue(row);
      }
    }
    return counts;
  }

  async function finish(row: Signed, receipt: TransactionReceipt): Promise<void> {
    const error = receipt.status === "success" ? null : await reasonOfRevert(row, receipt);
    await update(row, { status: error === null ? "mined" : "failed", error });
    forget(row);
    const about = { relay_id: row.id, intent: row.intent, transaction: row.transactionHash };
    if (error === null) log?.info(about, "relay mined");
    else log?.error({ ...about, reason: error }, "relay reverted");
  }

  /** A transaction the chain does not have: sent again, or given up for a new one once it can never be mined. */
  async function pursue(row: Signed): Promise<void> {
    const nextNonce = await client.getTransactionCount({ address: row.sender, blockTag: "latest" });
    if (nextNonce <= row.nonce) {
      overtakenSince.delete(row.id);
      if (Date.now() - (sentAt.get(row.id) ?? 0) >= resendAfter) await broadcast(row);
      return;
    }
    // The nonce is used. By this very transaction, perhaps, which another node of the same provider does not show yet.
    const since = overtakenSince.get(row.id) ?? Date.now();
    overtakenSince.set(row.id, since);
    if (Date.now() - since < 10 * chain.polling_interval || (await readReceipt(row.transactionHash))) return;
    log?.warn(
      { relay_id: row.id, nonce: row.nonce },
      "another transaction used the nonce; the relay is signed anew",
    );
    await update(row, {
      status: "queued",
      sender: null,
      nonce: null,
      rawTransaction: null,
      transactionHash: null,
    });
    forget(row);
  }

  async function sendQueued(room: number): Promise<{ sent: number; postponed: number; blocked: boolean }> {
    const counts = { sent: 0, postponed: 0, blocked: false };
    if (room <= 0) return counts;
    for (const row of await readRows("queued", room)) {
      const outcome = await sendOne(row);
      if (outcome === "blocked") return { ...counts, blocked: true };
      if (outcome !== "failed") counts[outcome] += 1;
    }
    return counts;
  }

  async function sendOne(row: RelayRow): Promise<"sent" | "postponed" | "failed" | "blocked"> {
    const gas = await estimateGas(row);
    if (typeof gas === "string") return gas;
    const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
    const balance = await client.getBalance({ address: account.address });
    if (balance < gas * maxFeePerGas) return alertOfBalance(balance, gas * maxFeePerGas);
    const nonce = await chooseNonce();
    const rawTransaction = await account.signTransaction({
      type: "eip1559",
      chainId: chain.chain_id,
      to: row.to,
      data: row.data,
      nonce,
      gas,
      maxFeePerGas,
      maxPriorityFeePerGas,
    });
    const signed = {
      status: "signed" as const,
      sender: account.address,
      nonce,
      rawTransaction,
      transactionHash: keccak256(rawTransaction),
      error: null,
    };
    // Stored first: from here on this is the transaction, whoever sends it.
    if (!(await update(row, signed))) return "failed";
    refusals.delete(row.id);
    await broadcast({ ...row, ...signed });
    return "sent";
  }

  /** The gas to allow, with room for a state that moved on; or what became of the row when the contract refuses. */
  async function estimateGas(row: RelayRow): Promise<bigint | "postponed" | "failed" | "blocked"> {
    try {
      const gas = await client.estimateGas({ account: account.address, to: row.to, data: row.data });
      return (gas * 5n) / 4n;
    } catch (error) {
      if (isInsufficientFunds(error))
        return alertOfBalance(await client.getBalance({ address: account.address }));
      const reason = revertReasonOf(error);
      if (reason === null) throw error;
      const count = (refusals.get(row.id) ?? 0) + 1;
      refusals.set(row.id, count);
      if (count < refusalsToFail || (await orderHasSigned(row))) return "postponed";
      await update(row, { status: "failed", error: reason });
      refusals.delete(row.id);
      log?.error({ relay_id: row.id, intent: row.intent, reason }, "relay refused by the contract");
      return "failed";
    }
  }

  /** Whether an earlier relay of the same order is on its way, after which this one may be fine. */
  async function orderHasSigned({ orderId }: RelayRow): Promise<boolean> {
    if (orderId === null) return false;
    const [row] = await db
      .select({ id: relay.id })
      .from(relay)
      .where(and(eq(relay.orderId, orderId), eq(relay.status, "signed")))
      .limit(1);
    return row !== undefined;
  }

  async function chooseNonce(): Promise<number> {
    const pending = await client.getTransactionCount({ address: account.address, blockTag: "pending" });
    const [stored] = await db
      .select({ nonce: max(relay.nonce) })
      .from(relay)
      .where(
        and(eq(relay.chainId, chain.chain_id), eq(relay.sender, account.address), eq(relay.status, "signed")),
      );
    return Math.max(pending, (stored?.nonce ?? -1) + 1);
  }

  async function broadcast(row: Signed): Promise<void> {
    const about = {
      relay_id: row.id,
      intent: row.intent,
      transaction: row.transactionHash,
      nonce: row.nonce,
    };
    try {
      await client.sendRawTransaction({ serializedTransaction: row.rawTransaction });
      log?.info(about, "relay sent");
    } catch (error) {
      if (isInsufficientFunds(error)) {
        alertOfBalance(await client.getBalance({ address: account.address }));
      } else if (!/already known|already imported|known transaction|nonce too low/i.test(textOf(error))) {
        // It stands in the database and is tried again; only the node's answer is lost.
        log?.warn({ ...about, err: error }, "the node did not take a relay");
      }
    }
    sentAt.set(row.id, Date.now());
  }

  function alertOfBalance(balance: bigint, needed?: bigint): "blocked" {
    if (Date.now() - alertedAt < alertEvery) return "blocked";
    alertedAt = Date.now();
    log?.error(
      {
        alert: "relayer_balance_low",
        address: account.address,
        chain_id: chain.chain_id,
        balance: balance.toString(),
        needed: needed?.toString(),
      },
      "the relaying wallet cannot pay for its transactions: send it native coin",
    );
    return "blocked";
  }

  async function reasonOfRevert(row: Signed, receipt: TransactionReceipt): Promise<string> {
    try {
      await client.call({
        account: row.sender,
        to: row.to,
        data: row.data,
        blockNumber: receipt.blockNumber,
      });
    } catch (error) {
      const reason = revertReasonOf(error);
      if (reason) return reason;
    }
    return "the transaction was mined and reverted";
  }

  async function readReceipt(hash: Hex): Promise<TransactionReceipt | null> {
    try {
      return await client.getTransactionReceipt({ hash });
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return null;
      throw error;
    }
  }

  function readRows(status: "queued" | "signed", limit = 1000): Promise<RelayRow[]> {
    return db
      .select()
      .from(relay)
      .where(and(eq(relay.chainId, chain.chain_id), eq(relay.status, status)))
      .orderBy(asc(relay.createdAt), asc(relay.id))
      .limit(limit);
  }

  /** Changes a row if it still is as it was read. */
  async function update(row: RelayRow, values: Partial<RelayRow>): Promise<boolean> {
    const changed = await db
      .update(relay)
      .set({ ...values, updatedAt: sql`now()` })
      .where(
        and(
          eq(relay.id, row.id),
          eq(relay.status, row.status),
          sql`${relay.transactionHash} is not distinct from ${row.transactionHash}`,
        ),
      )
      .returning({ id: relay.id });
    return changed.length > 0;
  }

  function forget({ id }: RelayRow): void {
    for (const memory of [sentAt, minedIn, overtakenSince, refusals]) memory.delete(id);
  }
}

function isInsufficientFunds(error: unknown): boolean {
  return (
    error instanceof BaseError && error.walk((cause) => cause instanceof InsufficientFundsError) !== null
  );
}

function textOf(error: unknown): string {
  return error instanceof BaseError ? `${error.shortMessage} ${error.details}` : String(error);
}
