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
import { inSpan } from "../../config/tracing.ts";
import { escrowIdOf, type Terms } from "../../protocol/settlement/terms.ts";
import { multicall3Address } from "../../protocol/settlement/x402.ts";
import { gasBounds } from "../../trade/relay/gas-bounds.ts";
import type { RelayRow } from "../../trade/relay/relay-queue.ts";
import { clientOf } from "../chain-client.ts";
import { batchKey, type CallResult } from "./batch-rows.ts";
import { blockOf, executionGasOf } from "./data-fees.ts";
import type { Attempt, Relay } from "./relay-row.ts";
import type { SignerFaultCheck } from "./signer-fault.ts";
import { type RelayParts, readTransaction, type Sending, type Transactions } from "./transactions.ts";

/** A call that can be batched. `gas` is its gas limit and `dataWei` its data fee in wei, if it is sent alone. */
export type BatchCall = { row: Relay; gas: bigint; dataWei: bigint };

export const gasOf = (calls: readonly BatchCall[]): bigint => calls.reduce((sum, { gas }) => sum + gas, 0n);

/** Milliseconds after which a chain without Multicall3 is checked again. */
const checkAgainAfter = 60_000;

/**
 * The escrow's calls that have the same effect for every caller, since Multicall3 is the caller of a batch's calls.
 * `returnDeposit` goes alone, because it can run code of tokens that the operator has not listed.
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
 * broadcast, replaced and followed like any other. A call had no effect if its escrow emits no event in the
 * transaction. It then fails with its reason, or is sent again alone.
 *
 * Multicall3 does not limit the gas of a call. So calls of wallets with code, which can burn gas, are never batched.
 */
export function createBatches(
  { chain, relays, node, log }: RelayParts,
  transactions: Transactions,
  isSignersFault: SignerFaultCheck,
) {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let isDeployed = false;

  return { readMost, canJoin, hasRoom, send, finish, isDone };

  /** Reads the most calls of a transaction: 1 if the chain has no Multicall3. */
  async function readMost(): Promise<number> {
    if (chain.relay_batch > 1 && !isDeployed && Date.now() - checkedAt >= checkAgainAfter) {
      checkedAt = Date.now();
      isDeployed = (await clientOf(chain).getCode({ address: multicall3Address })) !== undefined;
    }
    return isDeployed ? chain.relay_batch : 1;
  }

  /**
   * Whether a call can be batched. A call without effect in an earlier batch goes alone.
   *
   * @param hasCode whether a wallet with code signed the call; its code can burn the gas of a whole batch
   */
  function canJoin({ to, data, orderId, batchId }: Relay, hasCode: boolean): boolean {
    return (
      !hasCode &&
      orderId !== null &&
      batchId === null &&
      isAddressEqual(to, chain.escrow_contract) &&
      selectors.has(data.slice(0, 10) as Hex)
    );
  }

  /** Whether a batch can take a further call: its gas is bounded, and each of its calls is of another order. */
  function hasRoom(calls: readonly BatchCall[], call: BatchCall): boolean {
    const isFull = gasOf([...calls, call]) > BigInt(gasBounds.batch);
    return !isFull && calls.every(({ row }) => row.orderId !== call.row.orderId);
  }

  /** Returns the id of the escrow that a call of a batch changes. */
  function escrowOf({ data }: Pick<RelayRow, "data">): Hex {
    const { args } = decodeFunctionData({ abi: escrowAbi, data });
    return escrowIdOf(chain.chain_id, chain.escrow_contract, args?.[0] as Terms);
  }

  /** Whether a call of a batch had its effect: each call of the escrow emits an event that names its escrow. */
  function isDone(row: RelayRow, { logs }: TransactionReceipt): boolean {
    const escrowId = escrowOf(row);
    return logs.some(
      ({ address, topics }) => isAddressEqual(address, chain.escrow_contract) && topics[1] === escrowId,
    );
  }

  /**
   * Sends calls in one transaction. Each call's own gas includes its share of the batch's cost.
   *
   * @param calls of different orders, each of which has one escrow
   * @returns the batch, or null if another worker took a call or the nonce, and nothing was sent
   */
  async function send(calls: BatchCall[], sending: Omit<Sending, "gas">): Promise<Relay | null> {
    const rows = calls.map(({ row }) => row);
    const gas = gasOf(calls);
    const batch = newBatch(rows, gas);
    const sent = transactions.send(batch, { ...sending, gas }, (_, signed) =>
      relays.store(batch, signed, rows),
    );
    // The trace of each request that queued a call includes the sending.
    const spans = rows.map(({ key, traceParent }) => {
      const attributes = { "earnest.relay_key": key, "earnest.batch": batch.key };
      return traceParent && inSpan({ name: "relay", attributes, parent: traceParent }, () => sent);
    });
    const [stored] = await Promise.all([sent, ...spans]);
    return stored;
  }

  function newBatch(rows: Relay[], gas: bigint): Relay {
    const id = typeid("rly").toString();
    const now = new Date();
    return {
      id,
      key: batchKey(id),
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
    const rows = await relays.readCalls(batch);
    const gasUsed = Math.ceil(Number(executionGasOf(receipt)) / Math.max(1, rows.length));
    const ended = await Promise.all(rows.map((row) => resultOf(row, attempt, receipt, gasUsed)));
    // A reorganisation may have removed Multicall3.
    if (ended.every(({ status }) => status !== "mined")) isDeployed = false;
    await relays.finishBatch(batch, attempt, blockOf(receipt, chain), ended);
    for (const [index, { status, error, blamesSigner }] of ended.entries()) {
      const { id, key, signer, accountId } = rows[index] as Relay;
      const about = { relay_id: id, relay_key: key, transaction: attempt.transactionHash };
      if (status === "mined") log?.info(about, "relay mined");
      else {
        const alert = blamesSigner ? { alert: "relay_reverted", signer, account_id: accountId } : {};
        const what =
          status === "failed" ? "relay reverted" : "a call had no effect in its batch: it is sent alone";
        log?.error({ ...about, ...alert, gas_used: String(gasUsed), reason: error }, what);
      }
    }
  }

  /**
   * Checks a call of a mined batch. A call without effect is run again at the batch's block, and fails with that error.
   */
  async function resultOf(
    row: Relay,
    attempt: Attempt,
    receipt: TransactionReceipt,
    gasUsed: number,
  ): Promise<CallResult> {
    const { id, signer } = row;
    if (receipt.status === "success" && isDone(row, receipt))
      return { id, status: "mined", error: null, blamesSigner: false };
    const { gas: _, ...fees } = readTransaction(attempt);
    const error = await node.readRevertReason(row, { fees, gas: BigInt(row.gasBound) }, receipt);
    if (error !== null) {
      const blamesSigner = await isSignersFault(row, error, { ...receipt, gasUsed });
      return { id, status: "failed", error, blamesSigner };
    }
    // The call succeeds by itself, so the batch ran out of gas. A signer that got code since then may have burnt it.
    const blamesSigner = signer !== null && (await node.hasCode(signer));
    return { id, status: "queued", error: null, blamesSigner };
  }
}

/** Encodes the calls for Multicall3. Each call may fail alone. */
export function encodeBatch(calls: Pick<RelayRow, "to" | "data">[]): Hex {
  const args = [calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))] as const;
  return encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3", args });
}
