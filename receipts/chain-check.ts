import {
  type Address,
  decodeEventLog,
  encodeAbiParameters,
  getAbiItem,
  type Hex,
  isAddress,
  keccak256,
} from "viem";
import { escrowAbi } from "../abis/escrow.ts";
import { type SettlementDocument, signedSettlementDocumentSchema } from "./document.ts";
import { type ReceiptErrorCode, Rejection } from "./errors.ts";
import type { VerifiedDocument } from "./verified.ts";

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

/** The chain's answer about a document's claim, independent of the document's signature. */
export type ChainAnswer =
  | { checked: true; agrees: true; confirmations: number }
  | { checked: true; agrees: false; code: ReceiptErrorCode; message: string; confirmations: number | null }
  | { checked: false; code: ReceiptErrorCode; message: string };

export interface ChainOptions {
  /** The depth asked for; 1, unless told, means mined. */
  confirmations?: number;
  /** The escrow contract you expect, if you know it: anyone can deploy one that emits the same events. */
  contract?: string;
}

/**
 * Checks on a chain that the event of a verified settlement document exists: chain, transaction, block, log, contract,
 * event, escrow, agreement, parties, token, amount and depth. The answer is as honest as the node. Never throws.
 *
 * The escrow's id, a hash of the terms, covers fields that the event lacks. A document of version 2 has all terms. For
 * version 1 only the event is compared, so `released` does not prove the buyer, and `refunded` does not prove the
 * provider.
 */
export async function confirmOnChain(
  result: VerifiedDocument,
  client: ChainClient,
  options: ChainOptions = {},
): Promise<ChainAnswer> {
  let depth: number | null = null;
  try {
    const claim = readClaim(result);
    const { confirmations: required = 1, contract } = options;
    if (contract !== undefined && !isAddress(contract, { strict: false })) {
      throw new Rejection("invalid_shape", "The contract you expect is no address.");
    }
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
    if (contract !== undefined && contract.toLowerCase() !== claim.contract.toLowerCase()) {
      throw new Rejection(
        "contract_mismatch",
        `The receipt names ${claim.contract}, you expect ${contract}.`,
      );
    }
    assertEvent(log, claim);
    if (claim.version === 2) assertSame("terms_mismatch", escrowIdOf(claim), claim.escrow_id);
    if (depth < required) throw new Rejection("too_few_confirmations", `It has ${depth} of ${required}.`);
    return { checked: true, agrees: true, confirmations: depth };
  } catch (error) {
    // By name: the client is the caller's, and may come from another copy of viem, or another realm, than ours.
    if (Object(error).name === "TransactionReceiptNotFoundError") {
      return disagrees(new Rejection("transaction_not_found", `It is ${result.document.transaction}.`), null);
    }
    if (!(error instanceof Rejection)) {
      return unchecked(
        new Rejection("chain_unreachable", error instanceof Error ? error.message : String(error)),
      );
    }
    const unasked = error.code === "invalid_shape" || error.code === "wrong_kind";
    return unasked ? unchecked(error) : disagrees(error, depth);
  }
}

/** Takes a result's document. The types ask for a verified one; a program without types may give anything. */
function readClaim(result: unknown): SettlementDocument {
  const { valid, kind, document } = Object(result) as Partial<VerifiedDocument>;
  if (valid !== true || kind !== "settlement_document") {
    throw new Rejection("wrong_kind", "Only a settlement document that was found valid names an event.");
  }
  const signed = signedSettlementDocumentSchema.safeParse(document);
  if (!signed.success) throw new Rejection("invalid_shape", "It is not a settlement document.");
  return signed.data;
}

/**
 * The escrow's id as the contract makes it: keccak256(abi.encode(chain id, contract, terms)). `protocol/settlement/terms.ts` has it
 * as well: this room takes nothing of the others. Tests hold both to the contract's own.
 */
function escrowIdOf(claim: Extract<SettlementDocument, { version: 2 }>): Hex {
  const { terms } = claim;
  const [parameter] = getAbiItem({ abi: escrowAbi, name: "escrowIdOf" }).inputs;
  return keccak256(
    encodeAbiParameters(
      [{ type: "uint256" }, { type: "address" }, parameter],
      [
        BigInt(claim.chain.slice("eip155:".length)),
        claim.contract as Address,
        {
          buyer: claim.buyer as Address,
          provider: claim.provider as Address,
          token: claim.token as Address,
          amount: BigInt(terms.amount),
          fundBy: terms.fund_by,
          deliveryWindow: terms.delivery_window,
          acceptanceWindow: terms.acceptance_window,
          disputeWindow: terms.dispute_window,
          appealWindow: terms.appeal_window,
          arbiter: terms.arbiter as Address,
          orderHash: claim.agreement_hash as Hex,
        },
      ],
    ),
  );
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
