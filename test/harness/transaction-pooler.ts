import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { openPostgres } from "../../db/postgres.ts";

/** An authenticated connection to the server, whose bytes the pooler passes on. */
type Session = { socket: Socket; client: Socket | null };

const authenticated = message("R", Buffer.from([0, 0, 0, 0]));
const ready = message("Z", Buffer.from("I"));

export type TransactionPooler = Awaited<ReturnType<typeof startTransactionPooler>>;

/**
 * A pooler in front of PostgreSQL that gives each transaction the next connection, so that no session state is
 * left for the transaction after it. It passes the names of statements on unchanged, as PgBouncer does up to 1.20.
 * Unlike PgBouncer it refuses LISTEN, which would get no notification.
 *
 * @param size the number of connections to the server
 */
export async function startTransactionPooler(databaseUrl: string, size = 4) {
  const clients = new Set<Socket>();
  const idle: Session[] = [];
  const waiting: ((session: Session) => void)[] = [];
  let transactions = 0;
  for (let n = 0; n < size; n++) await open();

  const server = createServer({ noDelay: true }, (client) => {
    clients.add(client);
    let session: Session | null = null;
    let started = false;
    const read = splitMessages();
    client.on("error", () => client.destroy());
    client.on("close", () => {
      clients.delete(client);
      // The server aborts the transaction with its connection.
      session?.socket.destroy();
    });
    client.on("data", async (bytes) => {
      client.pause();
      let rest = bytes;
      if (!started) {
        started = true;
        rest = bytes.subarray(bytes.readInt32BE(0));
        client.write(Buffer.concat([authenticated, ready]));
      }
      for (const each of read(rest)) {
        if (each[0] === code("X")) return client.destroy();
        if (/^[QP].{4}[^\0]*\0?\s*listen /is.test(each.toString("latin1"))) return client.destroy();
        if (!session) {
          session = await take(client);
          if (client.destroyed) return give(session);
        }
        session.socket.write(each);
      }
      client.resume();
    });
    const release = () => {
      session = null;
    };
    releases.set(client, release);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.search = "";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    /** The number of transactions, or statements outside of one, that it has carried. */
    transactions: () => transactions,
    close: async () => {
      for (const client of clients) client.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      for (const { socket } of idle) socket.destroy();
    },
  };

  async function open(): Promise<void> {
    const { hostname, port } = new URL(databaseUrl);
    const socket = connect(Number(port), hostname);
    await openPostgres(databaseUrl, { socket: () => socket })`select`;
    // `postgres` has authenticated the connection. From here on, the pooler reads and writes its bytes.
    socket.removeAllListeners("data");
    const session: Session = { socket, client: null };
    const read = splitMessages();
    socket.on("data", (bytes) => {
      for (const each of read(bytes)) {
        const { client } = session;
        const isDone = each[0] === code("Z") && each[5] === code("I");
        if (isDone) give(session);
        client?.write(each);
      }
    });
    socket.on("close", () => {
      session.client?.destroy();
      if (server.listening) void open().catch(() => {});
    });
    give(session);
  }

  function take(client: Socket): Promise<Session> {
    transactions += 1;
    const found = idle.shift();
    const taken = found ? Promise.resolve(found) : new Promise<Session>((resolve) => waiting.push(resolve));
    return taken.then((session) => Object.assign(session, { client }));
  }

  function give(session: Session): void {
    if (session.client) releases.get(session.client)?.();
    session.client = null;
    const next = waiting.shift();
    if (next) next(session);
    else idle.push(session);
  }
}

const releases = new WeakMap<Socket, () => void>();

function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

function code(type: string): number {
  return type.charCodeAt(0);
}

/** Splits the bytes into whole messages of the protocol, and keeps an incomplete one for later. */
function splitMessages(): (bytes: Buffer) => Buffer[] {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const whole: Buffer[] = [];
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const length = rest.readInt32BE(1) + 1;
      whole.push(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
    return whole;
  };
}
