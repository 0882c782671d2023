import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import {
  beginStandby,
  checkServer,
  confirmCommits,
  fence,
  follow,
  isStandby,
  promote,
  type Server,
  type ServerCheck,
  start,
  stop,
} from "./server.ts";

/** Milliseconds between two checks of a server, and of silence after which a server counts as dead. */
const checkEvery = 200;
const silentFor = 1000;

/** The agent's state of a server. */
type Known = { server: Server; check: ServerCheck; seenAt: number };

/** A server, and the port on which the agent serves the server's health checks. */
export type Watched = { server: Server; checkPort: number };

/** The agent's report: the role of each server, and whether the standby can be promoted now without loss. */
export type AgentState = { primary: string; standby: string; mayPromote: boolean; line?: string };

/**
 * Watches a primary and its standby, and serves health checks of both to a proxy. `/primary` and `/standby` answer 200 if
 * the server has that role, else 503, as Patroni's do.
 *
 * The agent fences a silent primary. If the standby has every acknowledged commit, the agent promotes it and makes the old
 * primary its standby. Otherwise the agent restarts the primary.
 *
 * The agent is a single process without a quorum. On several machines, Patroni decides the same with a consensus store.
 *
 * A restarted agent reads the roles from the servers' folders. A standby must then confirm again before it is promoted.
 *
 * @param watched a primary and its standby
 * @param tell receives the state after each change, with a sentence about the agent's action if there is one
 */
export async function startAgent(watched: readonly Watched[], tell: (state: AgentState) => void) {
  const knownOf = (server: Server): Known => ({ server, check: null, seenAt: performance.now() });
  const known = watched.map(({ server }) => knownOf(server)) as [Known, Known];
  let [primary, standby] = await findRoles(known);
  /**
   * Whether the standby has every acknowledged commit. It is true only while the primary waits for the standby,
   * and becomes false before the primary stops waiting.
   */
  let mayPromote = false;
  /** the time from which the primary waits for the standby, and its log position once all its processes wait */
  let waitsSince: number | null = null;
  let writtenThen: number | null = null;
  let lastConfirmed = performance.now();
  const ending = new AbortController();

  const say = (line?: string) =>
    tell({
      primary: primary.server.name,
      standby: standby.server.name,
      mayPromote,
      ...(line ? { line } : {}),
    });

  const watching = known.map(async (one) => {
    while (!ending.signal.aborted) {
      const found = await checkServer(one.server);
      one.check = found;
      if (found) one.seenAt = performance.now();
      await sleep(checkEvery);
    }
  });

  const isSilent = (known: Known) => performance.now() - known.seenAt > silentFor;
  const healths = known.map((one, at) => {
    const http = createServer((request, response) => {
      const isSeen = one.check !== null && !isSilent(one);
      const isItsPrimary = isSeen && one === primary && one.check?.isStandby === false;
      const isItsStandby = isSeen && one === standby && one.check?.isStandby === true;
      const isGood = request.url === "/primary" ? isItsPrimary : request.url === "/standby" && isItsStandby;
      response.writeHead(isGood ? 200 : 503).end();
    });
    return new Promise<typeof http>((resolve) =>
      http.listen(watched[at]?.checkPort, "127.0.0.1", () => resolve(http)),
    );
  });

  /** Makes the primary wait for the standby while the standby streams. */
  async function keepConfirming(): Promise<void> {
    const now = performance.now();
    const { check: found } = primary;
    if (!found || found.isStandby) return;
    if (found.isConfirmed) lastConfirmed = now;
    if (waitsSince === null) {
      if (found.confirmed === null || !standby.check?.isStandby) return;
      await confirmCommits(primary.server, true);
      [waitsSince, writtenThen, lastConfirmed] = [performance.now(), null, performance.now()];
      return;
    }
    if (now - lastConfirmed > silentFor) {
      mayPromote = false;
      waitsSince = null;
      say(`${standby.server.name} does not confirm: ${primary.server.name} continues without it`);
      await confirmCommits(primary.server, false);
      return;
    }
    if (mayPromote || !found.isConfirmed) return;
    // By then each process of the primary has reloaded its settings.
    if (writtenThen === null && now - waitsSince > 2 * checkEvery) writtenThen = found.written;
    else if (writtenThen !== null && (found.confirmed ?? 0) >= writtenThen) {
      mayPromote = true;
      say(`${standby.server.name} confirms each commit of ${primary.server.name}`);
    }
  }

  async function replacePrimary(): Promise<void> {
    const [old, next] = [primary, standby];
    if (!mayPromote || isSilent(next) || !next.check) {
      say(`${old.server.name} is silent, and no standby has all its acknowledged commits: it is restarted`);
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
    say(`${standby.server.name} is silent: it is restarted`);
    await fence(standby.server);
    // A copy that was not finished follows nobody: it would begin as a primary of its own.
    const following = isStandby(standby.server) ? follow(standby.server, primary.server) : Promise.reject();
    await following.catch(() => beginStandby(standby.server, primary.server));
    standby.seenAt = performance.now();
  }

  const deciding = (async () => {
    while (!ending.signal.aborted) {
      // After a failure, the next round decides again from fresh checks.
      await decide().catch((error: Error) => say(`the agent could not act: ${error.message}`));
      await sleep(checkEvery / 2);
    }
  })();

  async function decide(): Promise<void> {
    if (ending.signal.aborted) return;
    if (isSilent(primary)) return replacePrimary();
    await keepConfirming();
    if (isSilent(standby)) await replaceStandby();
  }

  await Promise.all(healths);
  say();
  return {
    /** Stops watching, then both servers. The standby stops first, because a stopping primary waits for its standby. */
    async stop(): Promise<void> {
      ending.abort();
      await Promise.all([...watching, deciding]);
      for (const made of healths) (await made).close();
      await stop(standby.server);
      await stop(primary.server);
    },
  };
}

/**
 * Finds which of two servers is the primary. A file in a server's folder marks a standby. If neither has one, an agent died
 * between a promotion and the copy, and the server that answers is the primary.
 */
async function findRoles([one, other]: [Known, Known]): Promise<[Known, Known]> {
  if (isStandby(one.server) !== isStandby(other.server))
    return isStandby(one.server) ? [other, one] : [one, other];
  return (await checkServer(one.server)) ? [one, other] : [other, one];
}
