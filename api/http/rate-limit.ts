import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { LRUCache } from "lru-cache";
import type { RatePolicy } from "../../config/limits.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { largestBody } from "../../trade/storable-json.ts";
import { isParty } from "../../trade/totals/party.ts";
import { shares } from "../../trade/totals/shares.ts";
import type { Context } from "../context.ts";
import type { Variables } from "../variables.ts";
import { recognise } from "./access.ts";
import { ApiError } from "./api-error.ts";
import type { Caller } from "./caller.ts";
import { originOf } from "./client-address.ts";
import {
  createRateLimitStore,
  type Limit,
  type LimitResult,
  shareLimit,
  windowSeconds,
} from "./rate-limit-store.ts";
import { declaredLength, hasBody, isUpload } from "./request-body.ts";

/**
 * Requests with a policy of their own, because they are expensive or easily abused. Paths below `apiPath` are relative to it.
 * The first match applies, in addition to the general policies.
 */
const specialPolicies: { policy: RatePolicy; requests: RegExp; byAddress?: boolean }[] = [
  // By address even with a token, because each sign-in makes a new token.
  {
    policy: "sign_in",
    requests: /^POST \/(session|auth\/(nonce|signin|me\/wallets|device\/(approval|nonce)))$/,
    byAddress: true,
  },
  {
    policy: "sign_in",
    requests: /^(POST \/oauth\/register|(GET|HEAD) \/oauth\/authorize)$/,
    byAddress: true,
  },
  {
    policy: "search",
    requests: /^(GET|HEAD) \/(search$|marketplace\/|(facilitator\/)?discovery\/(resources|search)$)/,
  },
  { policy: "schema", requests: /^(POST|PATCH|PUT) \/agents\/[^/]+\/services(\/[^/]+)?$/ },
  {
    policy: "payment",
    requests:
      /^POST \/(orders\/[^/]+\/payment|buy\/[^/]+\/[^/]+|facilitator\/(verify|settle)|auth\/me\/wallets\/[^/]+\/(transfer|deployment))$/,
  },
  { policy: "verify", requests: /^POST \/receipts\/verify$/ },
  { policy: "balances", requests: /^(GET|HEAD) \/balances$/ },
];

const below = new RegExp(`^${apiPath}/`);

/** The parts of a total limit. Anonymous requests leave room for accounts, and both leave room for accounts that have paid. */
const shareOfKind = {
  addresses: shares.unproven / 2,
  accounts: shares.unproven / 2,
  parties: 1 - shares.unproven,
};

const inAll = {
  content: "content_in_all",
  uploads: "uploads_in_all",
  downloads: "downloads_in_all",
  answers: "answers_in_all",
} as const;
const ownSettlements = {
  content_in_all: "content",
  uploads_in_all: "uploads",
  downloads_in_all: "downloads",
  answers_in_all: "answers",
} as const;

/** The least bytes that a request costs which continues an upload in a bucket: the store reads and writes the last part again. */
const leastInBucket = 8 * 1024 * 1024;

/** Bytes of answers after which the next request counts them, and the most clients with uncounted bytes. */
const countedTogether = 64 * 1024;
const mostUncounted = 20_000;

type Handler = MiddlewareHandler<{ Variables: Variables }>;
type RequestContext = HonoContext<{ Variables: Variables }>;

/**
 * Limits requests, and the bytes of their bodies and answers. A request with a valid token counts by the token and by its
 * account. Any other request counts by its address, so invented tokens change nothing. Every answer states the remainder in
 * the headers of draft-ietf-httpapi-ratelimit-headers.
 *
 * @returns `requests` runs before all expensive work, and counts a body by its declared length. `bodies` counts any other
 * body once it is read, before it is parsed, and `countUndeclared` counts one directly. `countAnswer` counts the bytes of an
 * answer, which can only refuse later requests. `countDownload` counts the bytes of a file before they are sent.
 */
