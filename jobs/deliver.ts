import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Database } from "../db/client.ts";
import { hasEndpoints } from "../db/deliveries.ts";
import { policyOf } from "../outbound/guard.ts";
import { type SendOptions, type SendResult, sendGuarded } from "../outbound/request.ts";
import { eventBody } from "../settlement/events.ts";
import { findWebhookKey, readWebhookKey } from "../webhook-key.ts";
import { deriveSecret, signDelivery } from "../webhooks/signature.ts";
import { type Claim, claimDeliveries } from "./deliver-claim.ts";
import { judge, type Outcome } from "./deliver-outcome.ts";
import { recordOutcomes } from "./deliver-record.ts";
import { createWaker, repeat } from "./loop.ts";

/** Milliseconds between two looks at what is due when nothing wakes the deliverer. */
const pause = 1000;
/** Deliveries under way at once in this process, and of them those to slow endpoints. */
const mostUnderWay = 512;
const mostSlow = 128;
const perEndpoint = 4;
/** An answer that takes longer makes an endpoint slow for a while, in milliseconds: it is sent one at a time. */
const slowAfter = 5000;
const slowFor = 600_000;
/** A lease outlives the longest attempt, so that no delivery is sent twice at once. */
const leasesPerTimeout = 3;

export type Deliverer = ReturnType<typeof createDeliverer>;

type DeliverConfig = Pick<Config, "publicUrl" | "webhookKeyFile" | "webhookTimeoutSeconds">;

/**
 * The key that signs deliveries; null where there is none and no endpoint that needs it.
 *
 * @throws ConfigError where endpoints are there and their key is not
 */
export async function requireWebhookKey(
  db: Database,
  config: Pick<Config, "webhookKeyFile">,
): Promise<Uint8Array | null> {
  return findWebhookKey(config) ?? ((await hasEndpoints(db)) ? readWebhookKey(config) : null);
}

/**
 * Sends events to webhook endpoints. Several processes may do so at once.
 *
 * @param options.send how the tests' receivers are reached
 */
export function createDeliverer(
  db: Database,
  config: DeliverConfig,
  options: {
    log: Logger;
    signal: AbortSignal;
    send?: Pick<SendOptions, "ca" | "lookup"> & Partial<Pick<SendOptions, "policy">>;
  },
) {
  const { log, signal } = options;
  const timeoutMs = config.webhookTimeoutSeconds * 1000;
  const leaseMs = leasesPerTimeout * timeoutMs;
  const sendOptions = { policy: policyOf(config.publicUrl), timeoutMs, ...options.send };
  const name = randomBytes(6).toString("hex");
  const waker = createWaker();
  const underWay = new Map<string, number>();
  const slowUntil = new Map<string, number>();
  const parts = new Set<Promise<void>>();
  let claims = 0;
  let key: Uint8Array | null = null;

  /** Begins everything that is due and has room. */
  async function round(): Promise<void> {
    key ??= await requireWebhookKey(db, config);
    if (!key) return;
    while (!signal.aborted) {
      const claimed = await claimDeliveries(db, readRoom(), { lease: `${name}:${++claims}`, leaseMs });
      const claimedAt = performance.now();
      for (const claim of claimed) begin(claim, key, claimedAt);
      if (claimed.length === 0) return;
    }
  }

  function readRoom() {
    const now = Date.now();
    for (const [id, until] of slowUntil) if (until <= now) slowUntil.delete(id);
    const slowUnderWay = [...slowUntil.keys()].reduce((sum, id) => sum + (underWay.get(id) ?? 0), 0);
    return {
      slots: mostUnderWay - parts.size,
      slowSlots: mostSlow - slowUnderWay,
      perEndpoint,
      perSlowEndpoint: 1,
      underWay,
      slow: [...slowUntil.keys()],
    };
  }

  function begin(claim: Claim, master: Uint8Array, claimedAt: number): void {
    const { id } = claim.endpoint;
    underWay.set(id, (underWay.get(id) ?? 0) + 1);
    const part = deliver(claim, master, claimedAt + leaseMs)
      .catch((error: unknown) => log.error({ err: error, delivery_id: claim.id }, "a delivery went wrong"))
      .finally(() => {
        parts.delete(part);
        const left = (underWay.get(id) ?? 1) - 1;
        if (left > 0) underWay.set(id, left);
        else underWay.delete(id);
        waker.wake();
      });
    parts.add(part);
  }

  async function deliver(claim: Claim, master: Uint8Array, leasedUntil: number): Promise<void> {
    const startedAt = new Date();
    const { endpoint, event } = claim;
    const body = JSON.stringify(eventBody(event));
    const versions = [
      endpoint.secretVersion,
      ...(endpoint.signsWithPrevious ? [endpoint.secretVersion - 1] : []),
    ];
    const headers = {
      "Content-Type": "application/json",
      "User-Agent": "Earnest-Webhooks/1",
      "X-Service-Event": event.type,
      "X-Service-Delivery": event.id,
      ...signDelivery({
        id: event.id,
        timestamp: Math.floor(startedAt.getTime() / 1000),
        body,
        secrets: versions.map((version) => deriveSecret(master, endpoint.id, version)),
      }),
    };
    const result = await sendGuarded(endpoint.url, { ...sendOptions, method: "POST", headers, body });
    notePace(endpoint.id, result);
    await recorder.record(judge(claim, { result, startedAt, headers }, Math.random()), leasedUntil);
  }

  function notePace(endpointId: string, result: SendResult): void {
    if (result.latencyMs > Math.min(slowAfter, timeoutMs / 2))
      slowUntil.set(endpointId, Date.now() + slowFor);
    else slowUntil.delete(endpointId);
  }

  const recorder = createRecorder(db, log);

  return {
    wake: waker.wake,
    /** Delivers until the signal, and returns when all that was under way then is finished. */
    async run(): Promise<void> {
      await repeat("webhooks", round, { pause, signal, log, waker });
      await Promise.all(parts);
    },
  };
}

/** Writes outcomes down, those that come while others are being written together. */
function createRecorder(db: Database, log: Logger) {
  let waiting: { outcome: Outcome; leasedUntil: number; done: () => void }[] = [];
  let writing = false;

  async function writeAll(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const disabled = await recordOutcomes(
          db,
          batch.map(({ outcome }) => outcome),
        );
        for (const { id, reason } of disabled) {
          log.warn({ endpoint_id: id, reason }, "a webhook endpoint was disabled");
        }
        for (const { done } of batch) done();
      } catch (error) {
        log.error({ err: error, count: batch.length }, "attempts cannot be written down at the moment");
        // Once its lease is over a delivery is another's; it arrives twice then, which receivers have to expect.
        const now = performance.now();
        for (const each of batch) {
          if (each.leasedUntil > now) waiting.push(each);
          else each.done();
        }
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
    writing = false;
  }

  return {
    record: (outcome: Outcome, leasedUntil: number) =>
      new Promise<void>((done) => {
        waiting.push({ outcome, leasedUntil, done });
        if (!writing) void writeAll();
      }),
  };
}
