import { typeid } from "typeid-js";
import {
  decodeFunctionData,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  multicall3Abi,
  type TransactionReceipt,
  toFunctionSelector,
} from "viem";
import { escrowAbi } from "../../abis/escrow.ts";
import { traced } from "../../config/tracing.ts";
import { escrowIdOf, type Terms } from "../../protocol/settlement/terms.ts";
import { multicall3Address } from "../../protocol/settlement/x402.ts";
import type { RelayRow } from "../../trade/relay/relay-queue.ts";
import { clientOf } from "../chain-client.ts";
import { batchIntent, type Ended } from "./batch-rows.ts";
import type { Blame } from "./blame.ts";
import type { Attempt, Relay } from "./relay-row.ts";
import { type RelayParts, readTransaction, type Sending, type Transactions } from "./transactions.ts";

/** A call that can be sent beside others, and its gas when it is sent alone. */
export type BatchCall = { row: Relay; gas: bigint };

/** Milliseconds after which a chain without Multicall3 is asked for it again. */
const askAgainAfter = 60_000;

/**
 * The escrow's calls that do the same for every caller: Multicall3 is the caller of a batch's calls. `returnDeposit` goes
 * alone, because it can run code of tokens that the operator has not listed.
 */
const selectors = new Set(
  escrowAbi
    .filter((item) => item.type === "function")
    .filter(
      ({ name }) =>
        /^createEscrow.+|WithSignature$/.test(name) || ["release", "refund", "settleDispute"].includes(name),
    )
    .map((item) => toFunctionSelector(item)),
);

/**
 * Sends calls of several orders in one transaction, by Multicall3. A batch is a relay itself: it is signed, stored,
 * broadcast, replaced and followed as any other. A call whose escrow emits no event in the transaction did nothing: it fails
 * with its reason, or is sent again alone.
 *
 * Multicall3 limits no call's gas. So calls of wallets with code, which can burn it, are never in a batch.
 */
