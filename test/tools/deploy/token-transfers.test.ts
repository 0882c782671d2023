import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Address, createPublicClient, http } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeToken } from "../../../tools/deploy/token.ts";
import { tryTransfers } from "../../../tools/deploy/token-transfers.ts";
import { startTarget, type Target } from "../../harness/deploy.ts";
import { tokenDeployer } from "../../harness/flows/tokens.ts";
import { deployUsdc, type Usdc } from "../../harness/usdc.ts";

let chain: Target;
let tokens: Awaited<ReturnType<typeof tokenDeployer>>;
let usdc: Usdc;
beforeAll(async () => {
  chain = await startTarget(31_337);
  [tokens, usdc] = [await tokenDeployer(chain.rpcUrl), await deployUsdc(chain.rpcUrl)];
});
afterAll(() => chain?.close());
const attempt = (token: Address) => tryTransfers(chain.reader, token);

describe("a token that moves exactly the amount is taken", () => {
  test.each(["SilentToken", "AllowingToken", "ZeroRefusingToken", "CallingToken"])("%s", async (contract) => {
    expect(await attempt(await tokens.deploy(contract))).toBeNull();
  });

  test.each([0, 2, 8, 24, 36])("%d decimals", async (decimals) => {
    const token = await tokens.deploySimple("T", decimals);
    expect(await attempt(token)).toBeNull();
    expect((await describeToken(chain.reader, token)).token).toMatchObject({ decimals });
  });

  test("USDC, whose balances are behind a proxy and share their words with a flag", async () => {
    expect(await attempt(usdc.address)).toBeNull();
  });

  test("nothing is sent for the attempt", async () => {
    const head = await chain.reader.getBlockNumber();
    await attempt(usdc.address);
    expect(await chain.reader.getBlockNumber()).toBe(head);
  });
});

describe("a token that does not is refused with a sentence", () => {
  test("a fee", async () => {
    await expect(attempt(await tokens.deploy("FeeToken"))).rejects.toThrow(
      "keeps a fee: of 1000000000000000 base units, 990000000000000 arrive",
    );
  });

  test("a fee that was switched on", async () => {
    const token = await tokens.deploy("SilentToken");
    await tokens.call(token, "setFee", [1n]);
    await expect(attempt(token)).rejects.toThrow("999900000000000 arrive");
  });

  test.each([100n, 150n])("a rate of %d hundredths", async (rate) => {
    const token = await tokens.deploy("RebasingToken");
    await tokens.call(token, "setRate", [rate]);
    await expect(attempt(token)).rejects.toThrow("changes balances by itself");
  });

  test("balances in parts of a whole, as Ampleforth's", async () => {
    const token = await tokens.deploy("FragmentToken");
    await expect(attempt(token)).rejects.toThrow("changes balances by itself");
  });

  test("a pause", async () => {
    await usdc.call("pause");
    try {
      await expect(attempt(usdc.address)).rejects.toThrow("refuses a transfer between two new accounts");
    } finally {
      await usdc.call("unpause");
    }
  });
});

test("a symbol with a hidden character, or too many decimals, cannot be in a manifest", async () => {
  const describe = async (token: Promise<Address>) => describeToken(chain.reader, await token);
  await expect(describe(tokens.deploy("HiddenToken"))).rejects.toThrow("must have no hidden characters");
  await expect(describe(tokens.deploySimple("T", 37))).rejects.toThrow("cannot be named in a manifest");
});

test("EIP-3009 with a domain that nobody can compute is refused", async () => {
  const token = await tokens.deploy("SaltedToken");
  await expect(describeToken(chain.reader, token)).rejects.toThrow(
    "has EIP-3009 with an inconsistent EIP-712 domain: its DOMAIN_SEPARATOR() is missing",
  );
});

test("a node without the simulation is named, and the token is neither blamed nor tried", async () => {
  const token = await tokens.deploy("FeeToken");
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { id, method } = JSON.parse(body);
    const error = { code: -32601, message: "the method does not exist" };
    if (method === "eth_createAccessList") return response.end(JSON.stringify({ jsonrpc: "2.0", id, error }));
    const headers = { "content-type": "application/json" };
    const answer = await fetch(chain.rpcUrl, { method: "POST", headers, body });
    return response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const untried = await tryTransfers(createPublicClient({ transport: http(url) }), token);
  expect(untried).toContain("the node does not simulate changed states");
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
