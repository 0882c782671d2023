import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** A verb and a path below `/api/v1`, where `*` is any one segment. */
const pattern = z.string().regex(/^(GET|POST|PUT|DELETE) (\/([a-z0-9-]+|\*))+$/);
const status = z.number().int().min(400).max(599);
const count = z.number().int().nonnegative();
const amount = z.string().regex(/^\d+\.\d{2}$/);

/** The numbers of the faulty requests among those that fit `on`, counted from 1. */
const where = { on: pattern, at: z.array(z.number().int().positive()).min(1) };

/** A fault of requests. README.md describes each one. */
const fault = z.discriminatedUnion("fault", [
  z.strictObject({ ...where, fault: z.literal("lost") }),
  z.strictObject({ ...where, fault: z.literal("cut") }),
  z.strictObject({ ...where, fault: z.literal("late"), ms: z.number().int().min(1).max(10_000) }),
  z.strictObject({ ...where, fault: z.literal("twice") }),
  z.strictObject({ ...where, fault: z.literal("gateway"), status }),
  z.strictObject({ ...where, fault: z.literal("refused"), status, retry_after: count.optional() }),
  z.strictObject({ ...where, fault: z.literal("reset") }),
]);

/** The expected error of a step. */
const failure = z.strictObject({
  /** A code of the service, or `connection`, `untrusted`, `not_paid`. */
  code: z.string(),
  status: status.optional(),
  retry_after: count.optional(),
  details: z.array(z.strictObject({ path: z.string(), keyword: z.string() })).optional(),
});

const party = z.enum(["buyer", "provider"]);
const number = z.number().int();
const acts = { fails: failure.optional() };

const step = z.discriminatedUnion("do", [
  z.strictObject({ ...acts, do: z.literal("sign_in"), as: party }),
  z.strictObject({ ...acts, do: z.literal("publish") }),
  z.strictObject({ ...acts, do: z.literal("place"), number: z.union([number, z.string()]) }),
  z.strictObject({
    ...acts,
    do: z.literal("buy"),
    number,
    at_most: amount.optional(),
    /** The symbols of the tokens that the buyer holds, the preferred one first. */
    pay_with: z.array(z.string()).min(1).optional(),
    /** Buys by the wallet alone, without a key. */
    without_account: z.literal(true).optional(),
  }),
  z.strictObject({ ...acts, do: z.literal("deliver") }),
  z.strictObject({ ...acts, do: z.literal("accept") }),
  z.strictObject({ ...acts, do: z.literal("request_changes"), reason: z.string() }),
  z.strictObject({ ...acts, do: z.literal("dispute"), reason: z.string() }),
  z.strictObject({ ...acts, do: z.literal("refund") }),
  z.strictObject({ do: z.literal("trade"), numbers: z.array(number).min(1) }),
  z.strictObject({ do: z.literal("list"), page_size: count, orders: count }),
  z.strictObject({ do: z.literal("follow"), as: party, types: z.array(z.string()).min(1) }),
  z.strictObject({ do: z.literal("listen"), type: z.string() }),
  z.strictObject({ do: z.literal("verify_webhook"), type: z.string() }),
]);

/** The expected final state at the service and on the chain. */
const end = z.strictObject({
  /** The buyer's orders by their status. */
  orders: z.partialRecord(
    z.enum(["created", "funded", "started", "delivered", "disputed", "released", "refunded"]),
    count,
  ),
  /** The number of payments of the buyer's wallet. */
  payments: count,
  /** The amounts that the escrows and the provider hold. */
  held: amount,
  earned: amount,
});

const lies = [
  "decimals",
  "token",
  "chain",
  "buyer",
  "price",
  "late_price",
  "late_token",
  "late_order",
] as const;
export type LieKind = (typeof lies)[number];

const scenario = z.strictObject({
  name: z.string(),
  /** The clients' timeout of a request. Default: 30 seconds. */
  timeout_ms: count.optional(),
  faults: z.array(fault),
  /** The share of fitting requests that have a random fault. */
  random: z.strictObject({ rate: z.number().gt(0).lt(1), on: z.array(pattern).min(1) }).optional(),
  /** The symbols of the tokens that the service accepts, on any chain. The buyer has 100.00 of each. Default: TUSD alone. */
  tokens: z.array(z.string()).min(1).optional(),
  /** The fact about a token that the service lies about, in all its answers. */
  lie: z.enum(lies).optional(),
  /** Skips the steps of `before`. */
  alone: z.literal(true).optional(),
  steps: z.array(step).min(1),
  end,
});

const file = z.strictObject({
  about: z.array(z.string()),
  /** The first steps of every scenario. */
  before: z.array(step),
  scenarios: z.array(scenario).min(1),
});

export type PlannedFault = z.infer<typeof fault>;
/** A fault without its place. */
export type Fault = PlannedFault extends infer One
  ? One extends unknown
    ? Omit<One, "on" | "at">
    : never
  : never;
export type Step = z.infer<typeof step>;
export type End = z.infer<typeof end>;
export type Scenario = z.infer<typeof scenario>;

/** Reads and checks the file that all clients run. */
export function readScenarios(): z.infer<typeof file> {
  const read = file.parse(JSON.parse(readFileSync(join(import.meta.dirname, "scenarios.json"), "utf8")));
  const names = new Set(read.scenarios.map(({ name }) => name));
  if (names.size < read.scenarios.length) throw new TypeError("Two scenarios have the same name.");
  return read;
}