export function createRateLimits(context: Context) {
  const { config } = context;
  const { rateLimits } = config;
  const pass: Handler = (_, next) => next();
  if (!rateLimits)
    return {
      requests: pass,
      bodies: pass,
      countUndeclared: async () => {},
      countDownload: async () => {},
      countAnswer: () => {},
    };
  const rates = rateLimits;
  const uncounted = new LRUCache<string, number>({ max: mostUncounted });
  const store = createRateLimitStore(context);

  const requests: Handler = async (c, next) => {
    const client = await findClient(c);
    const length = declaredLength(c);
    const pending = takeUncounted(client);
    try {
      await take(c, client, [
        ...limitsOf(client, `${c.req.method} ${c.req.path.replace(below, "/")}`),
        ...(length ? bodyLimitsOf(c, client, length) : []),
        ...(pending > 0 ? bytesLimitsOf("answers", client, pending) : []),
      ]);
    } catch (error) {
      addUncounted(client, pending);
      throw error;
    }
    await next();
  };
  const bodies: Handler = async (c, next) => {
    // The last condition creates a whole `Request`, which Hono's server avoids otherwise.
    if (hasBody(c.req.method) && declaredLength(c) === null && !isUpload(c.req.path) && c.req.raw.body) {
      await countUndeclared(c, (await c.req.arrayBuffer()).byteLength);
    }
    await next();
  };
  return { requests, bodies, countUndeclared, countDownload, countAnswer };

  function countAnswer(c: RequestContext, bytes: number): void {
    const caller = c.get("caller") ?? c.get("recognised") ?? null;
    addUncounted({ caller, ...originOf(c) }, bytes);
  }

  function addUncounted(client: Client, bytes: number): void {
    const name = nameOf(client);
    if (name) uncounted.set(name, Math.min((uncounted.get(name) ?? 0) + bytes, rates.answers));
  }

  /** Takes a client's uncounted bytes, once they are worth a query to the shared counter. */
  function takeUncounted(client: Client): number {
    const name = nameOf(client);
    if (!name) return 0;
    const pending = uncounted.get(name) ?? 0;
    if (pending < Math.min(countedTogether, rates.answers)) return 0;
    uncounted.delete(name);
    return pending;
  }

  /** Counts a body without a declared length. A declared length was counted before. */
  async function countUndeclared(c: RequestContext, bytes: number): Promise<void> {
    if (bytes === 0 || declaredLength(c) !== null) return;
    const client = await findClient(c);
    await take(c, client, bytesLimitsOf("content", client, Math.min(bytes, largestBody)));
  }

  /** Counts the bytes of a file that are to be sent, for the account that its link names. */
  async function countDownload(c: RequestContext, accountId: string, bytes: number): Promise<void> {
    const client = { caller: { accountId }, ...originOf(c) };
    await take(c, client, bytesLimitsOf("downloads", client, bytes));
  }

  async function findClient(c: RequestContext): Promise<Client> {
    // If the database is away, the route itself reports it. Routes that need no database work.
    const caller = await recognise(context, c).catch(() => null);
    return { caller, ...originOf(c) };
  }

  /** The bytes of files have limits of their own. Any other body over the largest one is refused. */
  function bodyLimitsOf(c: RequestContext, client: Client, length: number): PolicyLimit[] {
    if (!isUpload(c.req.path)) return bytesLimitsOf("content", client, Math.min(length, largestBody));
    const least = config.files.s3 && c.req.method === "PATCH" ? leastInBucket : 0;
    return bytesLimitsOf("uploads", client, Math.max(length, least));
  }

  function limitsOf({ caller, address }: Client, request: string): PolicyLimit[] {
    const special = specialPolicies.find(({ requests }) => requests.test(request));
    const limits: PolicyLimit[] = [];
    const count = (policy: RatePolicy, client: string | null | undefined) => {
      if (client) limits.push({ policy, perWindow: rates[policy], bucket: `${policy} ${client}` });
    };
    if (caller) {
      count("credential", caller.credentialId);
      count("account", caller.accountId);
    } else {
      count("address", address);
    }
    if (special) count(special.policy, special.byAddress ? address : (caller?.accountId ?? address));
    return limits;
  }

  /** The limits of bytes. A body over the limit counts as the largest body. No client takes more of the total than its own limit. */
  function bytesLimitsOf(policy: keyof typeof inAll, client: Client, bytes: number): PolicyLimit[] {
    const name = nameOf(client);
    const cost = Math.min(bytes, rates[policy]);
    return [
      ...(name ? [{ policy, perWindow: rates[policy], bucket: `${policy} ${name}`, cost }] : []),
      ...shareOf(policy, client.caller ? "accounts" : "addresses", client, cost),
    ];
  }

  /** The limits of a kind of clients: first that of the client's network, then that of the kind. */
  function shareOf(
    policy: keyof typeof inAll,
    kind: keyof typeof shareOfKind,
    { network }: Client,
    cost: number,
  ): PolicyLimit[] {
    const name = inAll[policy];
    const ofAll = { policy: name, perWindow: rates[name], bucket: name, cost };
    const sharing = { kind, part: shareOfKind[kind], network, own: rates[policy] };
    const limits: PolicyLimit[] = shareLimit(ofAll, sharing);
    return limits.map((limit, at) => (at < limits.length - 1 ? { ...limit, isOfNetwork: true } : limit));
  }

  async function take(c: RequestContext, client: Client, limits: PolicyLimit[]): Promise<void> {
    const { caller } = client;
    if (limits.length === 0) return;
    let requested = limits;
    let taken = await store.take(requested);
    if (
      caller &&
      isInAll(refusedOf(requested, taken)?.[0].policy) &&
      (await isParty(context.db, caller.accountId))
    ) {
      requested = limits.flatMap((limit) => {
        if (!isInAll(limit.policy)) return limit;
        return limit.isOfNetwork
          ? []
          : shareOf(ownSettlements[limit.policy], "parties", client, limit.cost ?? 1);
      });
      taken = await store.take(requested);
    }
    setHeaders(c, requested, taken);
    const refused = refusedOf(requested, taken);
    if (refused) throw refuse(...refused);
  }
}

