import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type BaseError, createPublicClient, HttpRequestError, http, RpcRequestError } from "viem";
import { afterEach, expect, test } from "vitest";
import { OverdueError } from "../../db/commit-outcome.ts";
import { isContractAnswer } from "../../protocol/settlement/contract-answers.ts";
import { callWithBreaker, isNodeUnreachable } from "../../trade/node-breaker.ts";

let server: Server | undefined;
afterEach(() => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())));

/** A node with a given answer. */
async function startNode(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  server = createServer((request, response) => {
    request.resume().on("end", () => answer(request, response));
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const failureOf = (url: string): Promise<BaseError> =>
  createPublicClient({ transport: http(url, { retryCount: 0 }) })
    .request({ method: "eth_call", params: [{}, "latest"] })
    .then(
      () => Promise.reject(new Error("It did not fail.")),
      (error) => error,
    );

test("an unreachable node, or one with malformed JSON, says nothing of a contract", async () => {
  const url = await startNode((_, response) => {
    response.writeHead(502, { "retry-after": "1" }).end("<html>Bad gateway</html>");
  });
  const failure = await failureOf(url);
  expect(isNodeUnreachable(failure)).toBe(true);
  expect(isContractAnswer(failure)).toBe(false);
  expect(failure.walk((cause: unknown) => cause instanceof HttpRequestError)).toMatchObject({ status: 502 });
  const refused = await failureOf("http://127.0.0.1:1/");
  expect(isNodeUnreachable(refused)).toBe(true);
});

test("a JSON-RPC error is read with any HTTP status", async () => {
  const url = await startNode((_, response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(
      JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: 3, message: "execution reverted" } }),
    );
  });
  const failure = await failureOf(url);
  expect(failure.walk((cause: unknown) => cause instanceof RpcRequestError)).toMatchObject({ code: 3 });
  expect(isNodeUnreachable(failure)).toBe(false);
});

test("an answer that is too large is not read to its end", async () => {
  const url = await startNode((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const part = "x".repeat(1_000_000);
    const push = () => {
      while (!response.destroyed && response.write(part));
    };
    response.on("drain", push);
    push();
  });
  expect(isNodeUnreachable(await failureOf(url))).toBe(true);
});

test("name and password of the URL are sent as basic authentication", async () => {
  let sent: string | undefined;
  const url = await startNode((request, response) => {
    sent = request.headers.authorization;
    response.writeHead(500).end();
  });
  await failureOf(url.replace("//", "//us%20er:pass@"));
  expect(sent).toBe(`Basic ${btoa("us er:pass")}`);
});

test("a node that fails gets no question for a while, unless the caller's own request was over", async () => {
  let asked = 0;
  let isOver = true;
  let status = 502;
  const url = await startNode((_, response) => {
    asked += 1;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: "0x7" }));
  });
  const onFetchRequest = () => {
    if (isOver) throw new OverdueError();
  };
  const client = createPublicClient({
    transport: http(url, { retryCount: 0, onFetchRequest }),
    cacheTime: 0,
  });
  const ask = () => callWithBreaker(client, () => client.getBlockNumber());
  await expect(ask()).rejects.toThrow(HttpRequestError);
  isOver = false;
  await expect(ask()).rejects.toThrow(HttpRequestError);
  expect(asked).toBe(1);
  status = 200;
  for (const _ of [1, 2, 3]) await expect(ask()).rejects.toMatchObject({ code: "dependency_unavailable" });
  expect(asked).toBe(1);
  await expect.poll(() => ask().catch(() => null)).toBe(7n);
  expect(asked).toBe(2);
});
