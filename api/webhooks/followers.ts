import { eventChannel, findUnplaced } from "../../db/account-events.ts";
import { listen } from "../../db/listen.ts";
import { eventBody } from "../../protocol/facts/order-events.ts";
import { isParty } from "../../trade/totals/party.ts";
import { createSemaphore, type Entered } from "../../trade/totals/process-slots.ts";
import type { Context } from "../context.ts";
import { findEnded } from "../http/access-ended.ts";
import { ApiError } from "../http/api-error.ts";
import { type FeedRow, readPages, writeCursor } from "./event-feed.ts";
import { type Follower, type Following, openFollower } from "./follower.ts";

/** Streams that are served in one round, events of a page, and bytes after which the rest of a page waits. */
const round = { streams: 25, events: 50, bytes: 64 * 1024 };

/** Milliseconds between two looks at what time ends; of these looks, each so-many-th asks for what nobody told of, for who may still read, or for all. */
const look = { every: 1000, untold: 2, access: 5, all: 30 };

const noRoom = "There is no room for another stream";
const meanwhile = "Read GET /events meanwhile, and try again later.";

const refuseAtEnd = () =>
  new ApiError("streams_full", `The service is about to restart. ${meanwhile}`, undefined, 1);

/** The signals that end this process. */
const ends = ["SIGINT", "SIGTERM"] as const;

/** The most milliseconds of rest while the database is away. */
const longestRest = 15_000;

/**
 * All streams of this process. One connection listens for all of them; what was written concerns only the streams of its
 * accounts, which are read in rounds, several feeds in one statement. Without a stream there is no connection.
 */
