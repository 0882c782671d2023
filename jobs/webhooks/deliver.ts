import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { Config } from "../../config/config.ts";
import { findWebhookKey, readWebhookKey } from "../../config/keys/webhook-key.ts";
import type { Database } from "../../db/client.ts";
import { hasEndpoints } from "../../db/webhook-endpoints.ts";
import { eventText } from "../../protocol/facts/order-events.ts";
import { deriveSecret, signDelivery } from "../../protocol/webhooks/signature.ts";
import { headersOf } from "../../trade/webhooks/deliveries.ts";
import { createConnections } from "../../untrusted/outbound/connection-pool.ts";
import { type SendOptions, type SendResult, sendGuarded } from "../../untrusted/outbound/guarded-request.ts";
import { policyOf } from "../../untrusted/outbound/url-guard.ts";
import { createAddresses, type Place } from "../fairness/address-concurrency.ts";
import { createInFlight } from "../in-flight.ts";
import { createPause } from "../loop.ts";
import { createSemaphore } from "../semaphore.ts";
import { type Claim, claimDeliveries, returnClaim } from "./delivery-claims.ts";
import { judge } from "./delivery-outcome.ts";
import { type Pace, usualPace } from "./delivery-rate.ts";
import { recordSurely } from "./record-outcome.ts";

/** Deliveries that this process holds, and of them those to endpoints that are slow or on trial. */
const mostHeld = 1024;
const mostCareful = 128;
/** Deliveries sent at once: to an endpoint, to one that is slow, of an account at a host, and to a host. */
const atOnce = { endpoint: 4, slow: 1, account: 8, host: 32 };
/** An answer that takes longer makes an endpoint slow for a while, in milliseconds. */
const slowFrom = 5000;
const slowFor = 600_000;
/** Milliseconds for which a delivery waits here whose address has no place for it; then until it is due, and up to so many more. */
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
 * @param options.pace how much a host and an account are sent
 * @param options.busyMs for how many milliseconds a delivery waits whose address has no place for it
 * @param options.send how the tests' receivers are reached
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
  // A burst to one receiver pays for one TLS handshake; the address behind it stays the one that was checked.
  const connections = createConnections();
  const sendOptions = { policy: policyOf(config.publicUrl), timeoutMs, connections, ...options.send };
  const name = randomBytes(6).toString("hex");
  const pause = createPause();
  const addresses = createAddresses({ restMs: pace.trialSeconds * 1000 });
  const inFlight = createInFlight(deliver, {
    failed: (error, { id }) => log.error({ err: error, delivery_id: id }, "a delivery went wrong"),
    settled: claimNext,
  });
  const within = createSemaphore();
  let claimedUpTo = 0;
  const slowUntil = new Map<string, number>();
  let claims = 0;
  let key: Uint8Array | null = null;

  /** Claims what is due and has room, and begins it. */
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
    const claimed = await claimDeliveries(db, room, { lease: `${name}:${++claims}`, leaseMs, pace });
    for (const claim of claimed) inFlight.begin(claim);
    claimedUpTo = inFlight.items().length;
  }

  /** Claims where an endpoint has nothing at hand any more, or half of all is done: a claim costs much the same for many. */
  function claimNext({ endpoint: { id } }: Claim): void {
    const held = inFlight.items();
    if (held.length <= claimedUpTo / 2 || !held.some(({ endpoint }) => endpoint.id === id)) pause.cutShort();
  }

  /** Sends and writes down what came of it. */
  async function deliver(claim: Claim): Promise<void> {
    const attempt = await sendInTurn(claim);
    if (!attempt) return returnClaim(db, claim, 0);
    if (isBusy(attempt.result)) return returnClaim(db, claim, busyMs * (1 + Math.random()));
    const { leasedUntil } = claim;
    await recordSurely(db, judge(claim, attempt, Math.random()), { leasedUntil, pace, log });
  }

  /** Sends once the endpoint, the account and the host have a place; null where that took so long that others may begin it. */
  function sendInTurn(claim: Claim) {
    const { id, accountId, host } = claim.endpoint;
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
              const isLate = claim.leasedUntil - performance.now() < 1.5 * timeoutMs;
              return isLate || signal.aborted ? null : sendOnceKnown(claim);
            },
          ),
      ),
    );
  }

  /** Sends. Where the address is a stranger that has enough, it waits whether that acknowledges any of it. */
  async function sendOnceKnown(claim: Claim) {
    const attempt = await send(claim);
    if (claim.isTrial || !isBusy(attempt.result)) return attempt;
    const isKnown = await addresses.becomeKnown(attempt.wanted, Math.min(busyMs, timeoutMs / 4));
    return isKnown ? send(claim) : attempt;
  }

  async function send(claim: Claim) {
    if (!key) throw new Error("There is no webhook key.");
    const master = key;
    const { id, endpoint, event, isTrial } = claim;
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
    let place: Place | null = null;
    let wanted: readonly string[] = [];
    const admit = (found: readonly string[]) => {
      wanted = found;
      place?.leave(null);
      place = addresses.take(found, { isTrial });
      return place.addresses;
    };
    const headers = { ...headersOf(claim, startedAt), ...signed };
    let result: SendResult | typeof unsent;
    try {
      result = await sendGuarded(endpoint.url, { ...sendOptions, method: "POST", admit, headers, body });
    } catch (error) {
      // Ours to mend, and like any failure tried again later, not at once and for ever.
      log.error({ err: error, delivery_id: id, endpoint_id: endpoint.id }, "a delivery cannot be sent");
      result = unsent;
    }
    const acknowledgedBy = result.ok && result.status >= 200 && result.status < 300 ? result.address : null;
    (place as Place | null)?.leave(acknowledgedBy);
    if (!isBusy(result)) notePace(endpoint.id, result);
    const { "X-Service-Signature": own, "webhook-signature": standard } = signed;
    return {
      startedAt,
      signatures: { "X-Service-Signature": own, "webhook-signature": standard },
      result,
      wanted,
    };
  }

  function notePace(id: string, { latencyMs }: { latencyMs: number }): void {
    const isSlow = latencyMs >= Math.min(slowFrom, timeoutMs / 2);
    if (isSlow) slowUntil.set(id, Date.now() + slowFor);
    else slowUntil.delete(id);
  }

  return {
    pause,
    run: round,
    /** Returns when all that is being sent is written down. */
    async end(): Promise<void> {
      await inFlight.ended();
      connections.close();
    },
  };
}
