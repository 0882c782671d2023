import { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpBindings } from "@hono/node-server";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { streamsPath } from "../../protocol/settlement/vocabulary.ts";
import { networkShare, sharesOf } from "../../trade/fair-shares/capacity-shares.ts";
import { isParty } from "../../trade/fair-shares/funded-party.ts";
import type { Context } from "../context.ts";
import type { Variables } from "../variables.ts";
import { originOf } from "./client-address.ts";

type Env = { Variables: Variables };

/** The requests of one connection. They are answered one at a time, in the order that HTTP/1.1 prescribes anyway. */
type Connection = {
  isBusy: boolean;
  waiting: (() => void)[];
  /** the connection's bytes that are counted already */
  counted: number;
};

/** An answer that its reader has not taken yet. */
type Unread = {
  socket: Socket;
  outgoing: ServerResponse;
  address: string | null;
  network: string | null;
  account: string | null;
  /** whether the account is a party of funded orders; null until the database answers: no share counts the answer until then */
  isParty: boolean | null;
};

const sizeOf = ({ outgoing }: Unread) => outgoing.writableLength;
/** The bytes of a connection that the operating system has taken. */
const sentOn = (socket: Socket) => socket.bytesWritten - socket.writableLength;

/**
 * Limits the memory of unread answers, under any server of `@hono/node-server`. The requests of one connection are handled
 * one after another. A connection whose answer is not read in time is closed. An address, an account and the process each
 * have a limit for all their unread answers. Beyond it, the connections that waited longest are closed.
 *
 * @param countAnswer gets the bytes of each answer, except those of endless streams and of downloads
 */
export function limitUnread(
  { config, db, log }: Pick<Context, "config" | "db" | "log">,
  countAnswer: (c: HonoContext<Env>, bytes: number) => void,
): MiddlewareHandler<Env> {
  const bounds = config.unread;
  const unprovenShare = sharesOf(bounds.process, false).ofKind;
  const connections = new WeakMap<Socket, Connection>();
  const entered = new WeakSet<object>();
  /** oldest first */
  const unread = new Set<Unread>();

  return async (c, next) => {
    const { incoming, outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
    // The request came over no network, as in tests.
    if (!incoming || !(outgoing instanceof ServerResponse)) return next();
    // Tools of MCP call the API within a request that has its turn already.
    if (entered.has(incoming)) return next();
    entered.add(incoming);
    const { socket } = incoming;
    const connection = connections.get(socket) ?? { isBusy: false, waiting: [], counted: 0 };
    connections.set(socket, connection);
    if (connection.isBusy) {
      if (connection.waiting.length >= bounds.pipelined)
        closeConnection(socket, "too many requests wait on one connection");
      else await new Promise<void>((resolve) => connection.waiting.push(resolve));
      // The connection is closed, or closes with the previous answer: nobody would receive this answer.
      if (!socket.writable) return c.body(null, 408);
    }
    connection.isBusy = true;
    let isStream = false;
    outgoing.once("close", () => {
      const bytes = socket.bytesWritten - connection.counted;
      connection.counted = socket.bytesWritten;
      if (!isStream && !c.get("isCharged")) countAnswer(c, bytes);
      const released = connection.waiting.splice(0, socket.writable ? 1 : connection.waiting.length);
      connection.isBusy = released.length > 0;
      for (const release of released) release();
    });
    await next();
    // A stream of events has its own limit (api/webhooks/open-streams.ts). MCP sends whole answers as streams.
    isStream = c.req.path.startsWith(`${streamsPath}/`) && c.res.status === 200;
    if (isStream) return;
    const account = (c.get("caller") ?? c.get("recognised"))?.accountId ?? null;
    const answer = { socket, outgoing, ...originOf(c), account, isParty: account === null ? false : null };
    // The server writes the answer after the middleware. Most answers are sent by then.
    setImmediate(() => {
      if (!outgoing.writableFinished && !socket.destroyed) void track(answer);
    });
  };

  async function track(answer: Unread): Promise<void> {
    const { socket, outgoing } = answer;
    unread.add(answer);
    let sent = sentOn(socket);
    const timer = setInterval(() => {
      const sentBefore = sent;
      sent = sentOn(socket);
      // An answer that is still being produced may take longer if some bytes were read, or if none wait to be read.
      if (sizeOf(answer) > 0 && (outgoing.writableEnded || sent === sentBefore)) {
        closeConnection(socket, "an answer was not read in time");
      }
    }, bounds.seconds * 1000);
    outgoing.once("close", () => {
      clearInterval(timer);
      unread.delete(answer);
    });
    const { address, network, account } = answer;
    closeOldest(bounds.address, (candidate) => candidate.address === address);
    if (account) {
      closeOldest(bounds.account, (candidate) => candidate.account === account);
      // The database may take seconds to answer. The limit of the process applies meanwhile.
      closeBeyondShares();
      answer.isParty = await isParty(db, account);
    }
    if (answer.isParty === false && network !== null) {
      closeOldest(
        networkShare(unprovenShare, bounds.address),
        (candidate) => candidate.isParty === false && candidate.network === network,
      );
    }
    closeBeyondShares();
  }

  /** Closes the oldest of these connections until their bytes are within the bound. The newest connection stays open. */
  function closeOldest(bound: number, matches: (answer: Unread) => boolean): void {
    const matching = [...unread].filter(matches);
    let total = matching.reduce((sum, item) => sum + sizeOf(item), 0);
    for (const answer of matching.slice(0, -1)) {
      if (total <= bound) return;
      if (sizeOf(answer) === 0) continue;
      total -= sizeOf(answer);
      closeUnread(answer);
    }
  }

  /**
   * Closes connections of the address with the most bytes, so that addresses with few bytes keep their connections. The
   * share of unproven accounts is enforced first, then the limit of the process.
   */
  function closeBeyondShares(): void {
    closeLargest(unprovenShare, (item) => item.isParty === false);
    closeLargest(bounds.process, () => true);
  }

  function closeLargest(most: number, matches: (answer: Unread) => boolean): void {
    for (;;) {
      const addresses = new Map<string | null, number>();
      for (const item of unread) {
        if (matches(item)) addresses.set(item.address, (addresses.get(item.address) ?? 0) + sizeOf(item));
      }
      const total = [...addresses.values()].reduce((sum, size) => sum + size, 0);
      if (total <= most) return;
      const [largest] = [...addresses].reduce((first, item) => (item[1] > first[1] ? item : first));
      const oldest = [...unread].find(
        (item) => matches(item) && item.address === largest && sizeOf(item) > 0,
      );
      if (!oldest) return;
      closeUnread(oldest);
    }
  }

  function closeUnread(answer: Unread): void {
    unread.delete(answer);
    closeConnection(answer.socket, "the unread answers were too large together");
  }

  function closeConnection(socket: Socket, why: string): void {
    if (socket.destroyed) return;
    log.info({ client_address: socket.remoteAddress, why }, "connection ended");
    socket.destroy();
  }
}
