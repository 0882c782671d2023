import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Address, createTestClient, type Hex, http, parseEther } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { multicall3Address } from "../../../protocol/settlement/x402.ts";
import { type Answer, createTestApi, expectStatus, type Session, signIn } from "../../harness/api.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";
import { serveChains } from "../../harness/manifests.ts";
import { fresh } from "../../harness/organisation.ts";

// The first chain has Multicall3, the second has not. Each has several tokens, of which some do not work.
const secondId = 424_242;
const thirdId = 434_343;

/** Tokens by the code that answers every call of theirs. */
const tokens = {
  /** returns 7,000,000 */
  seven: { address: fresh().address, decimals: 18, code: "0x626acfc05f5260205ff3" },
  /** runs for ever, until the gas of the call is spent */
  burner: { address: fresh().address, decimals: 6, code: "0x5b5f56" },
  reverting: { address: fresh().address, decimals: 6, code: "0x5f5ffd" },
  /** returns a byte */
  short: { address: fresh().address, decimals: 6, code: "0x60015ff3" },
  /** has no code */
  gone: { address: fresh().address, decimals: 2, code: "0x" },
  /** returns the largest number */
  largest: { address: fresh().address, decimals: 36, code: "0x5f195f5260205ff3" },
} satisfies Record<string, { address: Address; decimals: number; code: Hex }>;

let chain: TestChain;
let other: TestChain;
beforeAll(async () => {
  [chain, other] = await Promise.all([forkChain(), forkChain()]);
  for (const { rpcUrl } of [chain, other])
    for (const { address, code } of Object.values(tokens))
      await nodeAt(rpcUrl).setCode({ address, bytecode: code });
  await nodeAt(other.rpcUrl).setCode({ address: multicall3Address, bytecode: "0x" });
});
afterAll(() => Promise.all([chain?.close(), other?.close()]));

const nodeAt = (rpcUrl: string) => createTestClient({ mode: "anvil", transport: http(rpcUrl) });

/** Starts the API with these nodes of chains, the first one by default. */
async function serve(nodes: Record<number, string>) {
  const deployments = chain.env.DEPLOYMENTS_DIR as string;
  const served = serveChains(
    Object.entries(nodes).map(([id, url]) => ({
      chainId: Number(id),
      manifestOf: 31_337,
      env: { DEPLOYMENTS_DIR: deployments, [`RPC_URL_${id}`]: url },
    })),
    (manifest) => ({
      ...manifest,
      other_tokens: Object.entries(tokens).map(([name, { address, decimals }]) => ({
        address: address.toLowerCase() as Address,
        symbol: name.toUpperCase(),
        decimals,
        name,
        version: "1",
        // A retired token pays no new order, and is still in wallets.
        retired: name === "largest",
      })),
    }),
  );
  const api = await createTestApi({ env: served.env });
  return {
    api,
    reader: await signIn(api),
    read: async (who: Session): Promise<Answer["body"]> =>
      expectStatus(200, await api.request("GET", "/balances", { token: who.token })),
    async close() {
      await api.close();
      served.remove();
    },
  };
}

/** The entries of a chain, by the token's symbol. */
const ofChain = ({ wallets }: Answer["body"], chainId: number): Record<string, Answer["body"]> =>
  Object.fromEntries(
    wallets
      .filter(({ chain_id }: { chain_id: number }) => chain_id === chainId)
      .map((entry: { currency: string }) => [entry.currency, entry]),
  );

/** A node that passes requests on, and keeps the calls of each. It does not answer some of them. */
async function startNode(target: string, isSilent: (body: string) => boolean = () => false) {
  const requests: string[][] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const body = await text(request);
    const calls = [JSON.parse(body)].flat().map(({ method }: { method: string }) => method);
    requests.push(calls);
    // The `owed` call of all tokens names the token too.
    if (calls.length === 1 && isSilent(body)) return;
    const answer = await fetch(target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    response.setHeader("content-type", "application/json").end(await answer.text());
  });
  return { requests, ...(await listen(server)) };
}

