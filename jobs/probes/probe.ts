import type { Logger } from "pino";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { decodeUtf8, parseJson } from "../../protocol/json/parse.ts";
import { type SendOptions, type SendResult, sendGuarded } from "../../untrusted/outbound/guarded-request.ts";
import { policyOf } from "../../untrusted/outbound/url-guard.ts";
import { mostOfShares, workOnDue } from "../fair-batch.ts";
import {
  type Finding,
  findDue,
  type ProbeClaim,
  postponeLate,
  recordFindings,
  returnTarget,
  secondsToNext,
  takeTargets,
} from "./due-targets.ts";

/** Probes at once: in all, which all accounts share, and of one host. */
const mostAtOnce = 256;
const mostOfHost = 2;
/** Milliseconds for which a probe keeps its place, however quickly its host answered. */
const rest = 1000;
const mostBodyBytes = 65_536;
const timeoutMs = 10_000;

/**
 * Probes the endpoints that published agents advertise, until none is due.
 *
 * @param options.send how the tests' servers are reached
 */
export function createProber(
  db: Database,
  config: Pick<Config, "publicUrl" | "probeIntervalSeconds">,
  options: { log: Logger; send?: Partial<Pick<SendOptions, "ca" | "lookup" | "policy" | "timeoutMs">> },
): (signal?: AbortSignal) => Promise<number | null> {
  const { log } = options;
  const intervalSeconds = config.probeIntervalSeconds;
  const sendOptions = {
    policy: policyOf(config.publicUrl),
    method: "GET" as const,
    headers: {
      Accept: "application/json, */*;q=0.5",
      "User-Agent": `Earnest-Probe/1 (+${config.publicUrl})`,
    },
    maxResponseBytes: mostBodyBytes,
    timeoutMs,
    ...options.send,
  };

  async function probe(claim: ProbeClaim, signal?: AbortSignal): Promise<void> {
    const { id, url, until } = claim;
    const result = await sendGuarded(url, { ...sendOptions, ...(signal ? { signal } : {}) });
    if (!result.ok && result.error === "aborted") return returnTarget(db, claim);
    const finding = { id, until, checkedAt: new Date(), ...judge(url, result) };
    await recordFindings(db, [finding], { intervalSeconds });
  }

  return async (signal) => {
    await workOnDue<ProbeClaim>({
      find: async (full) => {
        await postponeLate(db, intervalSeconds);
        return findDue(db, full);
      },
      take: (ids) => takeTargets(db, ids),
      act: (claim) => probe(claim, signal),
      failed: (error, { id }) => log.error({ err: error, target_id: id }, "a probe went wrong"),
      mostAtOnce,
      mostOfKeys: [mostOfHost, ...mostOfShares(mostAtOnce)],
      rest,
      signal,
    });
    return secondsToNext(db);
  };
}

/**
 * What a result says of an endpoint. It is ok when it answers with a status below 500: one that wants a POST, a key or
 * another path is at work all the same. An answer whose body never ends, such as a stream of events, is one too.
 */
export function judge(url: string, result: SendResult): Omit<Finding, "id" | "until" | "checkedAt"> {
  const { status } = result;
  const overTls = new URL(url).protocol === "https:";
  return {
    ok: status !== null && status < 500,
    reachable: status !== null,
    statusCode: status,
    latencyMs: result.headersMs,
    tlsValid: overTls ? readTls(result) : null,
    bodyIsJson: result.ok && !result.truncated ? isJson(result.bytes) : null,
  };
}

function readTls(result: SendResult): boolean | null {
  if (result.ok || result.isSecure) return true;
  return result.error === "tls_failed" ? false : null;
}

function isJson(bytes: Uint8Array): boolean {
  try {
    parseJson(decodeUtf8(bytes));
    return true;
  } catch {
    return false;
  }
}
