import { type Address, getAddress, type Hex, zeroHash } from "viem";
import { z } from "zod";
import { formatAmount } from "../settlement/money.ts";
import { hashPattern, lowerAddressPattern } from "../settlement/shapes.ts";
import type { ChainStep } from "./fact.ts";
import { keptParts } from "./kept-parts.ts";

/** A row of the indexer's `escrow_event`. */
export type ChainEvent = {
  /** `<chain id>:<block hash>:<log index>`, which becomes the fact's key */
  id: string;
  chainId: number;
  name: string;
  args: Record<string, unknown>;
  blockNumber: bigint;
  blockHash: Hex;
  transactionHash: Hex;
  logIndex: number;
  /** unix seconds of the block */
  timestamp: bigint;
};

/** A chain event of an order, in the form that the ledger records. */
export type ChainFact = {
  type: ChainStep;
  actor: "chain";
  key: string;
  data: Record<string, unknown>;
  occurredAt: Date;
  chain: Pick<ChainEvent, "chainId" | "blockNumber" | "blockHash" | "transactionHash" | "logIndex">;
};

/** The fields of an order that its chain facts need. */
export type OrderOfEvent = {
  buyerAddress: string;
  arbiter: Address;
  deliveryWindow: number;
  appealWindow: number;
  tokenDecimals: number;
};

const address = z.string().regex(lowerAddressPattern);
const hash = z.string().regex(hashPattern);
const baseUnits = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt);
const unixSeconds = z.int().nonnegative();

const created = z.object({ escrowId: hash, payer: address, terms: z.object({ amount: baseUnits }) });
const recorded = z.object({
  outputHash: hash,
  number: z.int().positive(),
  deliveredAt: unixSeconds,
  autoReleaseAt: unixSeconds,
});
const partRecorded = z.object({
  workHash: hash,
  earned: baseUnits,
  number: z.int().positive(),
  recordedAt: unixSeconds,
  acceptedAt: unixSeconds,
  isFinal: z.boolean(),
});
const partReleased = z.object({
  provider: address,
  amount: baseUnits,
  total: baseUnits,
  workHash: hash,
  number: z.int().positive(),
});
const disputed = z.object({ party: address, reasonHash: hash, decideBy: unixSeconds });
const decided = z.object({
  arbiter: address,
  providerAmount: baseUnits,
  buyerAmount: baseUnits,
  rulingHash: hash,
  settleableAt: unixSeconds,
});
const released = z.object({ provider: address, amount: baseUnits });
const refunded = z.object({ buyer: address, amount: baseUnits });

/**
 * Converts an event of an order's escrow to a fact of the order. The worker records the fact once the event is confirmed.
 * The trail shows it earlier.
 *
 * Amounts are decimal strings in the token's decimals, with `*_base_units` beside them. Times are RFC 3339.
 *
 * @returns null for an event that is no step of the order (a deferred payout, a returned deposit)
 * @throws if the event's arguments do not match the contract
 */
export function chainFactOf(event: ChainEvent, order: OrderOfEvent): ChainFact | null {
  const step = stepOf(event, order);
  if (!step) return null;
  const { chainId, blockNumber, blockHash, transactionHash, logIndex } = event;
  return {
    ...step,
    actor: "chain",
    key: event.id,
    occurredAt: timeOf(event.timestamp),
    chain: { chainId, blockNumber, blockHash, transactionHash, logIndex },
  };
}

/** The contract's events that are steps of an order. */
export const factEvents = [
  "EscrowCreated",
  "DeliveryRecorded",
  "PartRecorded",
  "PartReleased",
  "Disputed",
  "DisputeDecided",
  "Released",
  "Refunded",
] as const;

