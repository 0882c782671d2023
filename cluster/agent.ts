import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import {
  beginStandby,
  confirmCommits,
  fence,
  follow,
  type Look,
  look,
  promote,
  type Server,
  start,
} from "./server.ts";

/** Milliseconds between two looks at a server, and for how long one may be silent until it counts as dead. */
const lookEvery = 200;
const silentFor = 1000;

/** What the agent knows of a server. */
type Known = { server: Server; look: Look; seenAt: number };

/**
 * Watches a primary and its standby, and serves for each what a proxy asks: `/primary` and `/standby` answer 200 where
 * the server is that, else 503, as Patroni's do.
 *
 * A primary that is silent is fenced, and its standby promoted, if every commit that anybody was told of is on that
 * standby. Else the primary is started again. Then a new standby is made of the server that is left over.
 *
 * The agent is one process without a vote: who runs several machines lets Patroni decide the same by a store that agrees.
 *
 * @param servers the primary and its standby, both running
 * @param say told what is done, in a sentence
 */
export async function startAgent(
  servers: { primary: Server; standby: Server },
  checkPorts: Map<Server, number>,
  say: (line: string) => void,
) {
  const knownOf = (server: Server): Known => ({ server, look: null, seenAt: performance.now() });
  let [primary, standby] = [knownOf(servers.primary), knownOf(servers.standby)];
  /**
   * Whether all that was ever acknowledged is on the standby. It is true only while the primary waits for the standby,
   * and becomes false before the primary is told to wait no more.
   */
  let mayPromote = false;
  /** since when the primary is to wait for the standby, and what it had written when that surely held */
  let waitsSince: number | null = null;
  let writtenThen: number | null = null;
  let lastConfirmed = performance.now();
  const ending = new AbortController();

  const watching = [primary, standby].map(async (known) => {
    while (!ending.signal.aborted) {
      const found = await look(known.server);
      known.look = found;
      if (found) known.seenAt = performance.now();
      await sleep(lookEvery);
    }
  });

  const isSilent = (known: Known) => performance.now() - known.seenAt > silentFor;
  const healths = [primary, standby].map((known) => {
    const http = createServer((request, response) => {
      const isSeen = known.look !== null && !isSilent(known);
      const isPrimary = isSeen && known === primary && known.look?.isStandby === false;
      const isStandby = isSeen && known === standby && known.look?.isStandby === true;
      const isGood = request.url === "/primary" ? isPrimary : request.url === "/standby" && isStandby;
      response.writeHead(isGood ? 200 : 503).end();
    });
    return new Promise<typeof http>((resolve) =>
      http.listen(checkPorts.get(known.server), "127.0.0.1", () => resolve(http)),
    );
  });

  /** Has the primary wait for the standby once that streams, and no more once it does not. */
  async function keepConfirming(): Promise<void> {
    const now = performance.now();
    const { look: found } = primary;
    if (!found || found.isStandby) return;
    if (found.isConfirmed) lastConfirmed = now;
    if (waitsSince === null) {
      if (found.confirmed === null || !standby.look?.isStandby) return;
      await confirmCommits(primary.server, true);
      [waitsSince, writtenThen, lastConfirmed] = [performance.now(), null, performance.now()];
      return;
    }
    if (now - lastConfirmed > silentFor) {
      mayPromote = false;
      waitsSince = null;
      say(`${standby.server.name} does not confirm: ${primary.server.name} goes on without it`);
      await confirmCommits(primary.server, false);
      return;
    }
    if (mayPromote || !found.isConfirmed) return;
    // Each process of the primary has read its settings again by then.
    if (writtenThen === null && now - waitsSince > 2 * lookEvery) writtenThen = found.written;
    else if (writtenThen !== null && (found.confirmed ?? 0) >= writtenThen) {
      mayPromote = true;
      say(`${standby.server.name} confirms each commit of ${primary.server.name}`);
    }
  }

  async function replacePrimary(): Promise<void> {
    const [old, next] = [primary, standby];
    if (!mayPromote || isSilent(next) || !next.look) {
      say(`${old.server.name} is silent, and no standby has all that it answered: it is started again`);
      await fence(old.server);
      await start(old.server);
      old.seenAt = performance.now();
      lastConfirmed = performance.now();
      return;
    }
    const began = performance.now();
    say(`${old.server.name} is silent: it is fenced`);
    await fence(old.server);
    await promote(next.server);
    [primary, standby] = [next, old];
    mayPromote = false;
    waitsSince = null;
    primary.seenAt = performance.now();
    say(`${primary.server.name} is the primary after ${Math.round(performance.now() - began)} ms`);
    await beginStandby(standby.server, primary.server);
    standby.seenAt = performance.now();
    say(`${standby.server.name} is its new standby, a copy`);
  }

  async function replaceStandby(): Promise<void> {
    if (waitsSince !== null) return;
    say(`${standby.server.name} is silent: it is started again`);
    await fence(standby.server);
    await follow(standby.server, primary.server).catch(() => beginStandby(standby.server, primary.server));
    standby.seenAt = performance.now();
  }

  const deciding = (async () => {
    while (!ending.signal.aborted) {
      // What fails is decided anew, from what is seen then.
      await decide().catch((error: Error) => say(`the agent could not act: ${error.message}`));
      await sleep(lookEvery / 2);
    }
  })();

  async function decide(): Promise<void> {
    if (ending.signal.aborted) return;
    if (isSilent(primary)) return replacePrimary();
    await keepConfirming();
    if (isSilent(standby)) await replaceStandby();
  }

  return {
    primary: () => primary.server,
    standby: () => standby.server,
    /** Whether the death of the primary now would lose nothing and end in a promotion. */
    mayPromote: () => mayPromote,
    /** Ends watching. The servers go on. */
    async stop(): Promise<void> {
      ending.abort();
      await Promise.all([...watching, deciding]);
      for (const made of healths) (await made).close();
    },
  };
}
