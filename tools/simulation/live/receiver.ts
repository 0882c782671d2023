import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { Random } from "../random.ts";

/** A request that the receiver acknowledged. */
export type Received = { name: string; headers: IncomingHttpHeaders; raw: string };

/**
 * Receives the webhooks of all parties. While it is unreliable, it refuses or drops requests, or does not acknowledge them.
 *
 * @param asked the port. Default: a free one
 */
export async function startReceiver(random: Random, asked = 0) {
  const received: Received[] = [];
  const state = { isUnreliable: true };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const name = decodeURIComponent(request.url?.slice(1) ?? "");
    const raw = Buffer.concat(parts).toString();
    const luck = state.isUnreliable ? random.fraction() : 1;
    if (luck < 0.1) return response.writeHead(503).end();
    if (luck < 0.15) return request.socket.resetAndDestroy();
    received.push({ name, headers: request.headers, raw });
    // The request was received, but the sender gets no acknowledgement.
    if (luck < 0.2) return request.socket.resetAndDestroy();
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(asked, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    received,
    state,
    port,
    urlOf: (name: string) => receiverUrl(port, name),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Returns the webhook URL of a name at the receiver on this port. */
export function receiverUrl(port: number, name: string): string {
  return `http://localhost:${port}/${encodeURIComponent(name)}`;
}
