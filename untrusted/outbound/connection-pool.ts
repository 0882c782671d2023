import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { LRUCache } from "lru-cache";

/** The most names whose check is remembered, and the most addresses that connections are kept to. */
const mostNames = 1000;
const mostAddresses = 256;

/** What speaks to one address, for all origins there. */
export interface Receiver {
  readonly agent: Agent;
  readonly address: string;
  /** Whether by TLS. */
  readonly isSecure: boolean;
}

export interface ConnectionsOptions {
  /** How long the addresses of a name count as checked. 30 seconds unless told. */
  maxAgeMs?: number;
  /** How long a connection stays open unused; 4 seconds unless told, below the 5 after which common servers close theirs. */
  idleMs?: number;
}

/** Keeps connections for the next request to their origin, and the checks of names. Shared among requests of one policy. */
export interface Connections {
  /** The addresses of a name, every one of them checked. */
  readonly checked: LRUCache<string, readonly string[]>;
  /** @param ca certificates (PEM) trusted instead of Node's own */
  receiverAt(address: string, isSecure: boolean, ca: string | undefined): Receiver;
  readonly isClosed: boolean;
  /** Closes what is kept, and keeps nothing from then on. */
  close(): void;
}

export function createConnections({
  maxAgeMs = 30_000,
  idleMs = 4000,
}: ConnectionsOptions = {}): Connections {
  const receivers = new LRUCache<string, Receiver>({
    max: mostAddresses,
    // Requests under way go on to their end.
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
 * A receiver whose connections go to this address, whatever names its origins have.
 *
 * @param options.idleMs how long a connection stays open between two requests; 0 closes it after one
 */
export function openReceiver(
  address: string,
  isSecure: boolean,
  { ca, idleMs }: { ca: string | undefined; idleMs: number },
): Receiver {
  // A receiver may ask for less than this time by the header Keep-Alive, not for more.
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

/** Closes the connections that nobody uses now, and the others when their requests end. */
function retire({ agent }: Receiver): void {
  agent.maxFreeSockets = 0;
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}
