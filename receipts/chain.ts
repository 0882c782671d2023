import { decodeEventLog, type Hex } from "viem";
import { escrowAbi } from "../abis/escrow.ts";
import {
  type SettlementDocument,
  settlementDocumentSchema,
  signedSettlementDocumentSchema,
} from "./document.ts";
import { type ReceiptErrorCode, Rejection } from "./errors.ts";

/** The part of a viem public client that is used; any viem client fits. */
export interface ChainClient {
  getChainId(): Promise<number>;
  getBlockNumber(args?: { cacheTime?: number }): Promise<bigint>;
  getTransactionReceipt(args: { hash: Hex }): Promise<{
    status: "success" | "reverted";
    blockNumber: bigint;
    blockHash: Hex;
    logs: readonly ChainLog[];
  }>;
}

interface ChainLog {
  address: Hex;
  logIndex: number | null;
  topics: [signature: Hex, ...args: Hex[]] | [];
  data: Hex;
}

/** What the chain says about a document's claim, apart from whether the document is well signed. */
export type ChainAnswer =
  | { checked: true; agrees: true; confirmations: number }
  | { checked: true; agrees: false; code: ReceiptErrorCode; message: string; confirmations: number | null }
  | { checked: false; code: ReceiptErrorCode; message: string };

/**
 * Asks a chain whether the event a settlement document names is there: chain, transaction, block, log, contract,
 * event, escrow, party, token, amount and depth. `released` is compared with the provider, `refunded` with the buyer,
 * `funded` with both and with the agreement; the rest is bound through the escrow id, which hashes the terms.
 * The answer is as honest as the node that gives it. Never throws.
 * @param confirmations the depth asked for; 1 means mined.
 */
export async function confirmOnChain(
  document: SettlementDocument,
  client: ChainClient,
  { confirmations: required = 1 }: { confirmations?: number } = {},
): Promise<ChainAnswer> {
  let depth: number | null = null;
  try {
    const claim = readClaim(document);
    const chainId = await client.getChainId();
    if (claim.chain !== `eip155:${chainId}`) {
      return unchecked(new Rejection("wrong_chain", `It is eip155:${chainId}, not ${claim.chain}.`));
    }
    const receipt = await client.getTransactionReceipt({ hash: claim.transaction as Hex });
    const head = await client.getBlockNumber({ cacheTime: 0 });
    depth = Math.max(Number(head - receipt.blockNumber) + 1, 0);
    if (receipt.status !== "success") throw new Rejection("transaction_reverted");
    assertSame("block_mismatch", receipt.blockHash, claim.block_hash);
    assertSame("block_mismatch", receipt.blockNumber, BigInt(claim.block_number));
    const log = receipt.logs.find((candidate) => candidate.logIndex === claim.log_index);
    if (!log) throw new Rejection("log_not_found", `It is log ${claim.log_index} of the block.`);
    assertSame("contract_mismatch", log.address, claim.contract);
    assertEvent(log, claim);
    if (depth < required) throw new Rejection("too_few_confirmations", `It has ${depth} of ${required}.`);
    return { checked: true, agrees: true, confirmations: depth };
  } catch (error) {
    // By name: the client is the caller's, and may come from another copy of viem, or another realm, than ours.
    if (Object(error).name === "TransactionReceiptNotFoundError") {
      return disagrees(new Rejection("transaction_not_found", `It is ${document.transaction}.`), null);
    }
    if (!(error instanceof Rejection)) {
      return unchecked(
        new Rejection("chain_unreachable", error instanceof Error ? error.message : String(error)),
      );
    }
    return error.code === "invalid_shape" ? unchecked(error) : disagrees(error, depth);
  }
}

function readClaim(document: unknown): SettlementDocument {
  const signed = signedSettlementDocumentSchema.or(settlementDocumentSchema).safeParse(document);
  if (!signed.success) throw new Rejection("invalid_shape", "It is not a settlement document.");
  return signed.data;
}

function assertEvent(log: ChainLog, claim: SettlementDocument): void {
  const event = decodeEvent(log);
  if (claim.claim === "funded" && event.eventName === "EscrowCreated") {
    const { escrowId, orderHash, terms } = event.args;
    assertSame("escrow_mismatch", escrowId, claim.escrow_id);
    assertSame("agreement_mismatch", orderHash, claim.agreement_hash);
    assertSame("party_mismatch", terms.buyer, claim.buyer);
    assertSame("party_mismatch", terms.provider, claim.provider);
    assertSame("token_mismatch", terms.token, claim.token);
    assertSame("amount_mismatch", terms.amount, BigInt(claim.amount));
  } else if (claim.claim === "released" && event.eventName === "Released") {
    assertSame("escrow_mismatch", event.args.escrowId, claim.escrow_id);
    assertSame("party_mismatch", event.args.provider, claim.provider);
    assertSame("token_mismatch", event.args.token, claim.token);
    assertSame("amount_mismatch", event.args.amount, BigInt(claim.amount));
  } else if (claim.claim === "refunded" && event.eventName === "Refunded") {
    assertSame("escrow_mismatch", event.args.escrowId, claim.escrow_id);
    assertSame("party_mismatch", event.args.buyer, claim.buyer);
    assertSame("token_mismatch", event.args.token, claim.token);
    assertSame("amount_mismatch", event.args.amount, BigInt(claim.amount));
  } else {
    throw new Rejection("event_mismatch", `It is ${event.eventName}, the claim is ${claim.claim}.`);
  }
}

function decodeEvent({ topics, data }: ChainLog) {
  try {
    return decodeEventLog({ abi: escrowAbi, topics, data });
  } catch {
    throw new Rejection("event_mismatch", "It is no event of the escrow contract.");
  }
}

function assertSame(code: ReceiptErrorCode, actual: string | bigint, stated: string | bigint): void {
  if (String(actual).toLowerCase() === String(stated).toLowerCase()) return;
  throw new Rejection(code, `The chain has ${actual}, the receipt says ${stated}.`);
}

function disagrees({ code, message }: Rejection, confirmations: number | null): ChainAnswer {
  return { checked: true, agrees: false, code, message, confirmations };
}

function unchecked({ code, message }: Rejection): ChainAnswer {
  return { checked: false, code, message };
}
