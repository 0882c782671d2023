import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { maxRequestBytes } from "./cosign-request.ts";
import type { Answer, Witness } from "./witness.ts";

/** Milliseconds for the headers of a request, for the whole request, and between two requests of a connection. */
const usualTimeouts = { headers: 5000, request: 10_000, idle: 15_000 };
/** The most connections in total and of one address, and the most simultaneous checkpoints. */
const bounds = { connections: 512, ofAddress: 32, pending: 64 };

export type WitnessServer = { port: number; close(): Promise<void> };

/**
 * Serves a witness: `POST /add-checkpoint` and `GET /<origin hash>/checkpoint` of C2SP's tlog-witness, and `GET
 * /health`.
 *
 * @param options.fail called with an error after which the program must end
 */
export async function serveWitness(
  witness: Witness,
  options: {
    port: number;
    host?: string | undefined;
    fail: (error: unknown) => void;
    timeouts?: typeof usualTimeouts;
  },
): Promise<WitnessServer> {
  const { port, host, fail, timeouts = usualTimeouts } = options;
  let pending = 0;
  async function addCheckpoint(body: Uint8Array): Promise<Answer> {
    if (pending >= bounds.pending) return busy;
    pending++;
    try {
      return await witness.addCheckpoint(body);
    } finally {
      pending--;
    }
  }
  const server = createServer(
    {
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      keepAliveTimeout: timeouts.idle,
      connectionsCheckingInterval: timeouts.headers / 5,
      maxHeaderSize: 8192,
    },
    (request, response) => {
      answerRequest(witness, request, addCheckpoint).then(
        (answer) => sendAnswer(response, answer),
        (error) => {
          sendAnswer(response, failed);
          fail(error);
        },
      );
    },
  );
  server.maxConnections = bounds.connections;
  limitPerAddress(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), timeouts.request).unref();
      }),
  };
}

const text = "text/plain; charset=utf-8";
const busy: Answer = { status: 503, type: text, body: "The witness is busy. Try again.\n" };
const failed: Answer = {
  status: 500,
  type: text,
  body: "The checkpoint could not be recorded. Try again.\n",
};
const notFound: Answer = { status: 404, type: text, body: "This path does not exist.\n" };
const wrongMethod: Answer = { status: 405, type: text, body: "This path does not support the method.\n" };
const tooLarge: Answer = {
  status: 413,
  type: text,
  body: `The request exceeds ${maxRequestBytes} bytes.\n`,
};

async function answerRequest(
  witness: Witness,
  request: IncomingMessage,
  addCheckpoint: (body: Uint8Array) => Promise<Answer>,
): Promise<Answer> {
  const { method, url = "" } = request;
  if (url === "/add-checkpoint") {
    if (method !== "POST") return wrongMethod;
    const body = await readBody(request);
    return body === null ? tooLarge : addCheckpoint(body);
  }
  if (method !== "GET" && method !== "HEAD") return wrongMethod;
  if (url === "/health") return { status: 200, type: text, body: "ok\n" };
  const [, originHash] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(url) ?? [];
  const checkpoint = originHash === undefined ? undefined : witness.latest(originHash);
  return checkpoint === undefined ? notFound : { status: 200, type: text, body: checkpoint };
}

/** Reads the body; null if it is too large or incomplete. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | null> {
  if (Number(request.headers["content-length"] ?? 0) > maxRequestBytes) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      size += chunk.length;
      if (size > maxRequestBytes) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}

function sendAnswer(response: ServerResponse, { status, type, body }: Answer): void {
  if (response.destroyed) return;
  // The unread rest of a body would be read as the next request.
  const isUnread = !response.req.complete;
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    ...(status === 503 ? { "retry-after": "1" } : {}),
    ...(isUnread ? { connection: "close" } : {}),
  });
  response.end(response.req.method === "HEAD" ? undefined : body);
}

/** Bounds the connections of one address. Behind a proxy, this bounds the proxy. */
function limitPerAddress(server: Server): void {
  const open = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    const count = (open.get(address) ?? 0) + 1;
    if (count > bounds.ofAddress) return void socket.destroy();
    open.set(address, count);
    socket.once("close", () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}
