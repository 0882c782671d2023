import canonicalize from "canonicalize";
import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  isAddressEqual,
  keccak256,
  type Log,
  parseEventLogs,
  toHex,
} from "viem";
import { z } from "zod";
import { reputationRegistryAbi } from "../../abis/registries.ts";
import { parseJson } from "../json/parse.ts";
import { type Call, describeCall } from "./calls.ts";
import { type Identity, registryName, tokenNumber } from "./identity.ts";

/** A buyer's feedback; a signed decimal number with `value_decimals` decimals. */
export type Opinion = {
  value: number;
  value_decimals: number;
  tag1: string;
  tag2: string;
  comment: string | null;
};

/** The transaction that settled an order, and its payee. */
export type ProofOfPayment = { chainId: number; hash: Hex; claim: "released" | "refunded"; amount: bigint };

/**
 * Writes the file of ERC-8004 feedback ("Off-Chain Feedback File Structure"): the required fields, the optional
 * `proofOfPayment`, and the order's data that a reader needs to check it.
 *
 * @param options.receiptUrl the URL of the settlement's signed receipt
 * @returns the file's bytes as canonical JSON (RFC 8785), and their keccak256, which the registry records
 */
export function writeFeedbackFile(options: {
  identity: Identity;
  client: Address;
  opinion: Opinion;
  createdAt: Date;
  order: {
    escrowContract: Address;
    escrowId: Hex;
    buyerAddress: Address;
    providerAddress: Address;
    token: Address;
  };
  payment: ProofOfPayment;
  receiptUrl: string;
}): { content: string; hash: Hex } {
  const { identity, client, opinion, createdAt, order, payment, receiptUrl } = options;
  const { value, value_decimals, tag1, tag2, comment } = opinion;
  const released = payment.claim === "released";
  const content = canonicalize({
    agentRegistry: registryName(identity),
    agentId: tokenNumber(identity.tokenId),
    clientAddress: `eip155:${identity.chainId}:${getAddress(client)}`,
    createdAt: createdAt.toISOString(),
    value,
    valueDecimals: value_decimals,
    ...(tag1 ? { tag1 } : {}),
    ...(tag2 ? { tag2 } : {}),
    ...(comment === null ? {} : { comment }),
    proofOfPayment: {
      // A refund comes out of the escrow and pays the buyer alone.
      fromAddress: getAddress(released ? order.buyerAddress : order.escrowContract),
      toAddress: getAddress(released ? order.providerAddress : order.buyerAddress),
      chainId: String(payment.chainId),
      txHash: payment.hash,
    },
    settlement: {
      claim: payment.claim,
      escrowContract: getAddress(order.escrowContract),
      escrowId: order.escrowId,
      token: getAddress(order.token),
      amount: payment.amount.toString(),
      receipt: receiptUrl,
    },
  });
  if (content === undefined) throw new Error("The feedback file cannot be written as JSON.");
  return { content, hash: keccak256(toHex(content)) };
}

const fileShape = z.object({
  value: z.int(),
  valueDecimals: z.int(),
  tag1: z.string().default(""),
  tag2: z.string().default(""),
  comment: z.string().nullable().default(null),
});

/** Reads the buyer's feedback from the file. */
export function readOpinion(content: string): Opinion {
  const { value, valueDecimals, tag1, tag2, comment } = fileShape.parse(parseJson(content));
  return { value, value_decimals: valueDecimals, tag1, tag2, comment };
}

/** Returns the URL of a file. The indexer recognises this service's feedback by its ending. */
export function feedbackUrl(baseUrl: string, hash: Hex): string {
  return `${baseUrl}/feedback/${hash}.json`;
}

/** Builds the call that the buyer's own wallet sends. */
export function giveFeedbackCall(options: {
  registry: Address;
  tokenId: bigint;
  opinion: Opinion;
  url: string;
  hash: Hex;
}): Call {
  const { registry, tokenId, opinion, url, hash } = options;
  const { value, value_decimals, tag1, tag2 } = opinion;
  const data = encodeFunctionData({
    abi: reputationRegistryAbi,
    functionName: "giveFeedback",
    // The standard's `endpoint` is empty: the file names the order.
    args: [tokenId, BigInt(value), value_decimals, tag1, tag2, "", url, hash],
  });
  return describeCall(reputationRegistryAbi, registry, data);
}

/** The registry's expected event for a file. */
export type ExpectedFeedback = {
  hash: Hex;
  reputationRegistry: Address;
  tokenId: bigint;
  clientAddress: Address;
};

export type FoundFeedback = { hash: Hex; feedbackIndex: bigint; logIndex: number };

/** Why a transaction did not give the feedback. */
export type FeedbackRefusal = {
  keyword: "event" | "registry" | "agent" | "client" | "file";
  message: string;
};

/**
 * Finds the registry's event for one of an order's files in a transaction's logs.
 *
 * @returns the event, or the fault of the closest one
 */
export function findFeedback(
  logs: readonly Log[],
  files: readonly ExpectedFeedback[],
): FoundFeedback | FeedbackRefusal {
  const events = parseEventLogs({ abi: reputationRegistryAbi, eventName: "NewFeedback", logs: [...logs] });
  const rules = [
    {
      keyword: "registry",
      message: "gave feedback in another contract than the chain's Reputation Registry",
      holds: ({ address }, file) => isAddressEqual(address, file.reputationRegistry),
    },
    {
      keyword: "client",
      message: "gave feedback of another wallet than the order's buyer",
      holds: ({ args }, file) => isAddressEqual(args.clientAddress, file.clientAddress),
    },
    {
      keyword: "agent",
      message: "gave feedback to another agent than the order's",
      holds: ({ args }, file) => args.agentId === file.tokenId,
    },
    {
      keyword: "file",
      message: "gave feedback with another file than one that was prepared for this order",
      holds: ({ args }, file) => args.feedbackHash === file.hash,
    },
  ] as const satisfies (FeedbackRefusal & { holds: Rule })[];
  let best: FeedbackRefusal = {
    keyword: "event",
    message: "gave no feedback: it has no NewFeedback event",
  };
  let most = -1;
  for (const event of events) {
    for (const file of files) {
      const broken = rules.findIndex(({ holds }) => !holds(event, file));
      const rule = rules[broken];
      if (!rule) {
        return { hash: file.hash, feedbackIndex: event.args.feedbackIndex, logIndex: event.logIndex };
      }
      if (broken > most) best = rule;
      most = Math.max(most, broken);
    }
  }
  return { keyword: best.keyword, message: `The transaction ${best.message}.` };
}

type FeedbackEvent = {
  address: Address;
  args: { agentId: bigint; clientAddress: Address; feedbackHash: Hex };
};
type Rule = (event: FeedbackEvent, file: ExpectedFeedback) => boolean;
