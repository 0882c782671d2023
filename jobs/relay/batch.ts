import { typeid } from "typeid-js";
import { decodeEventLog, type Hex, type TransactionReceipt, toFunctionSelector } from "viem";
import { batchAbi } from "../../abis/batch.ts";
import { escrowAbi } from "../../abis/escrow.ts";
import { batchContract, hasBatch } from "../../deploy/batch.ts";
import { traced } from "../../tracing.ts";
import { gasBounds } from "../../trade/relay/gas.ts";
import { clientOf } from "../chain-client.ts";
import type { Attempts, RelayParts, Sending } from "./attempts.ts";
import { batchIntent, type Ended } from "./batch-book.ts";
import type { Attempt, Relay } from "./book.ts";
import { arrange, encodeBatch } from "./packing.ts";
import { readReason } from "./revert-reason.ts";

/** A call that may be made beside others, and the gas that it is given. */
export type BatchCall = { row: Relay; gas: bigint };

/** Milliseconds after which a chain without the contract is asked again whether it has it now. */
const askAgainAfter = 60_000;

/** What the contract needs for each call beside the call's own gas, and for all of them. */
const gasOfEach = 3_000n;
const gasOfAll = 20_000n;

/** The escrow's calls that do the same whoever sends them: of a batch, the contract is the caller. */
const selectors = new Set(
  escrowAbi
    .filter((item) => item.type === "function")
    .filter(
      ({ name }) =>
        /^createEscrow.+|WithSignature$/.test(name) ||
        ["release", "refund", "settleDispute", "returnDeposit"].includes(name),
    )
    .map((item) => toFunctionSelector(item)),
);

/**
 * Makes calls of many orders in one transaction (`contracts/src/Batch.sol`). A batch is a relay of its own: it is signed,
 * stored, sent again, raised and followed as any other. Its calls are `signed` with it and end by what its receipt says of
 * each. One whose batch did nothing is sent alone the next time.
 */
