import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import type { Database } from "../../db/client.ts";
import { hasEndpoints } from "../../db/webhook-endpoints.ts";
import { eventText } from "../../facts/events.ts";
import { createConnections } from "../../outbound/connections.ts";
import { policyOf } from "../../outbound/guard.ts";
import { type SendOptions, type SendResult, sendGuarded } from "../../outbound/request.ts";
import { headersOf } from "../../trade/webhooks/deliveries.ts";
import { findWebhookKey, readWebhookKey } from "../../webhook-key.ts";
import { createPause } from "../loop.ts";
import { createAddresses, type Place } from "../strangers/addresses.ts";
import { type Claim, claimDeliveries, returnClaims } from "./claim.ts";
import { atOnce, createLanes, heldIn, type Lane } from "./lanes.ts";
import { judge } from "./outcome.ts";
import { type Pace, usualPace } from "./pace.ts";
import { createRecorder } from "./record.ts";
import { mostAfter, reachesBound, readRoom } from "./room.ts";
import { deriveKeys, signDelivery } from "./sign.ts";

/** Places that have to be free again before the next are claimed together: half of those that are taken, within these bounds. */
const fewestTogether = 32;
const mostTogether = 256;
/** Milliseconds after which fewer do. */
const claimedAfter = 10;
/**
 * Between two such claims are so many times the last one's own time, as a server under load is not asked for few at a time;
 * where a receiver waits, which then has nothing, once that time.
 */
