import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createPublicClient,
  domainSeparator,
  encodeAbiParameters,
  type Hex,
  http,
  numberToHex,
  type Transport,
  toFunctionSelector,
} from "viem";
import { describe, expect, onTestFinished, test } from "vitest";
import { ConfigError } from "../../../config/config.ts";
import { steadyHttp } from "../../../tools/deploy/steady-http.ts";
import { describeToken } from "../../../tools/deploy/token.ts";

const chainId = 97_531;
const address = "0x00000000000000000000000000000000000000aa";
const name = "Other";
const separator = domainSeparator({ domain: { name, version: "1", chainId, verifyingContract: address } });
const text = (value: string) => encodeAbiParameters([{ type: "string" }], [value]);

/** A node's answer to one call: a result, a JSON-RPC error, an HTTP status, or nothing. */
type NodeAnswer = { result: Hex } | { error: { code: number; message: string } } | { status: number } | null;

const token: Record<string, NodeAnswer> = {
  "symbol()": { result: text("OTH") },
  "decimals()": { result: numberToHex(6, { size: 32 }) },
  "name()": { result: text(name) },
  "version()": { error: { code: 3, message: "execution reverted" } },
  "eip712Domain()": { error: { code: 3, message: "execution reverted" } },
  "DOMAIN_SEPARATOR()": { result: separator },
  "authorizationState(address,bytes32)": { result: numberToHex(0, { size: 32 }) },
};

/** Asks a node once. The timeout, in milliseconds, is longer than an answer takes on a loaded machine. */
const askOnce =
  (timeout?: number) =>
  (url: string): Transport =>
    http(url, { retryCount: 0, ...(timeout ? { timeout } : {}) });

/**
 * Describes a token from a node with these answers for its functions, in order, and good ones otherwise.
 */
async function describeBy(
  answers: Record<string, NodeAnswer | NodeAnswer[]>,
  reach: (url: string) => Transport = askOnce(),
) {
  const bySelector = new Map(
    Object.entries({ ...token, ...answers }).map(([signature, one]) => [
      toFunctionSelector(signature),
      [one].flat(),
    ]),
  );
  const next = (answers: NodeAnswer[] = []) => (answers.length > 1 ? answers.shift() : answers[0]);
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
    const answers: Record<string, NodeAnswer | undefined> = {
      eth_getCode: { result: "0x00" },
      eth_chainId: { result: numberToHex(chainId) },
    };
    const answer =
      method === "eth_call" ? next(bySelector.get(params[0].data.slice(0, 10))) : answers[method];
    if (answer === undefined) throw new Error(`Nobody expects ${method}.`);
    if (answer === null) return;
    if ("status" in answer) return response.writeHead(answer.status).end("slow down");
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const transport = reach(`http://127.0.0.1:${port}/a-secret-key`);
  return describeToken(createPublicClient({ transport }), address);
}

describe("a function that the token lacks", () => {
  test.each<[string, NodeAnswer]>([
    ["is refused", { error: { code: 3, message: "execution reverted" } }],
    [
      "is refused by a node with a code of its own",
      { error: { code: -32000, message: "execution reverted" } },
    ],
    [
      "is refused as an internal error that says so",
      { error: { code: -32603, message: "VM Exception while processing transaction: revert" } },
    ],
    ["is answered without data", { result: "0x" }],
    ["is answered with data of another type", { result: numberToHex(2, { size: 32 }) }],
  ])("%s", async (_, answer) => {
    expect(await describeBy({ "version()": answer })).toMatchObject({
      token: { name, version: "1" },
      separator,
    });
    const failure = describeBy({ "symbol()": answer, "name()": answer });
    await expect(failure).rejects.toThrow(
      `The contract at ${address} does not answer symbol(), name(): it is no ERC-20 token`,
    );
  });
});

test("a node whose latest block is replaced during the check is asked again", async () => {
  const refused = [
    { error: { code: -32602, message: "BlockOutOfRangeError: block height is 8 but requested was 7" } },
    { error: { code: -32000, message: "header not found" } },
  ];
  const answers = { "decimals()": [...refused, token["decimals()"] ?? null] };
  expect(await describeBy(answers, steadyHttp)).toMatchObject({ token: { symbol: "OTH", decimals: 6 } });
  await expect(describeBy({ "decimals()": refused }, steadyHttp)).rejects.toThrow("header not found");
});

describe("a failing node is reported as such, without blame on the token", () => {
  test.each<[string, NodeAnswer, RegExp, timeout?: number]>([
    [
      "its limit",
      { error: { code: -32005, message: "daily request count exceeded" } },
      /daily request count/,
    ],
    ["its internal error", { error: { code: -32603, message: "Internal error" } }, /Internal error/],
    ["a state that it lacks", { error: { code: -32000, message: "header not found" } }, /header not found/],
    ["a method that it lacks", { error: { code: -32601, message: "no eth_call here" } }, /no eth_call here/],
    ["a limit told by HTTP", { status: 429 }, /429|slow down/],
    ["silence", null, /timed out|took too long/, 3000],
  ])("%s", async (_, answer, words, timeout) => {
    const expectNodeBlamed = async (call: string) => {
      const failure: unknown = await describeBy({ [call]: answer }, askOnce(timeout)).catch((error) => error);
      expect(failure).toBeInstanceOf(ConfigError);
      const { message } = failure as ConfigError;
      expect(message).toContain(`The node could not read ${call} of the token ${address}: `);
      expect(message).toMatch(words);
      expect(message).toContain("try again");
      expect(message).not.toContain("does not answer");
      expect(message).not.toContain("a-secret-key");
    };
    await Promise.all(["decimals()", "version()"].map(expectNodeBlamed));
  });

  test("no connection", async () => {
    const transport = http("http://127.0.0.1:9/a-secret-key", { retryCount: 0 });
    const failure: unknown = await describeToken(createPublicClient({ transport }), address).catch(
      (error) => error,
    );
    expect(failure).toBeInstanceOf(ConfigError);
    expect((failure as ConfigError).message).not.toContain("a-secret-key");
  });
});