async function listen(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe("GET /balances on several chains", () => {
  test("has an entry for each wallet, chain and token, with the token's own decimals; the default chain is first", async () => {
    const served = await serve({ 31337: chain.rpcUrl, [secondId]: other.rpcUrl });
    try {
      const { reader } = served;
      await chain.fund(reader.account);
      await nodeAt(chain.rpcUrl).setBalance({ address: reader.account.address, value: parseEther("2") });
      await nodeAt(other.rpcUrl).setBalance({ address: reader.account.address, value: 1n });
      const answer = await served.read(reader);
      const names = ["TUSD", ...Object.keys(tokens).map((name) => name.toUpperCase())];
      expect(
        answer.wallets.map((entry: Answer["body"]) => [entry.chain_id, entry.currency, entry.address]),
      ).toEqual([31_337, secondId].flatMap((id) => names.map((name) => [id, name, reader.account.address])));
      expect(ofChain(answer, 31_337)).toMatchObject({
        TUSD: { balance: "10000.000000", token_decimals: 6, native_balance: "2.000000000000000000" },
        SEVEN: { balance: "0.000000000007000000", balance_base_units: "7000000", token_decimals: 18 },
      });
      expect(ofChain(answer, secondId)).toMatchObject({
        TUSD: { balance: "0.000000", native_balance: "0.000000000000000001", unknown_reason: null },
        SEVEN: { balance: "0.000000000007000000", unknown_reason: null },
        LARGEST: { balance_base_units: (2n ** 256n - 1n).toString(), token_decimals: 36 },
      });
    } finally {
      await served.close();
    }
  });

  test("a token that reverts, burns its gas or is gone spoils no other token, with Multicall3 on the chain and without", async () => {
    const served = await serve({ 31337: chain.rpcUrl, [secondId]: other.rpcUrl });
    try {
      const answer = await served.read(served.reader);
      for (const id of [31_337, secondId]) {
        const { TUSD, SEVEN, LARGEST, ...broken } = ofChain(answer, id);
        for (const entry of [TUSD, SEVEN, LARGEST])
          expect(entry).toMatchObject({ balance: expect.any(String), unknown_reason: null });
        expect(Object.keys(broken)).toEqual(["BURNER", "REVERTING", "SHORT", "GONE"]);
        for (const entry of Object.values(broken))
          expect(entry).toMatchObject({
            balance: null,
            balance_base_units: null,
            unknown_reason: "refused",
            owed_base_units: "0",
            withdraw_call: null,
            native_balance: expect.any(String),
          });
      }
    } finally {
      await served.close();
    }
  });

  test("shows what the escrow contract owes in each token, and the call that pays it", async () => {
    const served = await serve({ 31337: chain.rpcUrl });
    try {
      // A contract that answers 7,000,000 to each question owes as much in each token.
      const node = nodeAt(chain.rpcUrl);
      const { escrow_contract: address } = chain.chain;
      const bytecode = await chain.publicClient.getCode({ address });
      await node.setCode({ address, bytecode: tokens.seven.code });
      const { SEVEN } = ofChain(await served.read(served.reader), 31_337);
      await node.setCode({ address, bytecode: bytecode as Hex });
      expect(SEVEN).toMatchObject({
        owed: "0.000000000007000000",
        owed_base_units: "7000000",
        withdraw_call: {
          function: "withdraw",
          to: address,
          value: "0",
          args: { token: SEVEN?.token_address, payee: served.reader.account.address },
        },
      });
    } finally {
      await served.close();
    }
  });

  test("reads each token by one call, however many wallets and orders exist, and the rest by one batch", async () => {
    const [first, second] = [await startNode(chain.rpcUrl), await startNode(other.rpcUrl)];
    const served = await serve({ 31337: first.url, [secondId]: second.url });
    try {
      for (const { requests } of [first, second]) requests.length = 0;
      expect((await served.read(served.reader)).wallets).toHaveLength(14);
      for (const { requests } of [first, second]) {
        expect(requests.filter(({ length }) => length > 1).map((calls) => calls.toSorted())).toEqual([
          ["eth_call", "eth_getBalance"],
        ]);
        // viem repeats the call whose gas is burnt, since anvil reports it as its own error.
        const single = requests.filter(({ length }) => length === 1);
        expect(single.length).toBeGreaterThanOrEqual(7);
        expect(single.length).toBeLessThanOrEqual(8);
      }
    } finally {
      await served.close();
      for (const { close } of [first, second]) close();
    }
  });

  test("a token that takes the node's time spoils no other token, and delays an answer once", async () => {
    const slow = tokens.seven.address.slice(2).toLowerCase();
    const node = await startNode(chain.rpcUrl, (body) => body.toLowerCase().includes(slow));
    const served = await serve({ 31337: node.url });
    try {
      for (const most of [3500, 1500, 1500]) {
        const started = Date.now();
        const { SEVEN, TUSD, LARGEST } = ofChain(await served.read(served.reader), 31_337);
        expect(Date.now() - started).toBeLessThan(most);
        expect(SEVEN).toMatchObject({ balance: null, owed_base_units: "0", unknown_reason: "slow" });
        for (const entry of [TUSD, LARGEST])
          expect(entry).toMatchObject({ balance: expect.any(String), unknown_reason: null });
      }
    } finally {
      await served.close();
      node.close();
    }
  });

  test("a chain that is silent or dead delays no other chain, and takes no place of its readers", async () => {
    const silent = await listen(createServer(() => {}));
    const served = await serve({
      31337: chain.rpcUrl,
      [secondId]: silent.url,
      [thirdId]: "http://127.0.0.1:1",
    });
    try {
      const reasons = (answer: Answer["body"]) =>
        [31_337, secondId, thirdId].map((id) => ofChain(answer, id).SEVEN?.unknown_reason);
      const together = await Promise.all([1, 2, 3].map(() => served.read(served.reader)));
      const silences = together.map((answer) => reasons(answer)[1]).toSorted();
      expect(silences).toEqual(["busy", "slow", "slow"]);
      // No request waits again for a node that has not answered.
      const started = Date.now();
      for (let at = 0; at < 5; at += 1)
        expect(reasons(await served.read(served.reader))).toEqual([null, "slow", "unreachable"]);
      expect(Date.now() - started).toBeLessThan(1900);
    } finally {
      await served.close();
      silent.close();
    }
  });
});