type Client = {
  caller: (Pick<Caller, "accountId"> & Partial<Pick<Caller, "credentialId">>) | null;
  address: string | null;
  network: string | null;
};

/** The account, or else the address, that bytes are counted by. */
const nameOf = ({ caller, address }: Client): string | null => caller?.accountId ?? address;

type InAll = (typeof inAll)[keyof typeof inAll];

function isInAll(policy: RatePolicy | undefined): policy is InAll {
  return Object.hasOwn(ownSettlements, policy ?? "");
}

/** The first limit that refuses. Total limits come last, so they are named only if the caller's own limit has room. */
function refusedOf(limits: PolicyLimit[], taken: LimitResult[]): [PolicyLimit, LimitResult] | undefined {
  const at = taken.findIndex(({ allowed }) => !allowed);
  return at < 0 ? undefined : [limits[at] as PolicyLimit, taken[at] as LimitResult];
}

type PolicyLimit = Limit & { policy: RatePolicy; isOfNetwork?: boolean };

/** Writes the headers, with each policy once. The limit of a network appears only in its refusal. */
function setHeaders(c: HonoContext, requested: PolicyLimit[], answers: LimitResult[]): void {
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

function refuse({ policy, perWindow, isOfNetwork }: PolicyLimit, { retryAfter }: LimitResult): ApiError {
  const seconds = Math.max(1, Math.ceil(retryAfter));
  const scope = isOfNetwork ? ", from one network (an IPv4 /24 or an IPv6 /48)" : "";
  return new ApiError(
    "rate_limited",
    `The limit is ${perWindow} ${counted[policy]}${scope} within ${windowSeconds} seconds. Try again in ${seconds} s.`,
    undefined,
    seconds,
  );
}
