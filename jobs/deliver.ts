import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Database } from "../db/client.ts";
import { hasEndpoints } from "../db/deliveries.ts";
import { createConnections } from "../outbound/connections.ts";
import { policyOf } from "../outbound/guard.ts";
import { type SendOptions, sendGuarded } from "../outbound/request.ts";
import { eventBody } from "../settlement/events.ts";
import { findWebhookKey, readWebhookKey } from "../webhook-key.ts";
import { deriveSecret, signDelivery } from "../webhooks/signature.ts";
import { type Claim, claimDeliveries, returnClaims } from "./deliver-claim.ts";
import { judge } from "./deliver-outcome.ts";
import { createRecorder } from "./deliver-record.ts";
import { createWaker, repeat } from "./loop.ts";

/** Milliseconds between two looks at what is due when nothing wakes the deliverer. */
const pause = 1000;
/** Deliveries that this process holds at once, and of them those to slow endpoints. */
const mostHeld = 1024;
const mostSlowHeld = 128;
/** Deliveries sent at once to an endpoint; a slow one has one at a time. */
const atOnce = 4;
/** Deliveries held for an endpoint that lately answered quickly, in milliseconds: the next are at hand then. */
const heldForQuick = 32;
const quickBelow = 1000;
/** An answer that takes longer makes an endpoint slow for a while, in milliseconds. */
const slowFrom = 5000;
const slowFor = 600_000;
/** A lease outlives the longest attempt, so that no delivery is sent twice at once. */
const timeoutsPerLease = 3;

type DeliverConfig = Pick<Config, "publicUrl" | "webhookKeyFile" | "webhookTimeoutSeconds">;

const unsent = {
  ok: false,
  error: "internal_error",
  message: "The request could not be made.",
  status: null,
  latencyMs: 0,
  headersMs: null,
  isSecure: false,
} as const;

/** A claim, and when its lease ends by this process's clock. */
type Held = Claim & { leasedUntil: number };

