import type { Logger } from "pino";
import type { Config } from "../../config/config.ts";
import type { ReceiptSigner } from "../../config/keys/signing-key.ts";
import type { Database } from "../../db/client.ts";
import { signAsBot } from "../../protocol/execution/bot-signature.ts";
import { decodeUtf8, parseJson } from "../../protocol/json/parse.ts";
import { type SendOptions, type SendResult, sendGuarded } from "../../untrusted/outbound/guarded-request.ts";
import { policyOf } from "../../untrusted/outbound/url-guard.ts";
import { mostOfShares, runFairBatch } from "../fair-batch.ts";
import {
  findDue,
  type LeasedTarget,
  type ProbeResult,
  postponeLate,
  recordResults,
  targetLeases,
} from "./due-targets.ts";

/** The most probes at once: in all, which all accounts share, and of one host. */
const mostAtOnce = 256;
const mostOfHost = 2;
/** Milliseconds for which a probe keeps its slot, even if its host answers faster. */
const minHoldMs = 1000;
const mostBodyBytes = 65_536;
const timeoutMs = 10_000;

/**
 * Returns a function that probes the endpoints of published agents until none is due.
 * @param options.send overrides for the tests' servers
 */
export function createProber(
  db: Database,
  config: Pick<Config, "publicUrl" | "probeIntervalSeconds">,
  signer: Pick<ReceiptSigner, "keys">,
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

  async function probe(target: LeasedTarget, signal?: AbortSignal): Promise<void> {
    const { id, url, until } = target;
    const headers = {
      ...sendOptions.headers,
      ...(await signAsBot({ method: "GET", url: new URL(url).href }, { ...config, ...signer })),
    };
    const response = await sendGuarded(url, { ...sendOptions, headers, ...(signal ? { signal } : {}) });
    if (!response.ok && response.error === "aborted") return targetLeases.giveBack(db, target);
    const probed = { id, until, checkedAt: new Date(), ...probeResultOf(url, response) };
    await recordResults(db, [probed], { intervalSeconds });
  }

  return async (signal) => {
    await runFairBatch<LeasedTarget>({
      find: async (full) => {
        await postponeLate(db, intervalSeconds);
        return findDue(db, full);
      },
      take: (ids) => targetLeases.take(db, ids),
      act: (target) => probe(target, signal),
      failed: (error, { id }) => log.error({ err: error, target_id: id }, "a probe failed"),
      mostAtOnce,
      mostOfKeys: [mostOfHost, ...mostOfShares(mostAtOnce)],
      minHoldMs,
      signal,
    });
    return targetLeases.secondsToNext(db);
  };
}

/**
 * Rates an endpoint by its response. Any status below 500 is ok: an endpoint that requires a POST, a key or another
 * path still works. So does one whose body never ends, such as a stream of events.
 */
export function probeResultOf(
  url: string,
  result: SendResult,
): Omit<ProbeResult, "id" | "until" | "checkedAt"> {
  const { status } = result;
  const overTls = new URL(url).protocol === "https:";
  return {
    ok: status !== null && status < 500,
    reachable: status !== null,
    statusCode: status,
    latencyMs: result.headersMs,
    tlsValid: overTls ? readTls(result) : null,
    bodyIsJson: result.ok && !result.isTruncated ? isJson(result.bytes) : null,
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
