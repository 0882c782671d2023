import { eventChannel, findAccountsWithoutPositions } from "../../db/account-events.ts";
import { listen } from "../../db/listen.ts";
import { eventBody } from "../../protocol/facts/event-body.ts";
import type { SlotResult } from "../../trade/fair-shares/process-concurrency.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { createRequestSlots } from "../http/request-slots.ts";
import { findRevokedCallers } from "../http/revoked-access.ts";
import { type FeedRow, readPages, writeCursor } from "./event-feed.ts";
import { type OpenStream, openStream, type StreamRequest } from "./one-stream.ts";

/** The streams of one round, the events of a page, and the bytes after which the rest of a page waits for the next round. */
const roundLimits = { streams: 25, events: 50, bytes: 64 * 1024 };

/** Milliseconds between two checks, and the numbers of checks between two searches for missed events, access checks, and full wake-ups. */
const checkIntervals = { every: 1000, missed: 2, access: 5, all: 30 };

const noStream = "The service has no free stream";
const alternative = "Use GET /events, and try again later.";

const refuseAtShutdown = () =>
  new ApiError("streams_full", `The service is restarting. ${alternative}`, undefined, 1);

/** The signals that end the process. */
const shutdownSignals = ["SIGINT", "SIGTERM"] as const;

/** The longest pause, in milliseconds, while the database is away. */
const longestPause = 15_000;

/**
 * Makes the streams of this process. One database connection listens for all of them, and only while there are any. A
 * notification wakes the streams of its account. They are served in rounds, which read several feeds in one statement.
 */
export function createOpenStreams({ db, config, log }: Context) {
  const bounds = config.eventStreams;
  const { process: total, account, address } = bounds;
  const slots = createRequestSlots(db, { total, account, address });
  const open = new Set<OpenStream>();
  /** streams that can take data and may have new events, in turn */
  const due = new Set<OpenStream>();
  let serving = false;
  let isShuttingDown = false;
  let stop: AbortController | null = null;

  return {
    /**
     * Opens a stream.
     *
     * @param cut closes the connection at once
     * @throws ApiError `too_many_streams`, or `streams_full`
     */
    async follow(
      request: StreamRequest,
      origin: { address: string | null; network: string | null },
      cut: () => void,
    ): Promise<ReadableStream<Uint8Array>> {
      const { accountId, credentialId } = request.caller;
      const slot = await slots.enter({ accountId, ...origin });
      if (isShuttingDown) {
        if ("leave" in slot) slot.leave();
        throw refuseAtShutdown();
      }
      if ("full" in slot) throw refuse(slot.full);
      const stream: OpenStream = openStream(request, {
        cut,
        onReady: () => enqueue(stream),
        onEnd: (why) => {
          slot.leave();
          open.delete(stream);
          due.delete(stream);
          const seconds = Math.round((performance.now() - stream.openedAt) / 1000);
          log.info(
            { account_id: accountId, credential_id: credentialId, seconds, why },
            "stream of events ended",
          );
          if (open.size === 0) stopListening();
        },
      });
      open.add(stream);
      if (!stop) startListening();
      return stream.body;
    },
  };

  function refuse(full: Extract<SlotResult, { full: unknown }>["full"]): ApiError {
    const mostOpen = {
      account: `Your account has ${account} open streams, the most it may have. Close or share a stream.`,
      address: `Your address (for IPv6, its /64) has ${address} open streams, the most it may have. Close or share a stream.`,
    };
    if (full === "account" || full === "address") {
      return new ApiError("too_many_streams", mostOpen[full], undefined, bounds.heartbeat);
    }
    const reason = full === "network" ? "The service has no free stream for your network" : noStream;
    return new ApiError("streams_full", `${reason}. ${alternative}`, undefined, 2 * bounds.heartbeat);
  }

  /** Listens for events and checks the streams, until there are none. */
  function startListening(): void {
    const controller = new AbortController();
    stop = controller;
    const { signal } = controller;
    void listen({ [eventChannel]: wake }, { databaseUrl: config.databaseDirectUrl, log, signal });
    let checks = 0;
    const timer = setInterval(() => {
      checks += 1;
      endStale();
      if (checks % checkIntervals.access === 0) void endRevoked();
      // A lost connection may lose notifications. Missed events are found here.
      if (checks % checkIntervals.missed === 0) void wakeMissed();
      if (checks % checkIntervals.all === 0) wake(null);
    }, checkIntervals.every);
    // At a shutdown, open answers get a few seconds, and a stream would take all of them. So streams end at once.
    for (const name of shutdownSignals) process.once(name, endForShutdown);
    controller.signal.addEventListener("abort", () => {
      clearInterval(timer);
      for (const name of shutdownSignals) process.off(name, endForShutdown);
    });
  }

  function stopListening(): void {
    stop?.abort();
    stop = null;
  }

  function endForShutdown(): void {
    isShuttingDown = true;
    for (const stream of [...open]) stream.end("restart");
  }

  /** @param accountId the account with new events; null for all accounts */
  function wake(accountId: string | null): void {
    for (const stream of open) {
      if (accountId !== null && stream.caller.accountId !== accountId) continue;
      stream.hasNewEvents = true;
      enqueue(stream);
    }
  }

  /** Wakes streams whose feeds have events without a position: nobody has read these events. */
  async function wakeMissed(): Promise<void> {
    const accounts = new Set([...open].map(({ caller }) => caller.accountId));
    for (const accountId of await findAccountsWithoutPositions(db, [...accounts]).catch(() => []))
      wake(accountId);
  }

  function enqueue(stream: OpenStream): void {
    if (!open.has(stream) || !stream.hasNewEvents || !stream.canTakeMore) return;
    due.add(stream);
    if (!serving) void serve();
  }

  /** Serves due streams until none is left. */
  async function serve(): Promise<void> {
    serving = true;
    for (let failures = 0; due.size > 0; ) {
      const turn = [...due].slice(0, roundLimits.streams);
      for (const stream of turn) {
        due.delete(stream);
        // The reset comes before the read: an event during the read makes the stream due again.
        stream.hasNewEvents = false;
      }
      try {
        await serveRound(turn);
        failures = 0;
      } catch (error) {
        log.warn({ err: error }, "a round of event streams failed, retrying");
        for (const stream of turn) {
          stream.hasNewEvents = true;
          if (open.has(stream)) due.add(stream);
        }
        failures += 1;
        await pause(failures, stop?.signal);
      }
    }
    serving = false;
  }

  async function serveRound(turn: readonly OpenStream[]): Promise<void> {
    // Access is checked before each round too, because the check of all streams runs only every few seconds.
    for (const stream of await findRevokedCallers(db, turn)) stream.end("refused");
    const reading = turn.filter((stream) => open.has(stream));
    const pages = new Map(
      reading.map((item) => [pageOf(item), { accountId: item.caller.accountId, after: item.after }]),
    );
    if (pages.size === 0) return;
    const read = await readPages(db, [...pages.values()], roundLimits.events);
    const rows = new Map([...pages.keys()].map((key, at) => [key, read[at] ?? []]));
    for (const stream of reading) {
      if (open.has(stream)) sendPage(stream, rows.get(pageOf(stream)) ?? []);
    }
  }

  async function endRevoked(): Promise<void> {
    const all = [...open];
    for (let at = 0; at < all.length; at += 500) {
      const ended = await findRevokedCallers(db, all.slice(at, at + 500)).catch(() => []);
      for (const stream of ended) stream.end("refused");
    }
  }

  /** Ends streams that are idle, old or not read, and sends a heartbeat to the others. */
  function endStale(): void {
    const now = performance.now();
    const isOver = (since: number, seconds: number) => now - since > seconds * 1000;
    for (const stream of [...open]) {
      if (!stream.canTakeMore && isOver(stream.sentAt, bounds.slow)) stream.end("slow");
      else if (isOver(stream.openedAt, bounds.lifetime)) stream.end("old");
      else if (isOver(stream.eventAt, bounds.idle)) stream.end("idle");
      else if (stream.canTakeMore && isOver(stream.sentAt, bounds.heartbeat)) {
        stream.send(`:\n${positionLine(stream)}\n`);
      }
    }
  }
}