export function createBatches(
  { account, chain, book, node, log }: RelayParts,
  attempts: Attempts,
  isSignersDoing: (
    call: Relay,
    reason: string,
    mined: { gasUsed: number; blockNumber: bigint },
  ) => Promise<boolean>,
) {
  const escrow = chain.escrow_contract.toLowerCase();
  let askedAt = Number.NEGATIVE_INFINITY;
  let stands = false;

  return { readMost, canJoin, send, finish };

  /** How many calls a transaction may make; 1 where the chain has no contract for it. */
  async function readMost(): Promise<number> {
    if (chain.relay_batch > 1 && !stands && Date.now() - askedAt >= askAgainAfter) {
      askedAt = Date.now();
      stands = await hasBatch(clientOf(chain));
    }
    return stands ? chain.relay_batch : 1;
  }

  function canJoin({ to, data, batchId }: Relay): boolean {
    return batchId === null && to.toLowerCase() === escrow && selectors.has(data.slice(0, 10) as Hex);
  }

  /**
   * Sends calls in one transaction.
   *
   * @param together the calls, in the order in which they were asked for
   * @param payable the gas that the wallet can pay for
   * @returns the batch as it was sent; `alone` where it cannot be; `taken` where a call or the nonce went to another
   *   meanwhile, and nothing was sent
   */
  async function send(
    together: BatchCall[],
    sending: Omit<Sending, "gas">,
    payable: bigint,
  ): Promise<{ batch: Relay; gas: bigint } | "alone" | "taken"> {
    const calls = arrange(together);
    const gas = await planGas(calls, sending);
    if (gas === null || gas > payable) return "alone";
    const batch = newBatch(encodeBatch(calls), gas);
    const rows = calls.map(({ row }) => row);
    const sent = attempts.send(batch, { ...sending, gas }, (_, signed) => book.store(batch, signed, rows));
    // Each request that queued a call has the sending in its own trace.
    const tracings = rows.map(({ intent, traceParent }) => {
      const attributes = { "earnest.intent": intent, "earnest.batch": batch.intent };
      return traceParent && traced({ name: "relay", attributes, parent: traceParent }, () => sent);
    });
    const [stored] = await Promise.all([sent, ...tracings]);
    return stored ? { batch: stored, gas } : "taken";
  }

  /** The gas with which each call gets its own, whatever those before it take. Calls without any tell what the rest takes. */
  async function planGas(calls: BatchCall[], { fees }: Omit<Sending, "gas">): Promise<bigint | null> {
    const data = encodeBatch(calls.map(({ row }) => ({ row, gas: 0n })));
    const most = BigInt(gasBounds.batch);
    const rest = await node.estimate(account.address, { to: batchContract, data }, { fees, gas: most });
    if (!("gas" in rest)) {
      log?.warn({ calls: calls.length, found: rest }, "a batch cannot be tried: its calls are sent alone");
      return null;
    }
    // A call is given at most 63 of 64 parts of what is left (EIP-150).
    return calls.reduce((sum, { gas }) => sum + (gas * 64n) / 63n + gasOfEach, rest.gas + gasOfAll);
  }

  function newBatch(data: Hex, gas: bigint): Relay {
    const id = typeid("rly").toString();
    const now = new Date();
    const none = {
      orderId: null,
      accountId: null,
      signer: null,
      traceParent: null,
      batchId: null,
      batchIndex: null,
    };
    const unsent = { sender: null, nonce: null, transactionHash: null, error: null, revertedAt: null };
    return {
      ...{
        id,
        intent: batchIntent(id),
        chainId: chain.chain_id,
        to: batchContract,
        data,
        gasBound: Number(gas),
      },
      ...{ ...none, ...unsent, status: "queued", forFunded: false, minedBlock: null, minedBlockHash: null },
      ...{ createdAt: now, queuedAt: now, updatedAt: now, gasCharged: 0, gasChargedBefore: 0, attempts: [] },
    };
  }

  /** Ends a batch that was mined, and each of its calls by what became of it. */
  async function finish(batch: Relay, attempt: Attempt, receipt: TransactionReceipt): Promise<void> {
    const calls = await book.readCalls(batch);
    const about = { relay_id: batch.id, transaction: attempt.transactionHash, calls: calls.length };
    const outcomes = readOutcomes(receipt, calls);
    if (!outcomes) {
      // Its contract may have left the chain with its block.
      stands = false;
      askedAt = Date.now();
      await book.failBatch(batch, attempt, receipt, "the batch was mined and did nothing");
      return log?.error(about, "a batch did nothing: its calls are sent alone");
    }
    const ended: Ended[] = [];
    for (const { call, error, gasUsed } of outcomes) {
      const blamed = error !== null && (await isSignersDoing(call, error, { ...receipt, gasUsed }));
      ended.push({ id: call.id, error, gasUsed, blamed });
    }
    await book.finishBatch(batch, attempt, receipt, ended);
    log?.info(about, "batch mined");
    for (const { call, error, gasUsed } of outcomes) {
      const of = { relay_id: call.id, intent: call.intent, transaction: attempt.transactionHash };
      if (error === null) log?.info(of, "relay mined");
      else {
        const isBlamed = ended.some(({ id, blamed }) => id === call.id && blamed);
        const alert = isBlamed
          ? { alert: "relay_reverted", signer: call.signer, account_id: call.accountId }
          : {};
        log?.error({ ...of, ...alert, gas_used: String(gasUsed), reason: error }, "relay reverted");
      }
    }
  }
}

/** Whether a batch's transaction made its calls. */
export function hasRun({ status, logs }: TransactionReceipt): boolean {
  return (
    status === "success" && logs.some(({ address }) => address.toLowerCase() === batchContract.toLowerCase())
  );
}

type Outcome = { call: Relay; error: string | null; gasUsed: number };

/**
 * What became of each call, by the events of the batch's contract: nobody else can have it emit any in this transaction.
 * Without any it made none: a transaction to an address without code succeeds as well. The gas of a call counts with its share of what the batch took besides.
 *
 * @returns null where the batch as a whole did nothing
 */
function readOutcomes(receipt: TransactionReceipt, calls: Relay[]): Outcome[] | null {
  if (!hasRun(receipt)) return null;
  const { logs, gasUsed } = receipt;
  const reasons = new Map<number, Hex>();
  let figures: Hex = "0x";
  for (const { address, data, topics } of logs) {
    if (address.toLowerCase() !== batchContract.toLowerCase()) continue;
    const event = decodeEventLog({ abi: batchAbi, data, topics });
    if (event.eventName === "BatchRun") figures = event.args.gasUsed;
    else reasons.set(Number(event.args.index), event.args.reason);
  }
  const used = calls.map(({ batchIndex }) => {
    const at = 2 + 8 * (batchIndex as number);
    return Number.parseInt(figures.slice(at, at + 8) || "0", 16);
  });
  const besides = Number(gasUsed) - used.reduce((sum, gas) => sum + gas, 0);
  const share = Math.ceil(besides / calls.length);
  return calls.map((call, at) => {
    const reason = reasons.get(call.batchIndex as number);
    return {
      call,
      error: reason === undefined ? null : readReason(reason),
      gasUsed: (used[at] as number) + share,
    };
  });
}