export function createFollowers({ db, config, log }: Context) {
  const bounds = config.eventStreams;
  const { process: total, account, address } = bounds;
  const places = createSemaphore({ total, account, address }, (accountId) => isParty(db, accountId));
  const open = new Set<Follower>();
  /** those who want more and may get some, in turn */
  const due = new Set<Follower>();
  let serving = false;
  let ending = false;
  let stop: AbortController | null = null;

  return {
    /**
     * Opens a stream.
     *
     * @param cut closes its connection at once
     * @throws ApiError `too_many_streams`, or `streams_full`
     */
    async follow(
      following: Following,
      origin: { address: string | null; network: string | null },
      cut: () => void,
    ): Promise<ReadableStream<Uint8Array>> {
      const { accountId, credentialId } = following.caller;
      const place = await places.enter({ accountId, ...origin });
      if (ending) {
        if ("leave" in place) place.leave();
        throw refuseAtEnd();
      }
      if ("full" in place) throw refuse(place.full);
      const follower: Follower = openFollower(following, {
        cut,
        onHungry: () => consider(follower),
        onEnd: (why) => {
          place.leave();
          open.delete(follower);
          due.delete(follower);
          const seconds = Math.round((performance.now() - follower.openedAt) / 1000);
          log.info(
            { account_id: accountId, credential_id: credentialId, seconds, why },
            "stream of events ended",
          );
          if (open.size === 0) rest();
        },
      });
      open.add(follower);
      if (!stop) begin();
      return follower.body;
    },
  };

  function refuse(full: Extract<Entered, { full: unknown }>["full"]): ApiError {
    const mostOpen = {
      account: `Your account has ${account} streams open, which is the most. Close one, or share one.`,
      address: `Your address (of IPv6, one /64) has ${address} streams open, which is the most.`,
    };
    if (full === "account" || full === "address") {
      return new ApiError("too_many_streams", mostOpen[full], undefined, bounds.heartbeat);
    }
    const whose = full === "network" ? "There is no room for another stream from your network" : noRoom;
    return new ApiError("streams_full", `${whose}. ${meanwhile}`, undefined, 2 * bounds.heartbeat);
  }

  /** Listens, and looks after the streams, until there is none. */
  function begin(): void {
    const controller = new AbortController();
    stop = controller;
    const { signal } = controller;
    void listen({ [eventChannel]: wake }, { databaseUrl: config.databaseDirectUrl, log, signal });
    let looks = 0;
    const timer = setInterval(() => {
      looks += 1;
      endOld();
      if (looks % look.access === 0) void endRefused();
      // A wake-up may be lost with a connection: what is missed is found here.
      if (looks % look.untold === 0) void wakeUntold();
      if (looks % look.all === 0) wake(null);
    }, look.every);
    // Whoever ends this process gives answers under way a few seconds; a stream would take them whole.
    for (const name of ends) process.once(name, restart);
    controller.signal.addEventListener("abort", () => {
      clearInterval(timer);
      for (const name of ends) process.off(name, restart);
    });
  }

  function rest(): void {
    stop?.abort();
    stop = null;
  }

  function restart(): void {
    ending = true;
    for (const follower of [...open]) follower.end("restart");
  }

  /** @param accountId whose feed has something new; null for all */
  function wake(accountId: string | null): void {
    for (const follower of open) {
      if (accountId !== null && follower.caller.accountId !== accountId) continue;
      follower.isBehind = true;
      consider(follower);
    }
  }

  /** An event that nobody has read has no place in its feed. */
  async function wakeUntold(): Promise<void> {
    const accounts = new Set([...open].map(({ caller }) => caller.accountId));
    for (const accountId of await findUnplaced(db, [...accounts]).catch(() => [])) wake(accountId);
  }

  function consider(follower: Follower): void {
    if (!open.has(follower) || !follower.isBehind || !follower.isHungry) return;
    due.add(follower);
    if (!serving) void serve();
  }

  /** Serves those who are due, until none is. */
  async function serve(): Promise<void> {
    serving = true;
    for (let failures = 0; due.size > 0; ) {
      const turn = [...due].slice(0, round.streams);
      for (const follower of turn) {
        due.delete(follower);
        // Before it is read: what is written meanwhile makes it due again.
        follower.isBehind = false;
      }
      try {
        await serveRound(turn);
        failures = 0;
      } catch (error) {
        log.warn({ err: error }, "a round of streams of events failed, and is tried again");
        for (const follower of turn) {
          follower.isBehind = true;
          if (open.has(follower)) due.add(follower);
        }
        failures += 1;
        await pause(failures, stop?.signal);
      }
    }
    serving = false;
  }

  async function serveRound(turn: readonly Follower[]): Promise<void> {
    // Nothing is given to whoever may not read it any more, not even within the seconds until all are asked for.
    for (const follower of await findEnded(db, turn)) follower.end("refused");
    const reading = turn.filter((follower) => open.has(follower));
    const pages = new Map(
      reading.map((one) => [pageOf(one), { accountId: one.caller.accountId, after: one.after }]),
    );
    if (pages.size === 0) return;
    const read = await readPages(db, [...pages.values()], round.events);
    const rows = new Map([...pages.keys()].map((key, at) => [key, read[at] ?? []]));
    for (const follower of reading) {
      if (open.has(follower)) give(follower, rows.get(pageOf(follower)) ?? []);
    }
  }

  async function endRefused(): Promise<void> {
    const all = [...open];
    for (let at = 0; at < all.length; at += 500) {
      const ended = await findEnded(db, all.slice(at, at + 500)).catch(() => []);
      for (const follower of ended) follower.end("refused");
    }
  }

  /** Ends what is idle, old or not read, and tells the others that we live. */
  function endOld(): void {
    const now = performance.now();
    const isOver = (since: number, seconds: number) => now - since > seconds * 1000;
    for (const follower of [...open]) {
      if (!follower.isHungry && isOver(follower.givenAt, bounds.slow)) follower.end("slow");
      else if (isOver(follower.openedAt, bounds.lifetime)) follower.end("old");
      else if (isOver(follower.eventAt, bounds.idle)) follower.end("idle");
      else if (follower.isHungry && isOver(follower.givenAt, bounds.heartbeat)) {
        follower.give(`:\n${tellPlace(follower)}\n`);
      }
    }
  }
}

/** Streams of one account at one place are given the same page. */
function pageOf({ caller, after }: Follower): string {
  return `${caller.accountId} ${after}`;
}

/** Gives a stream of a page what it wants, up to a bound. */
function give(follower: Follower, rows: readonly FeedRow[]): void {
  let text = follower.toldPlace === null ? begin(follower) : "";
  let taken = 0;
  for (const row of rows) {
    if (text.length >= round.bytes) break;
    taken += 1;
    follower.after = row.position;
    if (follower.types && !follower.types.has(row.type)) continue;
    follower.toldPlace = row.position;
    follower.eventAt = performance.now();
    text += `id: ${writeCursor(row.position)}\ndata: ${JSON.stringify(eventBody(row))}\n\n`;
  }
  if (taken < rows.length || rows.length === round.events) follower.isBehind = true;
  if (text !== "") follower.give(text);
}

/** The beginning of a stream: when to come again once it is cut, each at another time, and from where. */
function begin(follower: Follower): string {
  return `retry: ${1000 + Math.floor(Math.random() * 2000)}\n${tellPlace(follower)}\n`;
}

/** The line that tells a reader its place, where that has moved on by events that it does not want. */
function tellPlace(follower: Follower): string {
  if (follower.toldPlace === follower.after) return "";
  follower.toldPlace = follower.after;
  return `id: ${writeCursor(follower.after)}\n`;
}

async function pause(failures: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, Math.min(250 * 2 ** failures, longestRest));
    signal?.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}
