import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Writes } from "../db/commit-outcome.ts";
import type { Caller } from "./http/caller.ts";

/** The values that the parts of the API keep with a request. */
export type Variables = {
  requestId: string;
  /** where the request came from; null where it came over no network */
  clientAddress: string | null;
  /** who the route let through */
  caller: Caller | undefined;
  /** whose token was sent, once it was looked at: null for none that is valid */
  recognised: Caller | null | undefined;
  /**
   * Of a write with an `Idempotency-Key`: what it makes has the id of this suffix, however often it is begun. An earlier
   * try may have made it.
   */
  effect: { id: string; mayStand: boolean } | undefined;
  /** whether the request was answered before its work ended */
  isLate: boolean | undefined;
  /** of an unpaid request: x402's document of what to pay, which the answer has beside the error */
  asked: object | undefined;
  /** of a write whose own work has begun: whether the database made any of it */
  writes: Writes | undefined;
};

/** The application of Hono, or a part of it. */
export type App = OpenAPIHono<{ Variables: Variables }>;
