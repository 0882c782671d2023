import type { Context as HonoContext, MiddlewareHandler } from "hono";
import type { RatePolicy } from "../config/protection.ts";
import { recognise } from "./access.ts";
import { networkOf } from "./client-address.ts";
import type { Context, Variables } from "./context.ts";
import { ApiError } from "./errors.ts";
import { basePath } from "./openapi.ts";
import { createRateLimitStore, type Limit, type Taken, windowSeconds } from "./rate-limit-store.ts";

/** What costs more than other requests, or can be abused. The first that matches counts, beside the general policies. */
const dear: { policy: RatePolicy; requests: RegExp; byAddress?: boolean }[] = [
  // By address even with a token: each sign-in makes a new one.
  { policy: "sign_in", requests: /^POST \/auth\/(nonce|signin|me\/wallets)$/, byAddress: true },
  { policy: "search", requests: /^(GET|HEAD) \/marketplace\// },
  { policy: "schema", requests: /^(POST|PATCH|PUT) \/agents\/[^/]+\/services(\/[^/]+)?$/ },
  { policy: "payment", requests: /^POST \/orders\/[^/]+\/payment$/ },
  { policy: "verify", requests: /^POST \/receipts\/verify$/ },
];

/**
 * Limits requests: those with a valid token by the token and by its account, all others by the address they come from,
 * so that made-up tokens change nothing. Every answer says how much is left, in the IETF's headers
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export function limitRequests(context: Context): MiddlewareHandler<{ Variables: Variables }> {
  const { rateLimits } = context.config;
  if (!rateLimits) return (_, next) => next();
  const store = createRateLimitStore(context);

  return async (c, next) => {
    const limits = await findLimits(c);
    if (limits.length > 0) {
      const taken = await store.take(limits);
      tell(c, limits, taken);
      const refused = taken.findIndex(({ allowed }) => !allowed);
      if (refused >= 0) throw refuse(limits[refused] as PolicyLimit, taken[refused] as Taken);
    }
    await next();
  };

  async function findLimits(c: HonoContext<{ Variables: Variables }>): Promise<PolicyLimit[]> {
    // Where the database is out, the route itself says so; what needs none is served.
    const caller = await recognise(context, c).catch(() => null);
    const address = c.get("clientAddress");
    const network = address && networkOf(address);
    const request = `${c.req.method} ${c.req.path.slice(basePath.length)}`;
    const special = dear.find(({ requests }) => requests.test(request));
    const limits: PolicyLimit[] = [];
    const count = (policy: RatePolicy, client: string | null | undefined) => {
      const perWindow = (rateLimits as NonNullable<typeof rateLimits>)[policy];
      if (client) limits.push({ policy, perWindow, bucket: `${policy} ${client}` });
    };
    if (caller) {
      count("credential", caller.credentialId);
      count("account", caller.accountId);
    } else {
      count("address", network);
    }
    if (special) count(special.policy, special.byAddress ? network : (caller?.accountId ?? network));
    return limits;
  }
}

type PolicyLimit = Limit & { policy: RatePolicy };

function tell(c: HonoContext, limits: PolicyLimit[], taken: Taken[]): void {
  const policies = limits.map(({ policy, perWindow }) => `"${policy}";q=${perWindow};w=${windowSeconds}`);
  const left = limits.map(({ policy }, at) => {
    const { remaining = 0, fullIn = 0 } = taken[at] ?? {};
    return `"${policy}";r=${remaining};t=${Math.ceil(fullIn)}`;
  });
  c.header("RateLimit-Policy", policies.join(", "));
  c.header("RateLimit", left.join(", "));
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
};

function refuse({ policy, perWindow }: PolicyLimit, { retryAfter }: Taken): ApiError {
  const seconds = Math.max(1, Math.ceil(retryAfter));
  return new ApiError(
    "rate_limited",
    `The limit is ${perWindow} ${counted[policy]} within ${windowSeconds} seconds. Try again in ${seconds} s.`,
    undefined,
    seconds,
  );
}
