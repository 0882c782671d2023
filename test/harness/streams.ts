import type { AddressInfo, Socket } from "node:net";
import { serve } from "@hono/node-server";
import type { TestApi } from "./api.ts";

export type StreamedEvent = { id: string; data: { id: string; type: string; data: { title: string } } };

/** Serves the API over HTTP/1.1 with Ponder's server. */
export async function serveApi(api: TestApi) {
  const server = await new Promise<ReturnType<typeof serve>>((resolve) => {
    const started: ReturnType<typeof serve> = serve(
      { fetch: api.app.fetch, hostname: "127.0.0.1", port: 0 },
      () => resolve(started),
    );
  });
  const ports = new Set<number | undefined>();
  server.on("connection", (socket: Socket) => {
    const port = socket.remotePort;
    ports.add(port);
    socket.once("close", () => ports.delete(port));
  });
  return {
    /** Tells whether the server's side of the connection from this port is open. */
    isConnectedTo: (port: number | undefined) => ports.has(port),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      if ("closeAllConnections" in server) server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type OpenStream = Awaited<ReturnType<typeof openStream>>;

/** Opens a stream of events and reads it as it comes. */
export async function openStream(
  url: string,
  token: string,
  { query = "", headers = {} }: { query?: string; headers?: Record<string, string> } = {},
) {
  const abort = new AbortController();
  const response = await fetch(`${url}/streams/events${query}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: abort.signal,
  });
  const received: StreamedEvent[] = [];
  /** The last id, also of an event without data. */
  let lastId = "";
  let comments = 0;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  let failure: unknown = null;
  const ended = isStream
    ? read().catch((error) => {
        failure = error;
      })
    : Promise.resolve();
  return {
    response,
    received,
    ended,
    titles: () => received.map(({ data }) => data.data.title),
    lastId: () => lastId,
    comments: () => comments,
    /** The error that cut the stream; null while it is open or after an orderly end. */
    failure: () => failure,
    close: async () => {
      abort.abort();
      await ended;
    },
  };

  async function read() {
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const fields = new Map(
          block.split("\n").map((line) => [line.split(":", 1)[0], line.replace(/^\w*: ?/, "")] as const),
        );
        lastId = fields.get("id") ?? lastId;
        if (fields.has("")) comments += 1;
        const data = fields.get("data");
        if (data !== undefined) received.push({ id: lastId, data: JSON.parse(data) });
      }
    }
  }
}