/** What is held for one endpoint. */
type Lane = { sending: number; queue: Held[]; isQuick: boolean; hasMore: boolean };

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
  const leaseMs = timeoutsPerLease * timeoutMs;
  // A burst to one receiver pays for one TLS handshake; the address behind it stays the one that was checked.
  const connections = createConnections();
  const sendOptions = { policy: policyOf(config.publicUrl), timeoutMs, connections, ...options.send };
  const name = randomBytes(6).toString("hex");
  const recorder = createRecorder(db, log);
  const waker = createWaker();
  const lanes = new Map<string, Lane>();
  const slowUntil = new Map<string, number>();
  const parts = new Set<Promise<void>>();
  let held = 0;
  let isFull = false;
  let claims = 0;
  let key: Uint8Array | null = null;

  /** Claims what is due and has room, and begins it. */
  async function round(): Promise<void> {
    key ??= await requireWebhookKey(db, config);
    if (!key) return;
    const room = readRoom();
    if (room.slots <= 0) return;
    const leasedUntil = performance.now() + leaseMs;
    const claimed = await claimDeliveries(db, room, { lease: `${name}:${++claims}`, leaseMs });
    isFull = claimed.length === room.slots;
    held += claimed.length;
    const byEndpoint = Map.groupBy(claimed, ({ endpoint }) => endpoint.id);
    for (const [id, lane] of lanes) {
      if (!byEndpoint.has(id) && (room.byEndpoint.get(id) ?? 0) > 0) lane.hasMore = false;
    }
    for (const [id, found] of byEndpoint) {
      const lane = lanes.get(id) ?? { sending: 0, queue: [], isQuick: false, hasMore: false };
      lanes.set(id, lane);
      lane.hasMore = found.length === (room.byEndpoint.get(id) ?? room.otherwise);
      lane.queue.push(...found.map((claim) => ({ ...claim, leasedUntil })));
      advance(id, lane, key);
    }
  }

  function readRoom() {
    const now = Date.now();
    for (const [id, until] of slowUntil) if (until <= now) slowUntil.delete(id);
    const slow = [...slowUntil.keys()];
    const heldFor = (id: string) => {
      const lane = lanes.get(id);
      return lane ? lane.sending + lane.queue.length : 0;
    };
    const most = (id: string) => (slowUntil.has(id) ? 1 : lanes.get(id)?.isQuick ? heldForQuick : atOnce);
    return {
      slots: mostHeld - held,
      slowSlots: mostSlowHeld - slow.reduce((sum, id) => sum + heldFor(id), 0),
      byEndpoint: new Map([...slow, ...lanes.keys()].map((id) => [id, most(id) - heldFor(id)])),
      otherwise: atOnce,
      slow,
    };
  }

  /** Sends what the endpoint's lane has room for. */
  function advance(id: string, lane: Lane, master: Uint8Array): void {
    while (!signal.aborted && lane.sending < (slowUntil.has(id) ? 1 : atOnce)) {
      const next = lane.queue.shift();
      if (!next) break;
      if (next.leasedUntil - performance.now() < 1.5 * timeoutMs) {
        // It waited too long here: whoever claims it after its lease sends it.
        held -= 1;
        continue;
      }
      lane.sending += 1;
      const part = deliver(next, master, () => {
        lane.sending -= 1;
        advance(id, lane, master);
        if (isFull || (lane.hasMore && lane.queue.length <= atOnce)) waker.wake();
      })
        .catch((error: unknown) => log.error({ err: error, delivery_id: next.id }, "a delivery went wrong"))
        .finally(() => {
          parts.delete(part);
          held -= 1;
          if (isFull) waker.wake();
        });
      parts.add(part);
    }
    if (lane.sending === 0 && lane.queue.length === 0) lanes.delete(id);
  }

  /** @param sent told when the receiver has answered, before that is written down */
  async function deliver(claim: Held, master: Uint8Array, sent: () => void): Promise<void> {
    const startedAt = new Date();
    const { request, result } = await send(claim, master, startedAt).finally(sent);
    await recorder.record(
      judge(claim, { result, startedAt, headers: request.headers }, Math.random()),
      claim.leasedUntil,
    );
  }

  async function send({ endpoint, event }: Claim, master: Uint8Array, startedAt: Date) {
    const { secretVersion, signsWithPrevious } = endpoint;
    const versions = signsWithPrevious ? [secretVersion, secretVersion - 1] : [secretVersion];
    const body = JSON.stringify(eventBody(event));
    const signature = signDelivery({
      id: event.id,
      timestamp: Math.floor(startedAt.getTime() / 1000),
      body,
      secrets: versions.map((version) => deriveSecret(master, endpoint.id, version)),
    });
    const request = {
      body,
      headers: {
        "Content-Type": "application/json",
        "User-Agent": "Earnest-Webhooks/1",
        "X-Service-Event": event.type,
        "X-Service-Delivery": event.id,
        ...signature,
      },
    };
    const result = await sendGuarded(endpoint.url, { ...sendOptions, method: "POST", ...request }).catch(
      (error: unknown) => {
        // Ours to mend, and like any failure tried again later, not at once and for ever.
        log.error({ err: error, event_id: event.id, endpoint_id: endpoint.id }, "a delivery cannot be sent");
        return unsent;
      },
    );
    notePace(endpoint.id, result);
    return { request, result };
  }

  function notePace(id: string, { latencyMs }: { latencyMs: number }): void {
    const isSlow = latencyMs >= Math.min(slowFrom, timeoutMs / 2);
    if (isSlow) slowUntil.set(id, Date.now() + slowFor);
    else slowUntil.delete(id);
    const lane = lanes.get(id);
    if (lane) lane.isQuick = latencyMs < quickBelow;
  }

  return {
    wake: waker.wake,
    /** Delivers until the signal, and returns when all that was being sent then is written down. */
    async run(): Promise<void> {
      await repeat("webhooks", round, { pause, signal, log, waker });
      const unbegun = [...lanes.values()].flatMap(({ queue }) => queue.splice(0));
      await returnClaims(db, unbegun).catch((error: unknown) =>
        log.warn({ err: error }, "deliveries that were not begun wait for the end of their leases"),
      );
      await Promise.all(parts);
      connections.close();
    },
  };
}
