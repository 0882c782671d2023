import { isDeepStrictEqual } from "node:util";
import type { Hex } from "viem";
import { expect } from "vitest";
import type { OrderRow } from "../../../db/order-rows.ts";
import { digestOf } from "../../../protocol/settlement/terms.ts";
import type { Life } from "./plan.ts";
import type { Order } from "./rules.ts";

/** One order: its acts, its row at the placement, and the model's current state. */
export type Case = { life: Life; row: OrderRow; order: Order };

/** Asserts that the real state equals the model's, and prints the whole life where it does not. */
export function agree(found: unknown, expected: unknown, of: Case, more?: unknown): void {
  // The message is built only on failure: a hundred thousand messages would take longer than the
  // comparisons.
  if (isDeepStrictEqual(found, expected)) return;
  const { life, order } = of;
  const words = [life, order, more].map((part) => JSON.stringify(part, plain));
  expect(found, `The life: ${words[0]}\nThe model: ${words[1]}\n${words[2] ?? ""}`).toEqual(expected);
}

function plain(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

/** The key of a relay, without its escrow's prefix. */
export function nameOf({ row }: Case, key: string): string {
  return key.slice(row.escrowId.length + 1);
}

/** Returns the n-th output that the provider delivers; each is different. */
export const outputOf = (number: number) => ({ text: `Output ${number}` });
export const hashOf = (number: number): Hex => digestOf(outputOf(number));

/** Counts the chain facts of an order. */
export function countChainFacts({ trail }: Order): number {
  return trail.filter((type) => chainFacts.includes(type)).length;
}

const chainFacts = [
  ...["order.funded", "delivery.recorded", "order.disputed", "order.dispute_decided"],
  ...["order.released", "order.refunded"],
];
