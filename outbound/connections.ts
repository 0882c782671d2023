import type { Connection } from "./connection.ts";

export interface ConnectionsOptions {
  /** How long an address counts as checked: no connection is used, or made again, after it. 30 seconds unless told. */
  maxAgeMs?: number;
  /** How long one stays open unused; 4 seconds unless told, below the 5 after which common servers close theirs. */
  idleMs?: number;
  /** Of all origins together; the one unused longest goes first. 256 unless told. */
  maxIdle?: number;
}

/**
 * Connections that wait for the next request to their origin. Each is used by one request at a time, so a request that
 * hangs holds up no other. To be shared among requests of one policy only.
 */
export interface Connections {
  readonly idleMs: number;
  /** One that is free, the last used first; it is the caller's until it is kept again or closed. */
  take(origin: string): Connection | undefined;
  keep(connection: Connection): void;
  /** Closes those that wait; one in use is closed when it is given back. */
  close(): void;
}

export function createConnections(options: ConnectionsOptions = {}): Connections {
  const { maxAgeMs = 30_000, idleMs = 4000, maxIdle = 256 } = options;
  /** Until when each may be used, in the order in which they were kept. */
  const waiting = new Map<Connection, number>();
  const byOrigin = new Map<string, Connection[]>();
  // One timer for all: connections are taken and kept again far more often than one grows old.
  let timer: NodeJS.Timeout | undefined;
  let timedFor = Number.POSITIVE_INFINITY;
  let closed = false;

  const drop = (connection: Connection) => {
    waiting.delete(connection);
    const others = byOrigin.get(connection.origin) ?? [];
    others.splice(others.indexOf(connection), 1);
    if (others.length === 0) byOrigin.delete(connection.origin);
    connection.close();
  };
  const dropOld = () => {
    const now = performance.now();
    timedFor = Number.POSITIVE_INFINITY;
    let next = timedFor;
    for (const [connection, until] of waiting) {
      if (until <= now) drop(connection);
      else next = Math.min(next, until);
    }
    dropOldAt(next);
  };
  const dropOldAt = (time: number) => {
    if (time >= timedFor) return;
    clearTimeout(timer);
    timedFor = time;
    timer = setTimeout(dropOld, Math.max(1, Math.ceil(time - performance.now()))).unref();
  };
  return {
    idleMs,
    take: (origin) => {
      // Where the timer is late, those are still here that it would have closed.
      if (timedFor <= performance.now()) dropOld();
      const others = byOrigin.get(origin);
      const found = others?.pop();
      if (found) waiting.delete(found);
      if (others?.length === 0) byOrigin.delete(origin);
      return found;
    },
    keep: (connection) => {
      const now = performance.now();
      const until = Math.min(now + idleMs, connection.checkedAt + maxAgeMs);
      if (closed || until <= now) return connection.close();
      waiting.set(connection, until);
      const others = byOrigin.get(connection.origin);
      if (others) others.push(connection);
      else byOrigin.set(connection.origin, [connection]);
      dropOldAt(until);
      const [oldest] = waiting.size > maxIdle ? waiting.keys() : [];
      if (oldest) drop(oldest);
    },
    close: () => {
      closed = true;
      for (const connection of waiting.keys()) drop(connection);
    },
  };
}
