import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { Config } from "../../config/config.ts";
import { findWebhookKey, readWebhookKey } from "../../config/keys/webhook-key.ts";
import type { Database } from "../../db/client.ts";
import { hasEndpoints } from "../../db/webhook-endpoints.ts";
import { eventText } from "../../protocol/facts/event-body.ts";
import { deriveSecret } from "../../protocol/webhooks/secret.ts";
import { signDelivery } from "../../protocol/webhooks/signature.ts";
import { headersOf } from "../../trade/webhooks/deliveries.ts";
import { createConnections } from "../../untrusted/outbound/connection-pool.ts";
import { type SendOptions, type SendResult, sendGuarded } from "../../untrusted/outbound/guarded-request.ts";
import { policyOf } from "../../untrusted/outbound/url-guard.ts";
import { createAddresses } from "../fairness/address-concurrency.ts";
import { createInFlight } from "../in-flight.ts";
import { createPause } from "../loop.ts";
import { createSemaphore } from "../semaphore.ts";
import { resultOfAttempt } from "./attempt-result.ts";
import { type LeasedDelivery, leaseDeliveries, returnLease } from "./delivery-leases.ts";
import { type Pace, usualPace } from "./delivery-rate.ts";
import { recordWithRetries } from "./record-attempt.ts";

/** The most deliveries that this process holds: in all, and to endpoints that are slow or on trial. */
const mostHeld = 1024;
const mostCareful = 128;
/** Concurrent deliveries: to an endpoint, to a slow one, of an account at a host, and to a host. */
const atOnce = { endpoint: 4, slow: 1, account: 8, host: 32 };
/** Milliseconds from which an answer makes an endpoint slow, and for which it stays slow. */
const slowFrom = 5000;
const slowFor = 600_000;
/**
 * Milliseconds for which a delivery to a busy address waits here, then until it is due again, and the maximum of a
 * random addition.
 */
const usualBusyMs = 1000;
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

const isBusy = (result: SendResult | typeof unsent) => !result.ok && result.error === "address_busy";

/**
 * Reads the key that signs deliveries; null if there is no key and no endpoint.
 *
 * @throws ConfigError if there are endpoints but no key
 */
export async function requireWebhookKey(
  db: Database,
  config: Pick<Config, "webhookKeyFile">,
): Promise<Uint8Array | null> {
  return findWebhookKey(config) ?? ((await hasEndpoints(db)) ? readWebhookKey(config) : null);
}

/**
 * Sends events to webhook endpoints. Several processes may run it.
 *
 * @param options.pace the rate of deliveries to a host and of an account
 * @param options.busyMs milliseconds for which a delivery to a busy address waits
 * @param options.send overrides for the tests' receivers
 */
