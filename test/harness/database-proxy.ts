import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** The fault of a new connection. */
export type MakingFault =
  /** The proxy closes the connection in the place of the server's first answer. */
  | "close"
  /** The proxy resets the connection in the place of the answer to its first statement. */
  | "reset";

/** The fault of a statement. */
export type StatementFault =
  /** The statement reaches the server, and the connection is cut in the place of the answer. */
  | "lose the answer"
  /** The statement never reaches the server, and the connection is cut. */
  | "lose"
  /** The statement never reaches the server, and the connection stays open, as with a frozen server. */
  | "hold";

export type DatabaseProxy = Awaited<ReturnType<typeof startDatabaseProxy>>;

/** A proxy in front of PostgreSQL that injects faults. */
export async function startDatabaseProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const faults: {
    /** Returns the fault of a new connection, by its `application_name`. */
    making: (application: string) => MakingFault | null;
    /** Returns the fault of bytes that a client sends. */
    statement: (text: string) => StatementFault | null;
    /** Resets every new connection, and each open connection with its next bytes. */
    refuse: boolean;
  } = { making: () => null, statement: () => null, refuse: false };

  const server = createServer({ noDelay: true }, (client) => {
    if (faults.refuse) return client.resetAndDestroy();
    const upstream = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    let making: MakingFault | null | undefined;
    let made = false;
    let losing = false;
    client.on("data", (bytes) => {
      const text = bytes.toString("latin1");
      making ??= faults.making(/application_name\0([^\0]*)\0/.exec(text)?.[1] ?? "");
      if (made) {
        const fault = making === "reset" || faults.refuse ? "lose" : faults.statement(text);
        if (fault === "lose") {
          upstream.destroy();
          return client.resetAndDestroy();
        }
        if (fault === "hold") return;
        losing ||= fault === "lose the answer";
      }
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (making === "close") return client.end();
      if (losing) return client.resetAndDestroy();
      // The server is ready for the first statement: the message `Z` of five bytes, idle.
      made ||= bytes.toString("latin1").endsWith("Z\0\0\0\u0005I");
      client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.search = "";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    faults,
    /** Cuts all connections of clients. */
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
