import { type Hex, keccak256, parseGwei, parseTransaction } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { OrderRow } from "../../../db/order-rows.ts";
import { chooseFees, isUnderpriced, raiseFees } from "../../../jobs/relay/fees.ts";
import type { RelayRow } from "../../../trade/relay/relay-queue.ts";
import { buyer, until } from "../../harness/jobs/ledger.ts";
import { forwardRequests, type Treatment } from "../../harness/jobs/processes.ts";
import {
  areMined,
  expectOneMined,
  mineUntil,
  type RelayBench,
  startRelayBench,
} from "../../harness/jobs/relays.ts";

let bench: RelayBench;
let stop: AbortController;

beforeAll(async () => {
  bench = await startRelayBench();
});
afterEach(async () => {
  await bench.node.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei("1") });
  await bench.node.mine({ blocks: 1 });
  await bench.node.setAutomine(true);
});
afterAll(() => bench.close());

const chainId = 31_337;
const gwei = (amount: string) => parseGwei(amount);

/** An order whose delivery is queued, on a chain that mines only on command from then on. */
async function queuedDelivery() {
  const order = await bench.fundedOrder();
  await bench.node.setAutomine(false);
  const nonce = await bench.nonceOf();
  const relay = await bench.queue(order, await bench.deliveryCall(order));
  return { order, relay, nonce };
}

