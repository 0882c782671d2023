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

/** What a buyer has to say; a signed decimal number of which `value_decimals` are behind the point. */
export type Opinion = {
  value: number;
  value_decimals: number;
  tag1: string;
  tag2: string;
  comment: string | null;
};

/** The transaction that settled an order, and whom it paid. */
export type ProofOfPayment = { chainId: number; hash: Hex; claim: "released" | "refunded"; amount: bigint };

/**
 * The file of ERC-8004 feedback ("Off-Chain Feedback File Structure"): what the standard demands, its optional
 * `proofOfPayment`, and what of the order a reader needs to check it.
 *
 * @param options.receiptUrl where the signed receipt of the settlement is read
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
      // A refund paid nobody but the buyer, and out of the escrow.
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

/** What the buyer said, read back from the file. */
export function readOpinion(content: string): Opinion {
  const { value, valueDecimals, tag1, tag2, comment } = fileShape.parse(parseJson(content));
  return { value, value_decimals: valueDecimals, tag1, tag2, comment };
}

/** Where a file is served: the indexer knows ours among all feedback by this ending. */
export function feedbackUrl(baseUrl: string, hash: Hex): string {
  return `${baseUrl}/feedback/${hash}.json`;
}

/** What the buyer's own wallet sends. */
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
    // The standard's `endpoint` is left empty: the file tells which order it is about.
    args: [tokenId, BigInt(value), value_decimals, tag1, tag2, "", url, hash],
  });
  return describeCall(reputationRegistryAbi, registry, data);
}

/** What the registry has to say of a file that was given. */
export type ExpectedFeedback = {
  hash: Hex;
  reputationRegistry: Address;
  tokenId: bigint;
  clientAddress: Address;
};

export type FoundFeedback = { hash: Hex; feedbackIndex: bigint; logIndex: number };

/** Why a transaction is not the one that gave the feedback. */
export type FeedbackRefusal = {
  keyword: "event" | "registry" | "agent" | "client" | "file";
  message: string;
};

/**
 * Finds in a transaction's logs the registry's event for one of an order's files.
 *
 * @returns the event, or what is wrong with the one that comes closest
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
