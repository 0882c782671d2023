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

/**
 * A fault of the requests that fit `on`, counted by `at`. A planned fault that did not happen fails the scenario. From
 * `lost` to `gateway` the service does the request.
 */
const fault = z.discriminatedUnion("fault", [
  /** The client gets no answer. */
  z.strictObject({ ...where, fault: z.literal("lost") }),
  /** The client gets half of the body. */
  z.strictObject({ ...where, fault: z.literal("cut") }),
  /** The answer comes `ms` later. */
  z.strictObject({ ...where, fault: z.literal("late"), ms: z.number().int().min(1).max(10_000) }),
  /** The service gets the request twice at once. */
  z.strictObject({ ...where, fault: z.literal("twice") }),
  /** The client gets `status` in place of the answer. */
  z.strictObject({ ...where, fault: z.literal("gateway"), status }),
  /** The service does not get the request, and the client gets `status`. */
  z.strictObject({ ...where, fault: z.literal("refused"), status, retry_after: count.optional() }),
  /** The service does not get the request, and the connection is reset. */
  z.strictObject({ ...where, fault: z.literal("reset") }),
]);

/** The expected error of a step. */
const failure = z.strictObject({
  /**
   * A code of the service, `connection` (no whole answer), `untrusted` (nothing was signed), or `not_paid` (the chain does
   * not show the payment).
   */
  code: z.string(),
  status: status.optional(),
  retry_after: count.optional(),
  details: z.array(z.strictObject({ path: z.string(), keyword: z.string() })).optional(),
});

const party = z.enum(["buyer", "provider"]);
const number = z.number().int();
const acts = { fails: failure.optional() };

/** A step, with the condition under which it is done. */
const step = z.discriminatedUnion("do", [
  /** The party's wallet is signed in, and has an API key that the next steps use. */
  z.strictObject({ ...acts, do: z.literal("sign_in"), as: party }),
  /** The provider has an agent with a published service: a number in, twice of it out, for 2.50. */
  z.strictObject({ ...acts, do: z.literal("publish") }),
  /** An order is placed, and not paid. */
  z.strictObject({ ...acts, do: z.literal("place"), number: z.union([number, z.string()]) }),
  /** An order is placed, compared, paid by signature and funded. */
  z.strictObject({
    ...acts,
    do: z.literal("buy"),
    number,
    /** The most to pay. Default: 2.50. */
    at_most: amount.optional(),
    /** The symbols of the tokens that the buyer holds, the preferred one first. */
    pay_with: z.array(z.string()).min(1).optional(),
    /** Buys by the wallet alone, without a key. */
    without_account: z.literal(true).optional(),
  }),
  /** The provider has started and delivered the order, and the chain has the record. */
  z.strictObject({ ...acts, do: z.literal("deliver") }),
  /** The buyer has the output, has released the money, and has the verified receipt. */
  z.strictObject({ ...acts, do: z.literal("accept") }),
  /** The order is `started` again. */
  z.strictObject({ ...acts, do: z.literal("request_changes"), reason: z.string() }),
  /** The order is `disputed`. */
  z.strictObject({ ...acts, do: z.literal("dispute"), reason: z.string() }),
  /** The provider has given the money back, and the order is `refunded`. */
  z.strictObject({ ...acts, do: z.literal("refund") }),
  /** Each number is bought, delivered and accepted, at once. After an outage that outlasts the tries, the call is made again. */
  z.strictObject({ do: z.literal("trade"), numbers: z.array(number).min(1) }),
  /** All pages have so many orders, none twice. */
  z.strictObject({ do: z.literal("list"), page_size: count, orders: count }),
  /** The feed had events of these types, in this order, none twice. */
  z.strictObject({ do: z.literal("follow"), as: party, types: z.array(z.string()).min(1) }),
  /** The endpoint is ready for a delivery of this type. */
  z.strictObject({ do: z.literal("listen"), type: z.string() }),
  /** A delivery came whose signatures are good, by both families of headers, and not good once it is changed. */
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

/**
 * The service says one thing falsely in all its answers. The order's addresses are computed from the false agreement. With
 * `late_price` and `late_token`, the service takes the payment of a purchase without an account, denies it, and then
 * offers false terms. With `late_order`, it then answers with the buyer's first order.
 */
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