export function createDeliverer(
  db: Database,
  config: DeliverConfig,
  options: {
    log: Logger;
    signal: AbortSignal;
    pace?: Pace;
    busyMs?: number;
    send?: Pick<SendOptions, "ca" | "lookup"> & Partial<Pick<SendOptions, "policy">>;
  },
) {
  const { log, signal, pace = usualPace, busyMs = usualBusyMs } = options;
  const timeoutMs = config.webhookTimeoutSeconds * 1000;
  const leaseMs = timeoutsPerLease * timeoutMs;
  // A burst to one receiver needs one TLS handshake. A connection keeps the address that was checked.
  const connections = createConnections();
  const sendOptions = { policy: policyOf(config.publicUrl), timeoutMs, connections, ...options.send };
  const name = randomBytes(6).toString("hex");
  const pause = createPause();
  const addresses = createAddresses({ holdMs: pace.trialSeconds * 1000 });
  const inFlight = createInFlight(deliver, {
    failed: (error, { id }) =>
      log.error({ err: error, delivery_id: id }, "a delivery failed with an internal error"),
    settled: leaseNext,
  });
  const within = createSemaphore();
  let leasedUpTo = 0;
  const slowUntil = new Map<string, number>();
  let leases = 0;
  let key: Uint8Array | null = null;

  /** Leases and starts the due deliveries that have room. */
  async function round(): Promise<void> {
    key ??= await requireWebhookKey(db, config);
    if (!key || signal.aborted) return;
    const now = Date.now();
    for (const [id, until] of slowUntil) if (until <= now) slowUntil.delete(id);
    const held = inFlight.items();
    const room = {
      slots: mostHeld - held.length,
      carefulSlots: mostCareful - held.filter(({ isCareful }) => isCareful).length,
      held,
      slow: [...slowUntil.keys()],
    };
    const leased = await leaseDeliveries(db, room, { lease: `${name}:${++leases}`, leaseMs, pace });
    for (const delivery of leased) inFlight.begin(delivery);
    leasedUpTo = inFlight.items().length;
  }

  /**
   * Leases more when an endpoint has no delivery left here, or half of all are done: many leases cost hardly more
   * than one.
   */
  function leaseNext({ endpoint: { id } }: LeasedDelivery): void {
    const held = inFlight.items();
    if (held.length <= leasedUpTo / 2 || !held.some(({ endpoint }) => endpoint.id === id)) pause.cutShort();
  }

  /** Sends a delivery and records the result. */
  async function deliver(delivery: LeasedDelivery): Promise<void> {
    const attempt = await sendInTurn(delivery);
    if (!attempt) return returnLease(db, delivery, 0);
    if (isBusy(attempt.result)) return returnLease(db, delivery, busyMs * (1 + Math.random()));
    const { leasedUntil } = delivery;
    await recordWithRetries(db, resultOfAttempt(delivery, attempt, Math.random()), {
      leasedUntil,
      pace,
      log,
    });
  }

  /**
   * Sends when the endpoint, the account and the host have a free slot; null if that took so long that the lease may
   * end.
   */
  function sendInTurn(delivery: LeasedDelivery) {
    const { id, accountId, host } = delivery.endpoint;
    const ofEndpoint = () => (slowUntil.has(id) ? atOnce.slow : atOnce.endpoint);
    return within(id, ofEndpoint, () =>
      within(
        `${host} ${accountId}`,
        () => atOnce.account,
        () =>
          within(
            host,
            () => atOnce.host,
            async () => {
              const isLate = delivery.leasedUntil - performance.now() < 1.5 * timeoutMs;
              return isLate || signal.aborted ? null : sendOnceProven(delivery);
            },
          ),
      ),
    );
  }

  /** Sends a delivery. If an unproven address is busy, waits for its acknowledgement of another request. */
  async function sendOnceProven(delivery: LeasedDelivery) {
    const attempt = await send(delivery);
    if (delivery.isTrial || !isBusy(attempt.result)) return attempt;
    const isProven = await addresses.becomeKnown(attempt.candidates, Math.min(busyMs, timeoutMs / 4));
    return isProven ? send(delivery) : attempt;
  }

  async function send(delivery: LeasedDelivery) {
    if (!key) throw new Error("There is no webhook key: restore the key file.");
    const master = key;
    const { id, endpoint, event, isTrial } = delivery;
    const startedAt = new Date();
    const { secretVersion, signsWithPrevious } = endpoint;
    const versions = signsWithPrevious ? [secretVersion, secretVersion - 1] : [secretVersion];
    const body = Buffer.from(eventText(event, id));
    const signed = signDelivery({
      id,
      timestamp: Math.floor(startedAt.getTime() / 1000),
      body,
      secrets: versions.map((version) => deriveSecret(master, endpoint.id, version)),
    });
    const slots = addresses.slotsOf({ isTrial });
    const headers = { ...headersOf(delivery, startedAt), ...signed };
    const request = { ...sendOptions, method: "POST" as const, admit: slots.admit, headers, body };
    let result: SendResult | typeof unsent;
    try {
      result = await sendGuarded(endpoint.url, request);
    } catch (error) {
      // An internal error is retried later like any failure, not at once and for ever.
      log.error({ err: error, delivery_id: id, endpoint_id: endpoint.id }, "a delivery could not be sent");
      result = unsent;
    }
    const acknowledgedBy = result.ok && result.status >= 200 && result.status < 300 ? result.address : null;
    slots.leave(acknowledgedBy);
    if (!isBusy(result)) recordPace(endpoint.id, result);
    const { "X-Service-Signature": own, "webhook-signature": standard } = signed;
    return {
      startedAt,
      signatures: { "X-Service-Signature": own, "webhook-signature": standard },
      result,
      candidates: slots.candidates,
    };
  }

  function recordPace(id: string, { latencyMs }: { latencyMs: number }): void {
    const isSlow = latencyMs >= Math.min(slowFrom, timeoutMs / 2);
    if (isSlow) slowUntil.set(id, Date.now() + slowFor);
    else slowUntil.delete(id);
  }

  return {
    pause,
    run: round,
    /** Returns when all deliveries in flight are recorded. */
    async end(): Promise<void> {
      await inFlight.ended();
      connections.close();
    },
  };
}
