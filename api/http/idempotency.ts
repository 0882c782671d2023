import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { typeid } from "typeid-js";
import { type Database, preparedName } from "../../db/client.ts";
import { OutcomeUnknownError } from "../../db/commit-outcome.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Context } from "../context.ts";
import type { Variables } from "../variables.ts";
import { readCaller } from "./access.ts";
import { readToken } from "./access-tokens.ts";
import { ApiError, refuseHeader } from "./api-error.ts";
import { originOf } from "./client-address.ts";
import { restoreBody, storedAnswer, withoutLargeMembers } from "./stored-answer.ts";
import { createStoredAnswerQuota } from "./stored-answer-quota.ts";

/** The time for which an answer is stored. */
const retention = "interval '24 hours'";

/**
 * The seconds after which a write counts as dead: more than any request waits (`X402_WAIT_SECONDS` is at most 60). Then a
 * repeated request does the write again, with the same effect id.
 */
const leaseSeconds = 90;
const lease = `interval '${leaseSeconds} seconds'`;

/** Milliseconds between two attempts to store a result while the database is away, and the most results that wait. */
const retryMilliseconds = 1000;
const mostLateWrites = 1000;

/** Seconds after which to repeat a request that is in flight. */
const inFlightRetrySeconds = 1;

const writes = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/** The headers that belong to the identity of a request, and those that are stored with an answer. */
const requestHeaders = ["payment-signature", "if-match"];
const answerHeaders = [
  "content-type",
  "cache-control",
  "etag",
  "location",
  "payment-required",
  "payment-response",
];

/** Statuses that say nothing about the write itself: the caller, the rate, or a missing payment. The key stays free. */
const unstoredStatuses = new Set([401, 402, 403, 429]);

/**
 * Stores the answer of a write with an `Idempotency-Key` for 24 hours, and repeats it to the same write of its account.
 *
 * The key is reserved before the write begins. If the process dies in between, a later request does the write again when
 * the lease ends. This is harmless for a write that sets a state. A write that creates an order uses the same id
 * (`effect`).
 *
 * Answers hold tokens and secrets that are shown once. So they are encrypted under the caller's token and the key, neither
 * of which is stored. Payloads are left out: they are stored in the order or the service.
 *
 * @throws ApiError `idempotency_mismatch`, or `conflict` for a write in flight or one of another token
 */
export function storeAnswers({ db, log, ...context }: Context): MiddlewareHandler<{ Variables: Variables }> {
  const hasRoom = createStoredAnswerQuota({ db, log });
  let waitingWrites = 0;
  return async (c, next) => {
    const key = c.req.header("idempotency-key");
    if (key === undefined || !writes.has(c.req.method)) return next();
    if (!/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(key)) {
      throw refuseHeader("Idempotency-Key", "must be 1 to 255 printable ASCII characters");
    }
    const caller = await readCaller({ db, log, ...context }, c);
    const token = readToken(c);
    if (!caller || token === undefined) return next();

    const scope = hash([caller.accountId, c.req.header("x-organisation") ?? "", key]);
    const secret = { token, key, scope };
    const attempt = await begin(scope, await hashRequest(c));
    if ("answer" in attempt) return replay(c, db, attempt, secret);

    c.set("effect", attempt.effect);
    await next();
    const read = await readOutcome(c.res, secret);
    // An answer beyond the quota is not stored. The record of its write is.
    const isKept =
      typeof read === "string" ||
      !read.answer ||
      (await hasRoom(caller.accountId, originOf(c).network, read.answer.length));
    const outcome = isKept ? read : { ...read, answer: null };
    // The write is done, whether its record is stored or not. Without the record, a repeated request does the write again.
    await finish(scope, attempt.lease, outcome).catch((error) => {
      log.warn({ err: error, request_id: c.get("requestId") }, "an idempotent answer is not stored yet");
      void finishLate(() => finish(scope, attempt.lease, outcome));
    });
  };

  /** Retries until the database is back. Otherwise a repeated request would wait for the end of the lease. */
  async function finishLate(end: () => Promise<unknown>): Promise<void> {
    if (waitingWrites >= mostLateWrites) return;
    waitingWrites += 1;
    for (const over = performance.now() + leaseSeconds * 1000; performance.now() < over; ) {
      await sleep(retryMilliseconds, undefined, { ref: false });
      const isEnded = await end().then(
        () => true,
        () => false,
      );
      if (isEnded) break;
    }
    waitingWrites -= 1;
  }

  async function begin(scope: string, requestHash: string): Promise<Attempt | StoredAnswer> {
    const effectId = typeid().getSuffix();
    const beginning = { name: preparedName(db, "begin_idempotent"), text: beginStatement };
    // A failover must not undo this record: otherwise the same key would do the work twice.
    const { rows } = await inTransaction(db, ({ $client }) =>
      $client.query<{ effect_id: string; lease: string }>(beginning, [scope, requestHash, effectId]),
    ).catch((error) => {
      // The record may have been written, and no work was done.
      if (error instanceof OutcomeUnknownError) {
        const values = [scope, effectId];
        void finishLate(() =>
          db.$client.query({
            name: preparedName(db, "free_unbegun_idempotent"),
            text: freeUnbegunStatement,
            values,
          }),
        );
      }
      throw error;
    });
    const [reserved] = rows;
    if (reserved) {
      const effect = { id: reserved.effect_id, mayStand: reserved.effect_id !== effectId };
      return { effect, lease: reserved.lease };
    }

    const { rows: current } = await db.$client.query<{
      request_hash: string;
      status: number | null;
      answer: string | null;
    }>({ name: preparedName(db, "read_idempotent"), text: readStatement, values: [scope] });
    const record = current[0];
    if (record && record.request_hash !== requestHash) {
      throw new ApiError(
        "idempotency_mismatch",
        "This Idempotency-Key was used with another request: use a new key for a new request.",
      );
    }
    if (record?.status) return { status: record.status, answer: record.answer };
    throw new ApiError(
      "conflict",
      "The same request is in progress. Send it again to get its answer.",
      undefined,
      inFlightRetrySeconds,
    );
  }

  /** Stores the answer, or frees the key, or leaves the record to the next attempt if the outcome is unknown. */
  async function finish(scope: string, heldLease: string, outcome: Outcome): Promise<void> {
    const { status, answer } = typeof outcome === "string" ? { status: null, answer: null } : outcome;
    await db.$client.query(
      outcome === "free"
        ? { name: preparedName(db, "free_idempotent"), text: freeStatement, values: [scope, heldLease] }
        : {
            name: preparedName(db, "end_idempotent"),
            text: endStatement,
            values: [scope, heldLease, status, answer],
          },
    );
  }
}

