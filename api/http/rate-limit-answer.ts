// The headers and the refusal that state a client's rate limits.

import type { Context as HonoContext } from "hono";
import type { RatePolicy } from "../../config/limits.ts";
import { ApiError } from "./api-error.ts";
import { type Limit, type LimitResult, windowSeconds } from "./rate-limit-store.ts";

/** A limit with the policy that its headers and its refusal name. */
export type PolicyLimit = Limit & { policy: RatePolicy; isOfNetwork?: boolean };

/** Writes the headers, with each policy once. The limit of a network appears only in its refusal. */
export function setRateHeaders(c: HonoContext, requested: PolicyLimit[], answers: LimitResult[]): void {
  const listed = requested
    .map((limit, at) => ({ limit, taken: answers[at] }))
    .filter(({ limit }) => !limit.isOfNetwork);
  const limits = listed.map(({ limit }) => limit);
  const taken = listed.map((item) => item.taken);
  const policies = limits.map(({ policy, perWindow, cost }) => {
    const unit = cost === undefined ? "" : ';qu="content-bytes"';
    return `"${policy}";q=${perWindow}${unit};w=${windowSeconds}`;
  });
  const left = limits.map(({ policy }, at) => {
    const { remaining = 0, fullIn = 0 } = taken[at] ?? {};
    return `"${policy}";r=${remaining};t=${Math.ceil(fullIn)}`;
  });
  c.header("RateLimit-Policy", policies.join(", "), { append: true });
  c.header("RateLimit", left.join(", "), { append: true });
}

const counted: Record<RatePolicy, string> = {
  credential: "requests with one session or key",
  account: "requests of one account",
  address: "requests without a valid token from one address (of IPv6, one /64)",
  sign_in: "sign-ins from one address (of IPv6, one /64)",
  search: "searches of one client",
  schema: "writes of services of one client",
  payment: "requests for payment of one client",
  verify: "checks of receipts of one client",
  balances: "reads of balances of one account",
  content: "bytes of bodies of one client",
  content_in_all: "bytes of bodies of all clients of this kind together",
  uploads: "bytes of uploads of one client",
  uploads_in_all: "bytes of uploads of all clients of this kind together",
  downloads: "bytes of files sent to one client",
  downloads_in_all: "bytes of files sent to all clients of this kind together",
  answers: "bytes of answers to one client",
  answers_in_all: "bytes of answers to all clients of this kind together",
};

/** The refusal of a request over a limit. It names the limit and the seconds to wait. */
export function refuseOverLimit(
  { policy, perWindow, isOfNetwork }: PolicyLimit,
  { retryAfter }: LimitResult,
): ApiError {
  const seconds = Math.max(1, Math.ceil(retryAfter));
  const scope = isOfNetwork ? ", from one network (an IPv4 /24 or an IPv6 /48)" : "";
  return new ApiError(
    "rate_limited",
    `The limit is ${perWindow} ${counted[policy]}${scope} within ${windowSeconds} seconds. Try again in ${seconds} s.`,
    undefined,
    seconds,
  );
}