/** The key of a page. Streams of one account at one position share a page. */
function pageOf({ caller, after }: OpenStream): string {
  return `${caller.accountId} ${after}`;
}

/** Sends a stream the wanted events of a page, up to the bound. */
function sendPage(stream: OpenStream, rows: readonly FeedRow[]): void {
  let text = stream.sentPosition === null ? openingLines(stream) : "";
  let taken = 0;
  for (const row of rows) {
    if (text.length >= roundLimits.bytes) break;
    taken += 1;
    stream.after = row.position;
    if (stream.types && !stream.types.has(row.type)) continue;
    stream.sentPosition = row.position;
    stream.eventAt = performance.now();
    text += `id: ${writeCursor(row.position)}\ndata: ${JSON.stringify(eventBody(row))}\n\n`;
  }
  if (taken < rows.length || rows.length === roundLimits.events) stream.hasNewEvents = true;
  if (text !== "") stream.send(text);
}

/** The start of a stream: the delay before a reconnection, random so that clients do not return together, and the position. */
function openingLines(stream: OpenStream): string {
  return `retry: ${1000 + Math.floor(Math.random() * 2000)}\n${positionLine(stream)}\n`;
}

/** The line with a reader's new position, if filtered events have moved it. */
function positionLine(stream: OpenStream): string {
  if (stream.sentPosition === stream.after) return "";
  stream.sentPosition = stream.after;
  return `id: ${writeCursor(stream.after)}\n`;
}

async function pause(failures: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, Math.min(250 * 2 ** failures, longestPause));
    signal?.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}
