import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type BaseError, createPublicClient, HttpRequestError, RpcRequestError, TimeoutError } from "viem";
import { afterEach, expect, test } from "vitest";
import { isContractAnswer } from "../../settlement/contract-answers.ts";
import { isNodeAway } from "../../trade/chain-answers.ts";
import { nodeByHttp } from "../../trade/node-transport.ts";
import { forkChain } from "../harness/chain.ts";

type Question = { id: number; method: string; params?: unknown[] };
type Asked = { body: Question | Question[]; headers: IncomingMessage["headers"] };

let server: Server | undefined;
afterEach(() => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())));

/** A node that answers as it is told to. */
async function startNode(
  answer: (body: Question | Question[], response: ServerResponse) => unknown,
): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    asked.push({ body, headers: request.headers });
    const said = answer(body, response);
    if (said !== undefined) response.setHeader("content-type", "application/json").end(JSON.stringify(said));
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  server.closeAllConnections();
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

const clientOf = (url: string) =>
  createPublicClient({ transport: (options) => nodeByHttp(url)({ ...options, retryCount: 0 }) });
const echo = ({ id, method, params }: Question) => ({
  jsonrpc: "2.0",
  id,
  result: `${method} ${params ?? ""}`,
});
const ask = (client: ReturnType<typeof clientOf>, method: string, ...params: unknown[]) =>
  client.request({ method: method as never, params: params as never }) as Promise<unknown>;
const failureOf = (client: ReturnType<typeof clientOf>, method: string): Promise<BaseError> =>
  ask(client, method).then(
    () => Promise.reject(new Error("It did not fail.")),
    (error) => error,
  );

test("what is asked in one turn goes in one request, and each question has its own answer", async () => {
  const { url, asked } = await startNode((body) =>
    Array.isArray(body) ? body.map(echo).reverse() : echo(body),
  );
  const client = clientOf(url);
  expect(await Promise.all([ask(client, "a", 1), ask(client, "b", 2), ask(client, "c", 3)])).toEqual([
    "a 1",
    "b 2",
    "c 3",
  ]);
  expect(asked).toHaveLength(1);
  expect(await ask(client, "d")).toBe("d ");
  expect(asked[1]?.body).toMatchObject({ jsonrpc: "2.0", method: "d" });
});

test("a node's error of one question fails that question alone", async () => {
  const { url } = await startNode((body) =>
    [body]
      .flat()
      .map((one) =>
        one.method === "bad"
          ? { jsonrpc: "2.0", id: one.id, error: { code: 3, message: "execution reverted" } }
          : echo(one),
      ),
  );
  const client = clientOf(url);
  const [good, bad] = await Promise.allSettled([ask(client, "good"), ask(client, "bad")]);
  expect(good).toMatchObject({ status: "fulfilled", value: "good " });
  expect(
    (bad as PromiseRejectedResult).reason.walk((cause: unknown) => cause instanceof RpcRequestError),
  ).toMatchObject({ code: 3 });
});

test("a node that takes no batch is asked one by one", async () => {
  const { url, asked } = await startNode((body) =>
    Array.isArray(body)
      ? { jsonrpc: "2.0", id: null, error: { code: -32600, message: "no batches" } }
      : echo(body),
  );
  const client = clientOf(url);
  expect(await Promise.all([ask(client, "a"), ask(client, "b")])).toEqual(["a ", "b "]);
  expect(await Promise.all([ask(client, "c"), ask(client, "d")])).toEqual(["c ", "d "]);
  expect(asked.filter(({ body }) => Array.isArray(body))).toHaveLength(1);
});

test("a node that refuses a batch by its status, without a word of JSON-RPC, is asked one by one too", async () => {
  const { url, asked } = await startNode((body, response) => {
    if (!Array.isArray(body)) return echo(body);
    response.writeHead(413).end("Payload too large");
  });
  const client = clientOf(url);
  expect(await Promise.all([ask(client, "a"), ask(client, "b")])).toEqual(["a ", "b "]);
  expect(await Promise.all([ask(client, "c"), ask(client, "d")])).toEqual(["c ", "d "]);
  expect(asked.filter(({ body }) => Array.isArray(body))).toHaveLength(1);
});

test("a question that is left out of an answer fails", async () => {
  const { url } = await startNode((body) => [body].flat().slice(1).map(echo));
  const client = clientOf(url);
  const [lost, found] = await Promise.allSettled([ask(client, "a"), ask(client, "b")]);
  expect(isNodeAway((lost as PromiseRejectedResult).reason)).toBe(true);
  expect(found).toMatchObject({ status: "fulfilled" });
});

test("a node that is away, or answers what is no JSON, says nothing of a contract", async () => {
  const { url } = await startNode((_, response) => {
    response.writeHead(502, { "retry-after": "1" }).end("<html>Bad gateway</html>");
  });
  const failure = await failureOf(clientOf(url), "eth_call");
  expect(isNodeAway(failure)).toBe(true);
  expect(isContractAnswer(failure)).toBe(false);
  expect(failure.walk((cause: unknown) => cause instanceof HttpRequestError)).toMatchObject({ status: 502 });
  const refused = await failureOf(clientOf("http://127.0.0.1:1/"), "eth_call");
  expect(isNodeAway(refused)).toBe(true);
});

test("an error of JSON-RPC is read whatever the status that it comes with", async () => {
  const { url } = await startNode((body, response) => {
    response.statusCode = 400;
    return { jsonrpc: "2.0", id: (body as Question).id, error: { code: 3, message: "execution reverted" } };
  });
  const failure = await failureOf(clientOf(url), "eth_call");
  expect(failure.walk((cause: unknown) => cause instanceof RpcRequestError)).toMatchObject({ code: 3 });
  expect(isNodeAway(failure)).toBe(false);
});

test("an answer that is too large is not read to its end", async () => {
  const { url } = await startNode((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const part = "x".repeat(1_000_000);
    const push = () => {
      while (!response.destroyed && response.write(part));
    };
    response.on("drain", push);
    push();
  });
  expect(isNodeAway(await failureOf(clientOf(url), "eth_call"))).toBe(true);
});

test("name and password of the URL are sent as basic authentication, and are in no error", async () => {
  const { url, asked } = await startNode((_, response) => {
    response.writeHead(500).end();
  });
  const failure = await failureOf(clientOf(url.replace("//", "//us%20er:pass@")), "a");
  expect(asked[0]?.headers.authorization).toBe(`Basic ${btoa("us er:pass")}`);
  expect(String(failure.stack)).not.toContain("pass@");
  expect(failure).not.toBeInstanceOf(TimeoutError);
});

test("a real node answers as it answers viem's own transport", async () => {
  const chain = await forkChain();
  try {
    const client = createPublicClient({ transport: nodeByHttp(chain.rpcUrl) });
    const token = chain.chain.token.address;
    const [block, code, id] = await Promise.all([
      client.getBlock({ blockNumber: 1n }),
      client.getCode({ address: token }),
      client.getChainId(),
    ]);
    expect(block.hash).toBe((await chain.publicClient.getBlock({ blockNumber: 1n })).hash);
    expect(code).toBe(await chain.publicClient.getCode({ address: token }));
    expect(id).toBe(31_337);
    const refusal = await client.call({ to: token, data: "0x12345678" }).catch((error) => error);
    expect(isContractAnswer(refusal)).toBe(true);
  } finally {
    await chain.close();
  }
});
