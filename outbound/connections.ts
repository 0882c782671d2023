import { connect } from "node:net";
import { LRUCache } from "lru-cache";
import { Agent, buildConnector } from "undici";
import { codeOf, Failure } from "./failure.ts";

/** Milliseconds until an address counts as one that does not answer, and until TLS counts as not agreed on. */
const connectMs = 5000;
const handshakeMs = 15_000;
/** The most names whose check is remembered, and the most addresses that connections are kept to. */
const mostNames = 1000;
const mostAddresses = 256;
export const maxHeaderBytes = 16_384;

/** What speaks to one address, for all origins there. */
export interface Receiver {
  readonly agent: Agent;
  readonly address: string;
  /** How many connections were made to it. */
  opened: number;
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
  receiverAt(address: string, ca: string | undefined): Receiver;
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
    dispose: ({ agent }) => void agent.close().catch(() => {}),
  });
  let isClosed = false;
  return {
    checked: new LRUCache({ max: mostNames, ttl: maxAgeMs }),
    receiverAt(address, ca) {
      const key = `${address} ${ca ?? ""}`;
      const receiver = receivers.get(key) ?? openReceiver(address, { ca, idleMs });
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
 * An agent whose connections go to this address, whatever the names of its origins resolve to by now.
 *
 * @param options.idleMs how long a connection stays open between two requests; 0 closes it after one
 * @param options.signal destroys its sockets, also while they connect
 */
export function openReceiver(
  address: string,
  { ca, idleMs, signal }: { ca: string | undefined; idleMs: number; signal?: AbortSignal },
): Receiver {
  const secure = buildConnector({
    ...(ca === undefined ? {} : { ca }),
    // Said, because NODE_TLS_REJECT_UNAUTHORIZED turns it off where it is not.
    rejectUnauthorized: true,
    allowH2: false,
    maxCachedSessions: 0,
    timeout: handshakeMs,
  });
  const receiver: Receiver = {
    address,
    opened: 0,
    agent: new Agent({
      connect(target, callback) {
        receiver.opened += 1;
        const isSecure = target.protocol === "https:";
        const port = Number(target.port) || (isSecure ? 443 : 80);
        const socket = connect({ host: address, port, noDelay: true, ...(signal ? { signal } : {}) });
        const late = setTimeout(() => socket.destroy(new Error("The address does not answer.")), connectMs);
        const fail = (error: Error) => {
          clearTimeout(late);
          callback(describeUnreached(codeOf(error)), null);
        };
        socket.once("error", fail);
        socket.once("connect", () => {
          clearTimeout(late);
          socket.off("error", fail);
          if (!isSecure) return callback(null, socket);
          // The TLS socket reports the errors from here on.
          socket.on("error", () => {});
          secure({ ...target, httpSocket: socket }, (...[error, agreed]) => {
            if (agreed) return callback(null, agreed);
            socket.destroy();
            callback(new Failure("tls_failed", `TLS was not agreed on (${codeOf(error)}).`), null);
          });
        });
      },
      allowH2: false,
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: Math.max(idleMs, 1),
      // A receiver may ask for less, not for more.
      keepAliveMaxTimeout: Math.max(idleMs, 1),
      // The one limit of time is the request's own.
      headersTimeout: 0,
      bodyTimeout: 0,
    }),
  };
  return receiver;
}

function describeUnreached(code: string): Failure {
  return code === "ECONNREFUSED"
    ? new Failure("connection_refused", "The host refuses connections on this port.")
    : new Failure("connection_failed", `The host could not be connected to (${code}).`);
}
