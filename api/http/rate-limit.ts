import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { LRUCache } from "lru-cache";
import type { RatePolicy } from "../../config/limits.ts";
import { sharesOfTotal } from "../../trade/fair-shares/capacity-shares.ts";
import { isParty } from "../../trade/fair-shares/funded-party.ts";
import { largestBody } from "../../trade/storable-json.ts";
import type { Context } from "../context.ts";
import type { Variables } from "../variables.ts";
import { readCaller } from "./access.ts";
import type { Caller } from "./caller.ts";
import { originOf } from "./client-address.ts";
import { type PolicyLimit, refuseOverLimit, setRateHeaders } from "./rate-limit-answer.ts";
import { createRateLimitStore, type LimitResult, shareLimit } from "./rate-limit-store.ts";
import { declaredLength, hasBody, isUpload } from "./request-body.ts";
import { specialPolicyOf } from "./special-rates.ts";

/** The parts of a total limit. Anonymous requests leave room for accounts, and both leave room for accounts that have paid. */
const shareOfKind = {
  addresses: sharesOfTotal.unproven / 2,
  accounts: sharesOfTotal.unproven / 2,
  parties: 1 - sharesOfTotal.unproven,
};

/** The policies of bytes. Each has a total policy, which limits all clients together. */
const bytePolicies = ["content", "uploads", "downloads", "answers"] as const;
type BytePolicy = (typeof bytePolicies)[number];

/** A part of an upload to a bucket counts as at least these bytes, because the store reads and writes the last part again. */
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
        ...limitsOf(client, c.req),
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
    const caller = await readCaller(context, c).catch(() => null);
    return { caller, ...originOf(c) };
  }

  /** The bytes of files have limits of their own. Any other body over the largest one is refused. */
  function bodyLimitsOf(c: RequestContext, client: Client, length: number): PolicyLimit[] {
    if (!isUpload(c.req.path)) return bytesLimitsOf("content", client, Math.min(length, largestBody));
    const least = config.files.s3 && c.req.method === "PATCH" ? leastInBucket : 0;
    return bytesLimitsOf("uploads", client, Math.max(length, least));
  }

  function limitsOf({ caller, address }: Client, { method, path }: RequestContext["req"]): PolicyLimit[] {
    const special = specialPolicyOf(method, path);
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
    if (special) count(special.policy, special.countsByAddress ? address : (caller?.accountId ?? address));
    return limits;
  }

  /** The limits of bytes. A body over the limit counts as the largest body. No client takes more of the total than its own limit. */
  function bytesLimitsOf(policy: BytePolicy, client: Client, bytes: number): PolicyLimit[] {
    const name = nameOf(client);
    const cost = Math.min(bytes, rates[policy]);
    return [
      ...(name ? [{ policy, perWindow: rates[policy], bucket: `${policy} ${name}`, cost }] : []),
      ...shareOf(policy, client.caller ? "accounts" : "addresses", client, cost),
    ];
  }

  /** The limits of a kind of clients: first that of the client's network, then that of the kind. */
  function shareOf(
    policy: BytePolicy,
    kind: keyof typeof shareOfKind,
    { network }: Client,
    cost: number,
  ): PolicyLimit[] {
    const name = `${policy}_in_all` as const;
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
    const refusing = refusedOf(requested, taken)?.[0];
    if (caller && refusing && byteTotalOf(refusing) && (await isParty(context.db, caller.accountId))) {
      requested = limits.flatMap((limit) => {
        const policy = byteTotalOf(limit);
        if (!policy) return limit;
        return limit.isOfNetwork ? [] : shareOf(policy, "parties", client, limit.cost ?? 1);
      });
      taken = await store.take(requested);
    }
    setRateHeaders(c, requested, taken);
    const refused = refusedOf(requested, taken);
    if (refused) throw refuseOverLimit(...refused);
  }
}

type Client = {
  caller: (Pick<Caller, "accountId"> & Partial<Pick<Caller, "credentialId">>) | null;
  address: string | null;
  network: string | null;
};

/** The account, or else the address, that bytes are counted by. */
const nameOf = ({ caller, address }: Client): string | null => caller?.accountId ?? address;

/** The policy of bytes whose total a limit is; undefined for any other limit. */
function byteTotalOf({ policy }: PolicyLimit): BytePolicy | undefined {
  return bytePolicies.find((name) => `${name}_in_all` === policy);
}

/** The first limit that refuses. Total limits come last, so they are named only if the caller's own limit has room. */
function refusedOf(limits: PolicyLimit[], taken: LimitResult[]): [PolicyLimit, LimitResult] | undefined {
  const at = taken.findIndex(({ isAllowed }) => !isAllowed);
  return at < 0 ? undefined : [limits[at] as PolicyLimit, taken[at] as LimitResult];
}