/** Whether the stored record, which the statement names `stored`, is older than the retention. */
const isOld = `stored.created_at < now() - ${retention}`;

/**
 * Parameters: $1 scope, $2 the request's hash, $3 an effect id. A caller takes over a record that is old or whose holder is
 * dead. Every other caller reads the record.
 */
const beginStatement = `
  insert into earnest.idempotency_record as stored (scope, request_hash, effect_id, leased_until)
  values ($1, $2, $3, now() + ${lease})
  on conflict (scope) do update set
    request_hash = excluded.request_hash,
    effect_id = case when ${isOld} then excluded.effect_id else stored.effect_id end,
    created_at = case when ${isOld} then now() else stored.created_at end,
    leased_until = excluded.leased_until,
    status = null,
    answer = null
  where ${isOld}
    or (stored.status is null and stored.leased_until <= now() and stored.request_hash = excluded.request_hash)
  returning effect_id, leased_until::text as lease`;

const readStatement = "select request_hash, status, answer from earnest.idempotency_record where scope = $1";

/** The condition of the statements that end a record: $1 scope, $2 the lease. */
const isHeld = "scope = $1 and status is null and leased_until::text = $2";
const freeStatement = `delete from earnest.idempotency_record where ${isHeld}`;
/** Parameter $2: the effect id of an attempt that did nothing. Nobody takes the record over while its lease lasts. */
const freeUnbegunStatement = `
  delete from earnest.idempotency_record
  where scope = $1 and effect_id = $2 and status is null and created_at > now() - ${lease}`;
/** Parameters: $3 the status, null if the outcome is unknown, which ends the lease at once; $4 the answer. */
const endStatement = `
  update earnest.idempotency_record
  set status = $3, answer = $4, leased_until = case when $3::integer is null then now() end
  where ${isHeld}`;

type Attempt = { effect: { id: string; mayStand: boolean }; lease: string };
type StoredAnswer = { status: number; answer: string | null };
type Outcome = StoredAnswer | "free" | "unknown";
type Secret = { token: string; key: string; scope: string };

async function readOutcome(response: Response, secret: Secret): Promise<Outcome> {
  const { status } = response;
  if (status >= 500) return "unknown";
  if (unstoredStatuses.has(status)) return "free";
  const headers = answerHeaders.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value] as [string, string]];
  });
  const stored = withoutLargeMembers(await response.clone().text());
  // A refused request has done nothing, so it may be tried again.
  if (!stored && status >= 400) return "free";
  return { status, answer: stored && encrypt(JSON.stringify({ headers, ...stored }), secret) };
}

async function replay(
  c: HonoContext,
  db: Database,
  { status, answer }: StoredAnswer,
  secret: Secret,
): Promise<Response> {
  if (answer === null) {
    throw new ApiError(
      "conflict",
      `This request was carried out and answered ${status}. Its answer was not stored: read the resource that it created or changed.`,
    );
  }
  const text = decrypt(answer, secret);
  if (text === null) {
    throw new ApiError(
      "conflict",
      "This Idempotency-Key was used with another token of your account, and that request took effect. Only that token may read its answer: read the resource that it created or changed.",
    );
  }
  const { headers, ...stored } = storedAnswer.parse(JSON.parse(text));
  const body = await restoreBody(db, stored);
  for (const [name, value] of headers) c.header(name, value);
  c.header("Idempotent-Replayed", "true");
  return body === "" ? c.body(null, status as 204) : c.body(body, status as ContentfulStatusCode);
}

async function hashRequest(c: HonoContext): Promise<string> {
  const headers = requestHeaders.map((name) => c.req.header(name) ?? "");
  const { pathname, search } = new URL(c.req.url);
  return hash([c.req.method, pathname + search, ...headers, await c.req.text()]);
}

function hash(parts: string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

const cipher = "aes-256-gcm";

function keyOf({ token, key, scope }: Secret): Buffer {
  return Buffer.from(hkdfSync("sha256", token, scope, `earnest idempotency ${key}`, 32));
}

function encrypt(text: string, secret: Secret): string {
  const nonce = randomBytes(12);
  const encryption = createCipheriv(cipher, keyOf(secret), nonce);
  const sealed = [encryption.update(text, "utf8"), encryption.final()];
  return Buffer.concat([nonce, encryption.getAuthTag(), ...sealed]).toString("base64");
}

/** Decrypts a stored answer; null if it was encrypted under another token. */
function decrypt(answer: string, secret: Secret): string | null {
  const bytes = Buffer.from(answer, "base64");
  const decryption = createDecipheriv(cipher, keyOf(secret), bytes.subarray(0, 12));
  decryption.setAuthTag(bytes.subarray(12, 28));
  try {
    return Buffer.concat([decryption.update(bytes.subarray(28)), decryption.final()]).toString("utf8");
  } catch {
    return null;
  }
}