function stepOf(event: ChainEvent, order: OrderOfEvent): Pick<ChainFact, "type" | "data"> | null {
  const amountsOf = (name: string, value: bigint) => ({
    [name]: formatAmount(value, order.tokenDecimals),
    [`${name}_base_units`]: value.toString(),
  });
  switch (event.name as (typeof factEvents)[number]) {
    // The escrow's id is the hash of its terms, so an order whose terms differ has no such event.
    case "EscrowCreated": {
      const { escrowId, payer, terms } = created.parse(event.args);
      const deliveryDeadline = isoTime(event.timestamp + BigInt(order.deliveryWindow));
      return {
        type: "order.funded",
        data: {
          ...amountsOf("amount", terms.amount),
          payer: getAddress(payer),
          escrow_id: escrowId,
          delivery_deadline: deliveryDeadline,
        },
      };
    }
    case "DeliveryRecorded": {
      const { outputHash, number, deliveredAt, autoReleaseAt } = recorded.parse(event.args);
      return {
        type: "delivery.recorded",
        data: {
          output_hash: outputHash,
          number,
          delivered_at: isoTime(BigInt(deliveredAt)),
          auto_release_at: isoTime(BigInt(autoReleaseAt)),
        },
      };
    }
    case "PartRecorded": {
      const { workHash, earned, number, recordedAt, acceptedAt, isFinal } = partRecorded.parse(event.args);
      const record = { output_hash: workHash, number, ...amountsOf("earned", earned) };
      if (!isFinal)
        return {
          type: "part.recorded",
          data: { ...record, ...datesOf(recordedAt, "accepted_at", acceptedAt) },
        };
      // A final part is the delivery: the provider claims no more.
      return {
        type: "delivery.recorded",
        data: { ...record, ...datesOf(recordedAt, "auto_release_at", acceptedAt) },
      };
    }
    case "PartReleased": {
      const { provider, amount, total, workHash, number } = partReleased.parse(event.args);
      if (number > keptParts) return null;
      return {
        type: "order.part_released",
        data: {
          ...amountsOf("amount", amount),
          ...amountsOf("released_so_far", total),
          recipient: getAddress(provider),
          work_hash: workHash === zeroHash ? null : workHash,
        },
      };
    }
    case "Disputed": {
      const { party, reasonHash, decideBy } = disputed.parse(event.args);
      return {
        type: "order.disputed",
        data: {
          party: party === order.buyerAddress.toLowerCase() ? "buyer" : "provider",
          reason_hash: reasonHash,
          arbiter: getAddress(order.arbiter),
          decide_by: isoTime(BigInt(decideBy)),
          appeal_window_seconds: order.appealWindow,
        },
      };
    }
    case "DisputeDecided": {
      const { arbiter, providerAmount, buyerAmount, rulingHash, settleableAt } = decided.parse(event.args);
      return {
        type: "order.dispute_decided",
        data: {
          arbiter: getAddress(arbiter),
          ...amountsOf("provider_amount", providerAmount),
          ...amountsOf("buyer_amount", buyerAmount),
          ruling_hash: rulingHash,
          settleable_at: isoTime(BigInt(settleableAt)),
        },
      };
    }
    case "Released": {
      const { provider, amount } = released.parse(event.args);
      return {
        type: "order.released",
        data: { ...amountsOf("amount", amount), recipient: getAddress(provider) },
      };
    }
    case "Refunded": {
      const { buyer, amount } = refunded.parse(event.args);
      return {
        type: "order.refunded",
        data: { ...amountsOf("amount", amount), recipient: getAddress(buyer) },
      };
    }
    default:
      return null;
  }
}

/** The times of a record: of the record itself, and of the end of its acceptance window under its own name. */
function datesOf(recordedAt: number, name: "accepted_at" | "auto_release_at", acceptedAt: number) {
  return { delivered_at: isoTime(BigInt(recordedAt)), [name]: isoTime(BigInt(acceptedAt)) };
}

function timeOf(unix: bigint): Date {
  return new Date(Number(unix) * 1000);
}

function isoTime(unix: bigint): string {
  return timeOf(unix).toISOString();
}