/** Relays in the background; `end` stops it and waits until it has stopped. */
function relaying(settings: Parameters<RelayBench["newRelayer"]>[0] = {}) {
  stop = new AbortController();
  const { signal } = stop;
  const relayer = bench.newRelayer(settings, signal);
  const ended = (async () => {
    while (!signal.aborted) {
      await relayer.relay(chainId);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return {
    end: async () => {
      stop.abort();
      await ended;
    },
  };
}

const isMined = (relay: { id: string }) => () => areMined(bench, [relay]);
const attemptsOf = async (relay: { id: string }, count: number) => {
  const attempts = await bench.readAttempts(relay);
  return attempts.length >= count && attempts;
};
const feesOf = (raw: Hex) => {
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(raw as `0x02${string}`);
  return { maxFeePerGas, maxPriorityFeePerGas };
};
describe("the fees", () => {
  const price = { baseFee: 1000n, tip: 10n };

  test("of a new transaction are a doubled base fee and the tip, never more than the ceiling", () => {
    expect(chooseFees(price, 10_000n)).toEqual({ maxFeePerGas: 2010n, maxPriorityFeePerGas: 10n });
    expect(chooseFees(price, 1500n)).toEqual({ maxFeePerGas: 1500n, maxPriorityFeePerGas: 10n });
    expect(chooseFees(price, 1010n)).toEqual({ maxFeePerGas: 1010n, maxPriorityFeePerGas: 10n });
    expect(chooseFees(price, 1009n)).toBeNull();
  });

  test("are raised by an eighth of both at least, rounded up, even of a tip of zero", () => {
    const raised = raiseFees({ maxFeePerGas: 3001n, maxPriorityFeePerGas: 0n }, price, 10_000n);
    expect(raised).toEqual({ maxFeePerGas: 3377n, maxPriorityFeePerGas: 10n });
    const free = { baseFee: 1000n, tip: 0n };
    expect(raiseFees({ maxFeePerGas: 3001n, maxPriorityFeePerGas: 0n }, free, 10_000n)).toEqual({
      maxFeePerGas: 3377n,
      maxPriorityFeePerGas: 1n,
    });
    expect(raiseFees({ maxFeePerGas: 100n, maxPriorityFeePerGas: 80n }, price, 10_000n)).toEqual({
      maxFeePerGas: 2010n,
      maxPriorityFeePerGas: 90n,
    });
  });

  test("are never raised over the ceiling", () => {
    expect(raiseFees({ maxFeePerGas: 2000n, maxPriorityFeePerGas: 8n }, price, 2250n)).not.toBeNull();
    expect(raiseFees({ maxFeePerGas: 2000n, maxPriorityFeePerGas: 8n }, price, 2249n)).toBeNull();
    expect(raiseFees({ maxFeePerGas: 500n, maxPriorityFeePerGas: 8n }, price, 1009n)).toBeNull();
  });

  test("are too low where they do not cover base fee and tip", () => {
    const fees = { maxFeePerGas: 1010n, maxPriorityFeePerGas: 10n };
    expect(isUnderpriced(fees, price)).toBe(false);
    expect(isUnderpriced(fees, { ...price, baseFee: 1001n })).toBe(true);
  });
});

describe("a transaction with a fee too low for the chain", () => {
  test("is replaced at its nonce by one that pays an eighth more at least, and only that one is mined", async () => {
    const { order, relay, nonce } = await queuedDelivery();
    const relayer = relaying();
    const [first] = await until(() => attemptsOf(relay, 1), "it is signed");
    await bench.node.dropTransaction({ hash: first?.transactionHash ?? "0x" });
    await mineUntil(bench, () => attemptsOf(relay, 2), "it is raised", gwei("40"));
    await mineUntil(bench, isMined(relay), "it is mined", gwei("40"));
    await relayer.end();
    const attempts = await bench.readAttempts(relay);
    expect(new Set(attempts.map((attempt) => attempt.nonce))).toEqual(new Set([nonce]));
    for (const [index, { rawTransaction }] of attempts.entries()) {
      if (index === 0) continue;
      const [before, after] = [feesOf(attempts[index - 1]?.rawTransaction ?? "0x"), feesOf(rawTransaction)];
      expect(after.maxFeePerGas * 8n).toBeGreaterThanOrEqual(before.maxFeePerGas * 9n);
      expect(after.maxPriorityFeePerGas * 8n).toBeGreaterThanOrEqual(before.maxPriorityFeePerGas * 9n);
    }
    await expectOneMined(bench, relay, order);
    expect(await bench.nonceOf()).toBe(nonce + 1);
    expect((await bench.readWallet())?.bumped).toBeGreaterThan(0);
  });

  test("is replaced too, where the node reported a height far ahead while it was signed", async () => {
    const { order, relay } = await queuedDelivery();
    let hasSent = false;
    const node = await forwardRequests(bench.testChain.rpcUrl, {
      treat: async ({ method, params }): Promise<Treatment> => {
        hasSent ||= method === "eth_sendRawTransaction";
        if (hasSent || method !== "eth_getBlockByNumber" || params[0] !== "latest") return "forward";
        const block = await bench.actions.reader.request({ method, params } as never);
        return { result: { ...(block as object), number: "0x5f5e100" } };
      },
    });
    const relayer = relaying({ rpc_url: node.url });
    const [first] = await until(() => attemptsOf(relay, 1), "it is signed");
    await bench.node.dropTransaction({ hash: first?.transactionHash ?? "0x" });
    await mineUntil(bench, () => attemptsOf(relay, 2), "it is raised", gwei("40"));
    await mineUntil(bench, isMined(relay), "it is mined", gwei("40"));
    await relayer.end();
    await node.close();
    await expectOneMined(bench, relay, order);
    expect(first?.signedBlock).toBe(100_000_000n);
  });

  test("lets those behind it through in their order, all raised as needed", async () => {
    const orders = [];
    for (let index = 0; index < 5; index += 1) orders.push(await bench.fundedOrder());
    const nonce = await bench.nonceOf();
    await bench.node.setAutomine(false);
    const relays: RelayRow[] = [];
    for (const order of orders) relays.push(await bench.queue(order, await bench.deliveryCall(order)));
    const relayer = relaying();
    await until(async () => (await bench.nonceOf("pending")) === nonce + 5, "all are sent");
    await mineUntil(bench, () => areMined(bench, relays), "all are mined", gwei("200"));
    await relayer.end();
    for (const [index, relay] of relays.entries()) {
      await expectOneMined(bench, relay, orders[index] as OrderRow);
      expect((await bench.read(relay)).nonce).toBe(nonce + index);
    }
    expect(await bench.nonceOf()).toBe(nonce + 5);
  });
});

describe("a transaction that the node does not broadcast", () => {
  /** A node that accepts every transaction, and does this with the n-th one. */
  async function keepingNode(treat: (transactionHash: Hex, nth: number) => "forward" | "keep") {
    const seen: Hex[] = [];
    const node = await forwardRequests(bench.testChain.rpcUrl, {
      treat: ({ method, params }): Treatment => {
        if (method !== "eth_sendRawTransaction") return "forward";
        const hash = keccak256(params[0] as Hex);
        if (!seen.includes(hash)) seen.push(hash);
        return treat(hash, seen.indexOf(hash)) === "keep" ? { result: hash } : "forward";
      },
    });
    return { ...node, seen };
  }

  test("is raised after ten blocks although it pays enough; the raised one is mined, the first comes too late", async () => {
    const { order, relay, nonce } = await queuedDelivery();
    const node = await keepingNode((_, nth) => (nth === 0 ? "keep" : "forward"));
    const relayer = relaying({ rpc_url: node.url });
    await until(() => attemptsOf(relay, 1), "it is signed");
    const signedAt = await bench.actions.reader.getBlockNumber({ cacheTime: 0 });
    await mineUntil(bench, () => attemptsOf(relay, 2), "it is raised");
    expect((await bench.actions.reader.getBlockNumber({ cacheTime: 0 })) - signedAt).toBeGreaterThanOrEqual(
      10n,
    );
    await mineUntil(bench, isMined(relay), "it is mined");
    await relayer.end();
    await node.close();
    const [first, second] = await bench.readAttempts(relay);
    expect((await bench.read(relay)).transactionHash).toBe(second?.transactionHash);
    await expect(
      bench.actions.reader.request({
        method: "eth_sendRawTransaction",
        params: [first?.rawTransaction ?? "0x"],
      } as never),
    ).rejects.toThrow(/nonce too low/i);
    await expectOneMined(bench, relay, order);
    expect(await bench.nonceOf()).toBe(nonce + 1);
  });

  test("ends the relay when it is mined after all, although it was raised", async () => {
    const { order, relay, nonce } = await queuedDelivery();
    const node = await keepingNode(() => "keep");
    const relayer = relaying({ rpc_url: node.url });
    const [first] = await mineUntil(bench, () => attemptsOf(relay, 2), "it is raised");
    expect((await bench.read(relay)).transactionHash).not.toBe(first?.transactionHash);
    await bench.testChain.publicClient.sendRawTransaction({
      serializedTransaction: first?.rawTransaction ?? "0x",
    });
    await mineUntil(bench, isMined(relay), "it is mined");
    await relayer.end();
    await node.close();
    expect((await bench.read(relay)).transactionHash).toBe(first?.transactionHash);
    await expectOneMined(bench, relay, order);
    expect(await bench.nonceOf()).toBe(nonce + 1);
  });

  test("whose nonce goes to another is signed again at the next, however often it was raised", async () => {
    const { order, relay, nonce } = await queuedDelivery();
    const node = await keepingNode((_, nth) => (nth < 2 ? "keep" : "forward"));
    const relayer = relaying({ rpc_url: node.url });
    await mineUntil(bench, () => attemptsOf(relay, 2), "it is raised");
    await bench.testChain.wallet(bench.wallet).sendTransaction({ to: buyer.address, value: 1n, nonce });
    await mineUntil(bench, isMined(relay), "it is mined");
    await relayer.end();
    await node.close();
    const attempts = await bench.readAttempts(relay);
    expect(attempts.map((attempt) => attempt.nonce)).toEqual([nonce, nonce, nonce + 1]);
    await expectOneMined(bench, relay, order);
    expect(await bench.nonceOf()).toBe(nonce + 2);
    expect((await bench.readWallet())?.overtaken).toBeGreaterThan(0);
  });
});

describe("a ceiling on gas prices", () => {
  test("keeps everything queued, with the reason, until gas is cheap again", async () => {
    const { order, relay, nonce } = await queuedDelivery();
    await bench.node.setNextBlockBaseFeePerGas({ baseFeePerGas: gwei("50") });
    await bench.node.mine({ blocks: 1 });
    const relayer = relaying({ max_fee_per_gas: gwei("30") });
    await until(async () => (await bench.readWallet())?.waiting === "gas_price", "it waits");
    expect((await bench.readWallet())?.waitingSince).toBeInstanceOf(Date);
    expect(await bench.read(relay)).toMatchObject({ status: "queued", nonce: null });
    expect(await bench.nonceOf("pending")).toBe(nonce);
    await bench.node.setNextBlockBaseFeePerGas({ baseFeePerGas: gwei("10") });
    await mineUntil(bench, isMined(relay), "it is mined");
    await until(async () => (await bench.readWallet())?.waiting === null, "it waits no longer");
    await relayer.end();
    await expectOneMined(bench, relay, order);
    const [attempt] = await bench.readAttempts(relay);
    expect(feesOf(attempt?.rawTransaction ?? "0x").maxFeePerGas).toBeLessThanOrEqual(gwei("30"));
  });

  test("keeps a stuck transaction as it is, with the reason", async () => {
    const { order, relay } = await queuedDelivery();
    const relayer = relaying({ max_fee_per_gas: gwei("30") });
    await until(() => attemptsOf(relay, 1), "it is signed");
    const waits = async () => (await bench.readWallet())?.waiting === "gas_price";
    await mineUntil(bench, waits, "it waits", gwei("90"));
    for (let block = 0; block < 12; block += 1) {
      await bench.node.setNextBlockBaseFeePerGas({ baseFeePerGas: gwei("90") });
      await bench.node.mine({ blocks: 1 });
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await bench.readAttempts(relay)).toHaveLength(1);
    await bench.node.setNextBlockBaseFeePerGas({ baseFeePerGas: gwei("1") });
    await mineUntil(bench, isMined(relay), "it is mined");
    await relayer.end();
    await expectOneMined(bench, relay, order);
    for (const { rawTransaction } of await bench.readAttempts(relay)) {
      expect(feesOf(rawTransaction).maxFeePerGas).toBeLessThanOrEqual(gwei("30"));
    }
  });
});
