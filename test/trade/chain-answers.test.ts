import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type BaseError, createPublicClient, HttpRequestError, http, RpcRequestError } from "viem";
import { afterEach, expect, test } from "vitest";
import { isContractAnswer } from "../../protocol/settlement/contract-answers.ts";
import { isNodeUnreachable } from "../../trade/chain-answers.ts";

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