const claimPause = 4;
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
  const recorder = createRecorder(db, log, pace);
  const pause = createPause();
  const lanes = createLanes();
  const addresses = createAddresses({ restMs: pace.trialSeconds * 1000 });
  const slowUntil = new Map<string, number>();
  let held = 0;
  let sending = 0;
  /** what is sent and not yet written down, too */
  let unwritten = 0;
  let allWritten = () => {};
  let isFull = false;
  let freed = 0;
  let claimedTogether = fewestTogether;
  let claiming: NodeJS.Timeout | undefined;
  let claimingAt = 0;
  let claims = 0;
  let claimTook = 0;
  let key: Uint8Array | null = null;

  /** Claims what is due and has room, and begins it. */
  async function round(): Promise<void> {
    key ??= await requireWebhookKey(db, config);
    if (!key) return;
    clearTimeout(claiming);
    claiming = undefined;
    freed = 0;
    const now = Date.now();
    for (const [id, until] of slowUntil) if (until <= now) slowUntil.delete(id);
    const room = readRoom(lanes, { held, slow: [...slowUntil.keys()] });
    if (room.slots <= 0) return;
    const began = performance.now();
    const claimed = await claimDeliveries(db, room, { lease: `${name}:${++claims}`, leaseMs, pace });
    // The first of a process waits for its connection and for its plans, which says nothing of the next.
    claimTook = claims === 1 ? 0 : performance.now() - began;
    isFull = claimed.length === room.slots;
    held += claimed.length;
    const byEndpoint = Map.groupBy(claimed, ({ endpoint }) => endpoint.id);
    for (const lane of lanes.all()) {
      if (byEndpoint.has(lane.id) || (room.byEndpoint.get(lane.id) ?? 0) <= 0) continue;
      lane.hasMore = false;
      lanes.tidy(lane);
    }
    const hosts = new Set<string>();
    for (const [id, found] of byEndpoint) {
      const [first] = found;
      if (!first) continue;
      const lane = lanes.open(first);
      lane.hasMore = found.length === (room.byEndpoint.get(id) ?? room.otherwise);
      lanes.goCarefully(lane, first.isTrial || slowUntil.has(id));
      lane.queue.push(...found);
      hosts.add(lane.host);
    }
    isFull ||= reachesBound(room, claimed);
    const inLanes = [...lanes.all()].reduce((sum, lane) => sum + heldIn(lane), 0);
    claimedTogether = Math.min(mostTogether, Math.max(fewestTogether, inLanes / 2));
    for (const host of hosts) advance(host, key);
  }

  /**
   * Claims soon for places that are free again: for some of them at once, since a claim costs much the same for all.
   *
   * @param isIdle whether a receiver waits for it
   */
  function claimSoon(places: number, isIdle = false): void {
    freed += places;
    // Where nothing is under way, all receivers wait for it.
    if (freed >= claimedTogether || sending === 0) pause.cutShort();
    else {
      const wait = isIdle ? claimTook : Math.max(claimedAfter, claimPause * claimTook);
      const at = performance.now() + wait;
      if (claiming && at >= claimingAt) return;
      clearTimeout(claiming);
      claimingAt = at;
      claiming = setTimeout(pause.cutShort, wait);
    }
  }

  /** Sends what a host has room for, its accounts and endpoints in turns. */
  function advance(host: string, master: Uint8Array): void {
    while (!signal.aborted) {
      const lane = lanes.next(host);
      const next = lane?.queue.shift();
      if (!lane || !next) break;
      if (next.leasedUntil - performance.now() < 1.5 * timeoutMs) {
        // It waited too long here: whoever claims it after its lease sends it.
        held -= 1;
        lanes.tidy(lane);
        continue;
      }
      begin(lane, next, master);
    }
  }

  function begin(lane: Lane, next: Claim, master: Uint8Array): void {
    lanes.begin(lane);
    sending += 1;
    unwritten += 1;
    void deliver(lane, next, master);
  }

  /** Sends and writes down what came of it. Never throws. */
  async function deliver(lane: Lane, claim: Claim, master: Uint8Array): Promise<void> {
    try {
      let attempt: Awaited<ReturnType<typeof send>>;
      try {
        attempt = await sendOnceKnown(claim, master);
      } finally {
        leaveLane(lane, master);
      }
      const written = isBusy(attempt.result)
        ? returnClaims(db, [claim], busyMs * (1 + Math.random()))
        : recorder.record(judge(claim, attempt, Math.random()), claim.leasedUntil);
      // Not before this one waits with them: it would be written down alone.
      if (sending === 0) recorder.hurry();
      await written;
    } catch (error) {
      log.error({ err: error, delivery_id: claim.id }, "a delivery went wrong");
    }
    held -= 1;
    unwritten -= 1;
    if (unwritten === 0) allWritten();
    // What it has shown may let the next of its endpoint go.
    if (claim.isTrial) pause.cutShort();
    else if (isFull) claimSoon(0);
  }

  /** The receiver has answered, which is yet to be written down: the next may go. */
  function leaveLane(lane: Lane, master: Uint8Array): void {
    lanes.end(lane);
    sending -= 1;
    advance(lane.host, master);
    lanes.tidy(lane);
    if (isFull || (lane.hasMore && heldIn(lane) <= Math.max(atOnce, lane.most / 2)))
      claimSoon(1, lane.hasMore && lane.queue.length === 0);
  }

  /** Sends. Where the address is a stranger that has enough, it waits whether that acknowledges any of it. */
  async function sendOnceKnown(claim: Claim, master: Uint8Array) {
    const attempt = await send(claim, master);
    if (claim.isTrial || !isBusy(attempt.result)) return attempt;
    const isKnown = await addresses.becomeKnown(attempt.wanted, Math.min(busyMs, timeoutMs / 4));
    return isKnown ? send(claim, master) : attempt;
  }

  async function send(claim: Claim, master: Uint8Array) {
    const { id, endpoint, event, isTrial } = claim;
    const startedAt = new Date();
    const { secretVersion, signsWithPrevious } = endpoint;
    const versions = signsWithPrevious ? [secretVersion, secretVersion - 1] : [secretVersion];
    const body = Buffer.from(eventText(event, id));
    const signed = signDelivery({
      id,
      timestamp: Math.floor(startedAt.getTime() / 1000),
      body,
      keys: versions.map((version) => deriveKeys(master, endpoint.id, version)),
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
    const lane = lanes.get(id);
    if (!lane) return;
    lane.most = mostAfter(latencyMs);
    lanes.goCarefully(lane, isSlow);
  }

  return {
    pause,
    run: round,
    /** Returns when all that is being sent is written down. */
    async end(): Promise<void> {
      const unbegun = [...lanes.all()].flatMap(({ queue }) => queue.splice(0));
      await returnClaims(db, unbegun).catch((error: unknown) =>
        log.warn({ err: error }, "deliveries that were not begun wait for the end of their leases"),
      );
      if (unwritten > 0) {
        await new Promise<void>((resolve) => {
          allWritten = resolve;
        });
      }
      clearTimeout(claiming);
      connections.close();
    },
  };
}
