import { isIP, type LookupFunction, type Socket } from "node:net";
import { buildConnector, Client } from "undici";

/** Until the next address of a receiver is tried beside the one that does not answer. */
const addressTimeoutMs = 2000;
export const maxHeaderBytes = 16_384;

/** One connection to one origin, for one request at a time. It can only ever be made to the addresses it was opened for. */
export interface Connection {
  readonly client: Client;
  readonly origin: string;
  /** Which of its addresses it is made to, once it is. */
  address: string | null;
  /** `performance.now()` of when its addresses were checked. */
  readonly checkedAt: number;
  /** Whether it is by TLS. */
  readonly isSecure: boolean;
  /** How far its socket is. */
  phase: "connect" | "handshake" | "request";
  /** Breaks off whatever it is doing. */
  close(): void;
}

export interface ConnectionOptions {
  /** Certificates (PEM) trusted instead of Node's own. */
  ca?: string | undefined;
  /** How long it stays open between two requests; 0 closes it after one. */
  idleMs: number;
}

/** Opens a connection to an origin at one of these addresses, whatever its name may resolve to by now. */
export function openConnection(
  origin: string,
  addresses: readonly string[],
  { ca, idleMs }: ConnectionOptions,
): Connection {
  const pinned = addresses.map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_hostname, { all }, answer) => {
    const [first] = pinned;
    if (all) answer(null, pinned);
    else answer(null, first?.address ?? "", first?.family);
  };
  const connect = buildConnector({
    lookup,
    ca,
    // Said, because NODE_TLS_REJECT_UNAUTHORIZED turns it off where it is not.
    rejectUnauthorized: true,
    allowH2: false,
    maxCachedSessions: 0,
    timeout: 0,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
  });
  let socket: Socket | undefined;
  const client = new Client(origin, {
    connect: (target, callback) => {
      connection.phase = "connect";
      // A connector gives the socket at once, which its type does not say; while it connects, nobody else has it.
      const opened = connect(target, callback) as unknown as Socket;
      opened.once("connect", () => {
        connection.phase = connection.isSecure ? "handshake" : "request";
        connection.address = opened.remoteAddress ?? null;
      });
      opened.once("secureConnect", () => {
        connection.phase = "request";
      });
      socket = opened;
    },
    maxHeaderSize: maxHeaderBytes,
    allowH2: false,
    keepAliveTimeout: Math.max(idleMs, 1),
    // A receiver may ask for less, not for more.
    keepAliveMaxTimeout: Math.max(idleMs, 1),
    // The one limit of time is the request's own.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const connection: Connection = {
    client,
    origin,
    address: null,
    checkedAt: performance.now(),
    isSecure: new URL(origin).protocol === "https:",
    phase: "connect",
    close: () => {
      client.destroy().catch(() => {});
      socket?.destroy();
    },
  };
  return connection;
}