export function createBatches(
  { chain, intents, node, log }: RelayParts,
  transactions: Transactions,
  isSignersFault: Blame,
) {
  let askedAt = Number.NEGATIVE_INFINITY;
  let isDeployed = false;

  return { readMost, canJoin, send, finish, isDone };

  /** The most calls of a transaction: 1 where the chain has no Multicall3. */
  async function readMost(): Promise<number> {
    if (chain.relay_batch > 1 && !isDeployed && Date.now() - askedAt >= askAgainAfter) {
      askedAt = Date.now();
      isDeployed = (await clientOf(chain).getCode({ address: multicall3Address })) !== undefined;
    }
    return isDeployed ? chain.relay_batch : 1;
  }

  /** Whether a call can be sent beside others. A call that did nothing in a batch goes alone. */
  function canJoin({ to, data, orderId, batchId }: Relay): boolean {
    return (
      orderId !== null &&
      batchId === null &&
      isAddressEqual(to, chain.escrow_contract) &&
      selectors.has(data.slice(0, 10) as Hex)
    );
  }

  /** The id of the escrow that a call of a batch changes. */
  function escrowOf({ data }: Pick<RelayRow, "data">): Hex {
    const { args } = decodeFunctionData({ abi: escrowAbi, data });
    return escrowIdOf(chain.chain_id, chain.escrow_contract, args?.[0] as Terms);
  }

  /** Whether a call of a batch did its work: each call of the escrow emits an event that names its escrow. */
  function isDone(row: RelayRow, { logs }: TransactionReceipt): boolean {
    const escrowId = escrowOf(row);
    return logs.some(
      ({ address, topics }) => isAddressEqual(address, chain.escrow_contract) && topics[1] === escrowId,
    );
  }

  /**
   * Sends calls in one transaction. Each call's own gas has room for its share of the batch's cost.
   *
   * @param calls of different orders, each of which has one escrow
   * @returns the batch, or null if another worker took a call or the nonce, and nothing was sent
   */
  async function send(calls: BatchCall[], sending: Omit<Sending, "gas">): Promise<Relay | null> {
    const rows = calls.map(({ row }) => row);
    const gas = calls.reduce((sum, call) => sum + call.gas, 0n);
    const batch = newBatch(rows, gas);
    const sent = transactions.send(batch, { ...sending, gas }, (_, signed) =>
      intents.store(batch, signed, rows),
    );
    // Each request that queued a call has the sending in its own trace.
    const spans = rows.map(({ intent, traceParent }) => {
      const attributes = { "earnest.intent": intent, "earnest.batch": batch.intent };
      return traceParent && traced({ name: "relay", attributes, parent: traceParent }, () => sent);
    });
    const [stored] = await Promise.all([sent, ...spans]);
    return stored;
  }

  function newBatch(rows: Relay[], gas: bigint): Relay {
    const id = typeid("rly").toString();
    const now = new Date();
    return {
      id,
      intent: batchIntent(id),
      chainId: chain.chain_id,
      to: multicall3Address,
      data: encodeBatch(rows),
      gasBound: Number(gas),
      status: "queued",
      orderId: null,
      accountId: null,
      signer: null,
      forFunded: false,
      traceParent: null,
      batchId: null,
      sender: null,
      nonce: null,
      transactionHash: null,
      minedBlock: null,
      minedBlockHash: null,
      error: null,
      revertedAt: null,
      gasCharged: 0,
      gasChargedBefore: 0,
      createdAt: now,
      queuedAt: now,
      updatedAt: now,
      attempts: [],
    };
  }

  /** Ends a mined batch, and each of its calls. */
  async function finish(batch: Relay, attempt: Attempt, receipt: TransactionReceipt): Promise<void> {
    const rows = await intents.readCalls(batch);
    const gasUsed = Math.ceil(Number(receipt.gasUsed) / Math.max(1, rows.length));
    const ended = await Promise.all(rows.map((row) => judge(row, attempt, receipt, gasUsed)));
    // Multicall3 may have left the chain with its block.
    if (ended.every(({ status }) => status !== "mined")) isDeployed = false;
    await intents.finishBatch(batch, attempt, receipt, ended);
    for (const [index, { status, error, blamed }] of ended.entries()) {
      const { id, intent, signer, accountId } = rows[index] as Relay;
      const about = { relay_id: id, intent, transaction: attempt.transactionHash };
      if (status === "mined") log?.info(about, "relay mined");
      else {
        const alert = blamed ? { alert: "relay_reverted", signer, account_id: accountId } : {};
        const what =
          status === "failed" ? "relay reverted" : "a call did nothing in its batch: it is sent alone";
        log?.error({ ...about, ...alert, gas_used: String(gasUsed), reason: error }, what);
      }
    }
  }

  /** A call that did nothing is run again at the batch's block. It fails with the reason it gives there. */
  async function judge(
    row: Relay,
    attempt: Attempt,
    receipt: TransactionReceipt,
    gasUsed: number,
  ): Promise<Ended> {
    const { id, signer } = row;
    if (receipt.status === "success" && isDone(row, receipt))
      return { id, status: "mined", error: null, blamed: false };
    const { gas: _, ...fees } = readTransaction(attempt);
    const error = await node.readRevertReason(row, { fees, gas: BigInt(row.gasBound) }, receipt);
    if (error !== null) {
      const blamed = await isSignersFault(row, error, { ...receipt, gasUsed });
      return { id, status: "failed", error, blamed };
    }
    // The call is fine by itself, so the batch ran out of gas. A signer that got code since then may have burnt it.
    const blamed = signer !== null && (await node.hasCode(signer));
    return { id, status: "queued", error: null, blamed };
  }
}

/** The call data of Multicall3 for these calls, each of which may fail alone. */
export function encodeBatch(calls: Pick<RelayRow, "to" | "data">[]): Hex {
  const args = [calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))] as const;
  return encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3", args });
}
