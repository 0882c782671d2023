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
  /** The required depth; 1 by default, which means mined. */
  confirmations?: number;
  /** The expected escrow contract. Without it, any contract that emits the same events passes. */
  contract?: string;
}

/**
 * Finds the node of a chain. Without one, it is the first node, which `confirmOnChain` then refuses.
 *
 * @param chain the CAIP-2 id of a receipt's chain
 * @returns null without nodes
 */
export async function findNode<Node extends Pick<ChainClient, "getChainId">>(
  nodes: readonly Node[],
  chain: string,
): Promise<Node | null> {
  for (const node of nodes.length > 1 ? nodes : []) {
    const id = await node.getChainId().catch(() => null);
    if (`eip155:${id}` === chain) return node;
  }
  return nodes[0] ?? null;
}

/**
 * Checks on a chain that the event of a verified settlement document exists: chain, transaction, block, log,
 * contract, event, escrow, agreement, parties, token, amount and depth. The result is as trustworthy as the node.
 * Never throws.
 *
 * The escrow's id, a hash of the terms, covers fields that the event lacks. A document of version 2 has all terms.
 * For version 1 only the event is compared, so `released` does not prove the buyer, and `refunded` does not prove the
 * provider.
 */
export async function confirmOnChain(
  result: VerifiedDocument,
  client: ChainClient,
  options: ChainOptions = {},
): Promise<ChainAnswer> {
  let depth: number | null = null;
  try {
    const document = readDocument(result);
    const { confirmations: required = 1, contract } = options;
    if (contract !== undefined && !isAddress(contract, { strict: false })) {
      throw new Rejection("invalid_shape", "The expected contract is not an address.");
    }
    const chainId = await client.getChainId();
    if (document.chain !== `eip155:${chainId}`) {
      return unchecked(
        new Rejection("wrong_chain", `The node's chain is eip155:${chainId}, not ${document.chain}.`),
      );
    }
    const receipt = await client.getTransactionReceipt({ hash: document.transaction as Hex });
    const head = await client.getBlockNumber({ cacheTime: 0 });
    depth = Math.max(Number(head - receipt.blockNumber) + 1, 0);
    if (receipt.status !== "success") throw new Rejection("transaction_reverted");
    assertSame("block_mismatch", receipt.blockHash, document.block_hash);
    assertSame("block_mismatch", receipt.blockNumber, BigInt(document.block_number));
    const log = receipt.logs.find((candidate) => candidate.logIndex === document.log_index);
    if (!log)
      throw new Rejection(
        "log_not_found",
        `The missing log has the index ${document.log_index} in the block.`,
      );
    assertSame("contract_mismatch", log.address, document.contract);
    if (contract !== undefined && contract.toLowerCase() !== document.contract.toLowerCase()) {
      throw new Rejection(
        "contract_mismatch",
        `The receipt names ${document.contract}, not the expected ${contract}.`,
      );
    }
    assertEvent(log, document);
    if (document.version === 2) assertSame("terms_mismatch", escrowIdOf(document), document.escrow_id);
    if (depth < required)
      throw new Rejection("too_few_confirmations", `The block has ${depth} of ${required} confirmations.`);
    return { checked: true, agrees: true, confirmations: depth };
  } catch (error) {
    // By name: the caller's client may come from another copy of viem or another realm.
    if (Object(error).name === "TransactionReceiptNotFoundError") {
      return disagrees(
        new Rejection("transaction_not_found", `The transaction is ${result.document.transaction}.`),
        null,
      );
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

/** Reads the document of a result. A caller without types may pass anything. */
function readDocument(result: unknown): SettlementDocument {
  const { valid, kind, document } = Object(result) as Partial<VerifiedDocument>;
  if (valid !== true || kind !== "settlement_document") {
    throw new Rejection("wrong_kind", "Only a valid settlement document names an event.");
  }
  const signed = signedSettlementDocumentSchema.safeParse(document);
  if (!signed.success) throw new Rejection("invalid_shape", "The result has no settlement document.");
  return signed.data;
}

/**
 * Computes the escrow's id as the contract does: keccak256(abi.encode(chain id, contract, terms)).
 * `protocol/settlement/terms.ts` has the same rule, because this room imports no other. Tests compare both with the
 * contract.
 */
function escrowIdOf(document: Extract<SettlementDocument, { version: 2 }>): Hex {
  const { terms } = document;
  const [parameter] = getAbiItem({ abi: escrowAbi, name: "escrowIdOf" }).inputs;
  return keccak256(
    encodeAbiParameters(
      [{ type: "uint256" }, { type: "address" }, parameter],
      [
        BigInt(document.chain.slice("eip155:".length)),
        document.contract as Address,
        {
          buyer: document.buyer as Address,
          provider: document.provider as Address,
          token: document.token as Address,
          amount: BigInt(terms.amount),
          fundBy: terms.fund_by,
          deliveryWindow: terms.delivery_window,
          acceptanceWindow: terms.acceptance_window,
          disputeWindow: terms.dispute_window,
          appealWindow: terms.appeal_window,
          arbiter: terms.arbiter as Address,
          orderHash: document.agreement_hash as Hex,
        },
      ],
    ),
  );
}

function assertEvent(log: ChainLog, document: SettlementDocument): void {
  const event = decodeEvent(log);
  if (document.claim === "funded" && event.eventName === "EscrowCreated") {
    const { escrowId, orderHash, terms } = event.args;
    assertSame("escrow_mismatch", escrowId, document.escrow_id);
    assertSame("agreement_mismatch", orderHash, document.agreement_hash);
    assertSame("party_mismatch", terms.buyer, document.buyer);
    assertSame("party_mismatch", terms.provider, document.provider);
    assertSame("token_mismatch", terms.token, document.token);
    assertSame("amount_mismatch", terms.amount, BigInt(document.amount));
  } else if (document.claim === "part_released" && event.eventName === "PartReleased") {
    assertSame("escrow_mismatch", event.args.escrowId, document.escrow_id);
    assertSame("party_mismatch", event.args.provider, document.provider);
    assertSame("token_mismatch", event.args.token, document.token);
    assertSame("amount_mismatch", event.args.amount, BigInt(document.amount));
    assertSame("amount_mismatch", event.args.total, BigInt(document.released_so_far ?? 0));
  } else if (document.claim === "released" && event.eventName === "Released") {
    assertSame("escrow_mismatch", event.args.escrowId, document.escrow_id);
    assertSame("party_mismatch", event.args.provider, document.provider);
    assertSame("token_mismatch", event.args.token, document.token);
    assertSame("amount_mismatch", event.args.amount, BigInt(document.amount));
  } else if (document.claim === "refunded" && event.eventName === "Refunded") {
    assertSame("escrow_mismatch", event.args.escrowId, document.escrow_id);
    assertSame("party_mismatch", event.args.buyer, document.buyer);
    assertSame("token_mismatch", event.args.token, document.token);
    assertSame("amount_mismatch", event.args.amount, BigInt(document.amount));
  } else {
    throw new Rejection("event_mismatch", `The event is ${event.eventName}, the claim is ${document.claim}.`);
  }
}

function decodeEvent({ topics, data }: ChainLog) {
  try {
    return decodeEventLog({ abi: escrowAbi, topics, data });
  } catch {
    throw new Rejection("event_mismatch", "The log is no event of the escrow contract.");
  }
}

function assertSame(code: ReceiptErrorCode, actual: string | bigint, stated: string | bigint): void {
  if (String(actual).toLowerCase() === String(stated).toLowerCase()) return;
  throw new Rejection(code, `The chain has ${actual}, the receipt ${stated}.`);
}

function disagrees({ code, message }: Rejection, confirmations: number | null): ChainAnswer {
  return { checked: true, agrees: false, code, message, confirmations };
}

function unchecked({ code, message }: Rejection): ChainAnswer {
  return { checked: false, code, message };
}
