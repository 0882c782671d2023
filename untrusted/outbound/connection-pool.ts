import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { LRUCache } from "lru-cache";

/** Limits of cached names with checked addresses, and of addresses with open connections. */
const mostNames = 1000;
const mostAddresses = 256;

/** An HTTP agent for one address, for all origins there. */
export interface Receiver {
  readonly agent: Agent;
  readonly address: string;
  /** Whether connections use TLS. */
  readonly isSecure: boolean;
}

export interface ConnectionsOptions {
  /** Milliseconds for which the addresses of a name count as checked; 30 seconds by default. */
  maxAgeMs?: number;
  /** Milliseconds for which an idle connection stays open; 4 seconds by default, below the 5 of common servers. */
  idleMs?: number;
}

/** A cache of connections and of checked names, shared by requests of one policy. */
export interface Connections {
  /** The checked addresses of a name. */
  readonly checked: LRUCache<string, readonly string[]>;
  /** @param ca certificates (PEM) trusted instead of Node's own */
  receiverAt(address: string, isSecure: boolean, ca: string | undefined): Receiver;
  readonly isClosed: boolean;
  /** Closes the cached connections, and caches none from then on. */
  close(): void;
}

export function createConnections({
  maxAgeMs = 30_000,
  idleMs = 4000,
}: ConnectionsOptions = {}): Connections {
  const receivers = new LRUCache<string, Receiver>({
    max: mostAddresses,
    // Requests under way continue.
    dispose: retire,
  });
  let isClosed = false;
  return {
    checked: new LRUCache({ max: mostNames, ttl: maxAgeMs }),
    receiverAt(address, isSecure, ca) {
      const key = `${address} ${isSecure} ${ca ?? ""}`;
      const receiver = receivers.get(key) ?? openReceiver(address, isSecure, { ca, idleMs });
      receivers.set(key, receiver);
      return receiver;
    },
    get isClosed() {
      return isClosed;
    },
    close() {
      isClosed = true;
      receivers.clear();
    },
  };
}

/**
 * Opens a receiver whose connections go to this address, whatever the names of its origins.
 *
 * @param options.idleMs how long a connection stays open between two requests; 0 closes it after one
 */
export function openReceiver(
  address: string,
  isSecure: boolean,
  { ca, idleMs }: { ca: string | undefined; idleMs: number },
): Receiver {
  // The header Keep-Alive of a receiver can only shorten this time.
  const keeping = idleMs === 0 ? { keepAlive: false } : { keepAlive: true, timeout: idleMs };
  const agent = isSecure
    ? new SecureAgent({
        ...keeping,
        ...(ca === undefined ? {} : { ca }),
        // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED changes the default.
        rejectUnauthorized: true,
        maxCachedSessions: 0,
      })
    : new Agent(keeping);
  return { agent, address, isSecure };
}

/** Closes the idle connections now, and the others when their requests end. */
function retire({ agent }: Receiver): void {
  agent.maxFreeSockets = 0;
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}
