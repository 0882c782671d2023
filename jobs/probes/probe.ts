import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import type { Database } from "../../db/client.ts";
import { policyOf } from "../../outbound/guard.ts";
import { type SendOptions, type SendResult, sendGuarded } from "../../outbound/request.ts";
import { createPause } from "../loop.ts";
import { createUnderWay } from "../under-way.ts";
import { claimProbes, type Finding, type ProbeClaim, recordFindings, returnProbes } from "./claim.ts";
import { followAgents } from "./targets.ts";

/** Milliseconds after which all agents are looked at again, not those that changed only. */
const followAllEvery = 3_600_000;
/** Milliseconds that a finding waits for others, to be written down with them. */
const linger = 100;
/** Probes under way in this process, and of them those of one host. */
const mostAtOnce = 256;
const mostOfHost = 2;
/** Milliseconds for which a host keeps the place of a probe, however quickly it answered. */
const hostRest = 1000;
const mostBodyBytes = 65_536;
const timeoutMs = 10_000;
/** A lease outlives the longest probe, so that nothing is probed twice at once. */
const leaseMs = 3 * timeoutMs;

/**
 * Probes the endpoints that published agents advertise. Several processes may do so at once.
 *
 * @param options.send how the tests' servers are reached
 */
export function createProber(
  db: Database,
  config: Pick<Config, "publicUrl" | "probeIntervalSeconds">,
  options: {
    log: Logger;
    signal: AbortSignal;
    send?: Partial<Pick<SendOptions, "ca" | "lookup" | "policy" | "timeoutMs">>;
  },
) {
  const { log, signal } = options;
  const intervalSeconds = config.probeIntervalSeconds;
  const name = randomBytes(6).toString("hex");
  const pause = createPause();
  const underWay = createUnderWay(probe, {
    failed: (error, { id }) => log.error({ err: error, target_id: id }, "a probe went wrong"),
  });
  const busy = new Map<string, number>();
  let findings: Finding[] = [];
  const sendOptions = {
    policy: policyOf(config.publicUrl),
    method: "GET" as const,
    headers: {
      Accept: "application/json, */*;q=0.5",
      "User-Agent": `Earnest-Probe/1 (+${config.publicUrl})`,
    },
    maxResponseBytes: mostBodyBytes,
    timeoutMs,
    signal,
    ...options.send,
  };

  /** Writes down what was found, and begins what is due and has room. */
  async function round(): Promise<void> {
    await record();
    const claimed = await claimProbes(db, {
      slots: mostAtOnce - underWay.pieces().length,
      mostOfHost,
      busy,
      lease: name,
      leaseMs,
      intervalSeconds,
    });
    for (const claim of claimed) underWay.begin(claim);
  }

  function leave(host: string): void {
    const left = (busy.get(host) ?? 0) - 1;
    if (left > 0) busy.set(host, left);
    else busy.delete(host);
  }

  async function probe({ id, url, host }: ProbeClaim): Promise<void> {
    busy.set(host, (busy.get(host) ?? 0) + 1);
    const began = performance.now();
    const result = await sendGuarded(url, sendOptions).finally(() => {
      setTimeout(leave, Math.max(0, began + hostRest - performance.now()), host).unref();
    });
    if (!result.ok && result.error === "aborted") return returnProbes(db, name, [id]);
    if (findings.length === 0) setTimeout(pause.cutShort, linger).unref();
    findings.push({ id, lease: name, checkedAt: new Date(), ...judge(url, result) });
  }

  async function record(): Promise<void> {
    const batch = findings;
    findings = [];
    try {
      await recordFindings(db, batch, { intervalSeconds });
    } catch (error) {
      // Tried again; what is another's by then is not overwritten.
      findings = [...batch, ...findings].slice(-10_000);
      throw error;
    }
  }

  let since: string | null = null;
  let followedAll = 0;

  /** Takes up what agents advertise by now. */
  async function follow(): Promise<void> {
    const isAll = performance.now() - followedAll >= followAllEvery || since === null;
    const followed = await followAgents(db, isAll ? null : since);
    since = followed.next;
    if (followed.moved > 0) pause.cutShort();
    if (isAll) followedAll = performance.now();
  }

  return {
    follow,
    pause,
    run: round,
    /** Writes down the last findings. What the signal broke off is left to others. */
    async end(): Promise<void> {
      await underWay.ended();
      await record().catch((error: unknown) =>
        log.warn({ err: error }, "what the last probes found is lost; they are made again"),
      );
    },
  };
}

/**
 * What a result says of an endpoint. It is ok when it answers with a status below 500: one that wants a POST, a key or
 * another path is at work all the same. An answer whose body never ends, such as a stream of events, is one too.
 */
export function judge(url: string, result: SendResult): Omit<Finding, "id" | "lease" | "checkedAt"> {
  const { status } = result;
  const overTls = new URL(url).protocol === "https:";
  return {
    ok: status !== null && status < 500,
    reachable: status !== null,
    statusCode: status,
    latencyMs: result.headersMs,
    tlsValid: overTls ? readTls(result) : null,
    bodyIsJson: result.ok && !result.truncated ? isJson(result.body) : null,
  };
}

function readTls(result: SendResult): boolean | null {
  if (result.ok || result.isSecure) return true;
  return result.error === "tls_failed" ? false : null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
