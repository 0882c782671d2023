import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Random } from "../random.ts";

/** The faults of a connection. */
export type Trouble = {
  /** whether existing connections are cut and new ones are reset */
  isCut: boolean;
  /** milliseconds by which all data is delayed */
  delay: number;
};

/** A TCP proxy in front of one server for one program. */
export async function startTcpProxy(port: number) {
  const trouble: Trouble = { isCut: false, delay: 0 };
  const sockets = new Set<Socket>();
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const server = createServer({ noDelay: true }, (client) => {
    if (trouble.isCut) return client.resetAndDestroy();
    const upstream = connect({ port, host: "127.0.0.1", noDelay: true });
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
      // The parts are delayed one after the other, so that they keep their order.
      let last = Promise.resolve();
      one.on("data", (bytes) => {
        if (trouble.delay === 0) {
          last = last.then(() => void other.write(bytes));
          return;
        }
        const due = sleep(trouble.delay);
        last = last.then(() => due).then(() => void (other.destroyed || other.write(bytes)));
      });
    }
  });
  return { port: await listen(server), trouble, cut, close: () => close(server, cut) };
}
export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

/** The ways in which a node omits data. */
export type Lie = "nothing" | "drops logs" | "old head";

/** The most blocks by which an old head is behind. */
const mostBehind = 3n;

const requestSchema = z.object({
  id: z.unknown(),
  method: z.string(),
  params: z.array(z.unknown()).optional(),
});
type RpcRequest = z.infer<typeof requestSchema>;
const headSchema = z.object({ result: z.string() });
const logsSchema = z.object({ result: z.array(z.unknown()) });

/**
 * Starts a proxy of the node for one program. The proxy cuts connections, delays answers and omits data.
 *
 * @param sent called with each raw transaction
 */
export async function startNodeProxy(rpcUrl: string, random: Random, sent: (raw: `0x${string}`) => void) {
  const state: Trouble & { lie: Lie } = { isCut: false, delay: 0, lie: "nothing" };

  async function forward(rpcRequest: RpcRequest): Promise<unknown> {
    const question = state.lie === "old head" ? await backdate(rpcRequest) : rpcRequest;
    const { body } = await post(question);
    if (state.lie === "old head" && rpcRequest.method === "eth_blockNumber") {
      const head = BigInt(headSchema.parse(body).result) - mostBehind;
      return { ...(body as object), result: `0x${(head > 0n ? head : 0n).toString(16)}` };
    }
    if (state.lie === "drops logs" && rpcRequest.method === "eth_getLogs") {
      const logs = logsSchema.safeParse(body);
      if (logs.success)
        return { ...(body as object), result: logs.data.result.filter(() => random.chance(0.5)) };
    }
    return body;
  }

  async function backdate(rpcRequest: RpcRequest): Promise<RpcRequest> {
    if (rpcRequest.method !== "eth_getBlockByNumber" || rpcRequest.params?.[0] !== "latest")
      return rpcRequest;
    const { body } = await post({ ...rpcRequest, method: "eth_blockNumber", params: [] });
    const head = BigInt(headSchema.parse(body).result) - mostBehind;
    return { ...rpcRequest, params: [`0x${(head > 0n ? head : 0n).toString(16)}`, rpcRequest.params[1]] };
  }

  async function post(rpcRequest: RpcRequest): Promise<{ body: unknown }> {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ ...rpcRequest, jsonrpc: "2.0" });
    return { body: await (await fetch(rpcUrl, { method: "POST", headers, body })).json() };
  }

  const server = createHttpServer(async (request, response) => {
    try {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      if (state.isCut) return request.socket.resetAndDestroy();
      if (state.delay > 0) await sleep(state.delay);
      const rpcRequest = z
        .union([requestSchema, z.array(requestSchema)])
        .parse(JSON.parse(Buffer.concat(parts).toString()));
      const all = Array.isArray(rpcRequest) ? rpcRequest : [rpcRequest];
      for (const { method, params } of all) {
        if (method === "eth_sendRawTransaction")
          sent(z.templateLiteral(["0x", z.string()]).parse(params?.[0]));
      }
      const answers = await Promise.all(all.map(forward));
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(Array.isArray(rpcRequest) ? answers : answers[0]));
    } catch {
      response.destroy();
    }
  });
  const port = await listen(server);
  const cut = () => server.closeAllConnections();
  return { url: `http://127.0.0.1:${port}`, state, cut, close: () => close(server, cut) };
}
export type NodeProxy = Awaited<ReturnType<typeof startNodeProxy>>;

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

function close(server: Server, cut: () => void): Promise<void> {
  cut();
  return new Promise((resolve) => server.close(() => resolve()));
}
