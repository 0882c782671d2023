import { isDeepStrictEqual } from "node:util";
import type { Hex } from "viem";
import { expect } from "vitest";
import type { OrderRow } from "../../../db/order-rows.ts";
import { digestOf } from "../../../protocol/settlement/terms.ts";
import type { Life } from "./plan.ts";
import type { Order } from "./rules.ts";

/** One order: what is tried on it, its row as it was placed, and what the model says of it now. */
export type Case = { life: Life; row: OrderRow; order: Order };

/** Expects what was found to be what the model says, and tells the whole life where it is not. */
export function agree(found: unknown, expected: unknown, of: Case, more?: unknown): void {
  // Words for each of a hundred thousand comparisons would take longer than the comparisons.
  if (isDeepStrictEqual(found, expected)) return;
  const { life, order } = of;
  const words = [life, order, more].map((part) => JSON.stringify(part, plain));
  expect(found, `The life: ${words[0]}\nThe model: ${words[1]}\n${words[2] ?? ""}`).toEqual(expected);
}

function plain(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

/** A relay's intent without the escrow that it begins with. */
export function nameOf({ row }: Case, intent: string): string {
  return intent.slice(row.escrowId.length + 1);
}

/** The n-th output that the provider delivers; each is another one. */
export const outputOf = (number: number) => ({ text: `Output ${number}` });
export const hashOf = (number: number): Hex => digestOf(outputOf(number));

/** How many of an order's facts the chain told. */
export function countChainFacts({ trail }: Order): number {
  return trail.filter((type) => chainFacts.includes(type)).length;
}

const chainFacts = [
  ...["order.funded", "delivery.recorded", "order.disputed", "order.dispute_decided"],
  ...["order.released", "order.refunded"],
];
