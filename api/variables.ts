import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Language } from "../console/src/text/catalogues.ts";
import type { Writes } from "../db/commit-outcome.ts";
import type { Caller } from "./http/caller.ts";

/** The values that the parts of the API keep with a request. */
export type Variables = {
  requestId: string;
  /** the language of the reader of a page; undefined for requests of other paths */
  language: Language;
  /** the client's address; null for a request that came over no network */
  clientAddress: string | null;
  /** the token of the session's cookie; undefined unless a page of this service sent the request */
  cookieToken: string | undefined;
  /** the caller that the route let through */
  caller: Caller | undefined;
  /** the account of the token that was sent: undefined until the token is checked, null if it is missing or invalid */
  recognised: Caller | null | undefined;
  /**
   * For a write with an `Idempotency-Key`: the suffix of the id of the row that it creates. Each attempt has the same id.
   * An earlier attempt may have created the row.
   */
  effect: { id: string; mayStand: boolean } | undefined;
  /** true if the request was answered before its work ended */
  isLate: boolean | undefined;
  /** true if the bytes of the answer were counted before it was sent */
  isCharged: boolean | undefined;
  /** for an order that needs payment: x402's payment document, sent beside the error */
  paymentRequired: object | undefined;
  /** the progress of a write: whether the database may have committed a part of it */
  writes: Writes | undefined;
};

/** The application of Hono, or a part of it. */
export type App = OpenAPIHono<{ Variables: Variables }>;
