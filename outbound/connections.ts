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
  keep(origin: string, connection: Connection): void;
  /** Closes those that wait; one in use is closed when it is given back. */
  close(): void;
}

export function createConnections(options: ConnectionsOptions = {}): Connections {
  const { maxAgeMs = 30_000, idleMs = 4000, maxIdle = 256 } = options;
  /** In the order in which they were kept. */
  const waiting = new Map<Connection, { origin: string; timer: NodeJS.Timeout }>();
  /** The same by origin. */
  const byOrigin = new Map<string, Set<Connection>>();
  let closed = false;

  const remove = (connection: Connection) => {
    const place = waiting.get(connection);
    if (!place) return;
    clearTimeout(place.timer);
    waiting.delete(connection);
    const others = byOrigin.get(place.origin);
    others?.delete(connection);
    if (others?.size === 0) byOrigin.delete(place.origin);
  };
  const drop = (connection: Connection) => {
    remove(connection);
    connection.close();
  };
  return {
    idleMs,
    take: (origin) => {
      const found = [...(byOrigin.get(origin) ?? [])].at(-1);
      if (found) remove(found);
      return found;
    },
    keep: (origin, connection) => {
      const leftMs = Math.min(idleMs, connection.checkedAt + maxAgeMs - performance.now());
      if (closed || leftMs <= 0) return connection.close();
      // The timer alone ends its wait: what is still here may be used.
      const timer = setTimeout(drop, leftMs, connection).unref();
      waiting.set(connection, { origin, timer });
      const others = byOrigin.get(origin);
      if (others) others.add(connection);
      else byOrigin.set(origin, new Set([connection]));
      const [oldest] = waiting.keys();
      if (waiting.size > maxIdle && oldest) drop(oldest);
    },
    close: () => {
      closed = true;
      for (const connection of waiting.keys()) drop(connection);
    },
  };
}
