import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import {
  type Address,
  type Hex,
  hashTypedData,
  parseAbi,
  parseSignature,
  recoverTypedDataAddress,
} from "viem";
import { afterAll, beforeAll, test } from "vitest";
import { deriveDeposit } from "../../protocol/settlement/deposit.ts";
import { signedAuthorization } from "../../protocol/settlement/x402-payload.ts";
import {
  type Answer,
  expectStatus,
  publishService,
  requesterOf,
  type Session,
  signIn,
} from "../../test/harness/api.ts";
import { forkChain, type TestChain } from "../../test/harness/chain.ts";
import { startStack, type TestStack } from "../../test/harness/stack.ts";
import { paymentCalls } from "../../trade/payments/payment-calls.ts";
import { recoverSigner } from "../../trade/signer-recovery.ts";
import { quantile } from "../quantile.ts";
import { localAccounts } from "../stack/anvil.ts";
import { printTable, reportFigure } from "./figures.ts";

/** The number of timed payments, and of timed bare transactions. Each begins at another part of a block. */
const samples = 16;
const blockSeconds = 1;
const rounds = 5;
const paymentsEach = 60;
const inFlight = 16;

/** The HTTP agent of the payments. `fetch` needs twice the processor time, on the cores that the service uses. */
const connections = new Agent({ connections: inFlight });

let chain: TestChain;
let stack: TestStack;
let api: ReturnType<typeof requesterOf>;
let buyer: Session;
let serviceId: string;
beforeAll(async () => {
  chain = await forkChain({ blockTime: blockSeconds });
  // The API answers without waiting for a block, and no limit applies.
  stack = await startStack({
    chain,
    env: {
      X402_WAIT_SECONDS: "0",
      RELAY_GAS_PER_HOUR: "2000000000",
      RELAY_GAS_PER_HOUR_31337: "2000000000",
    },
  });
  api = requesterOf(stack.baseUrl);
  buyer = await signIn(api);
  await chain.fund(buyer.account);
  const { service } = await publishService(api, await signIn(api));
  serviceId = service.id;
});
afterAll(async () => {
  await connections.close();
  await stack?.close();
  await chain?.close();
});

type Payment = {
  orderId: string;
  typedData: Parameters<typeof recoverTypedDataAddress>[0];
  body: Answer["body"];
};

/** Places an order and signs its payment. */
async function prepare(): Promise<Payment> {
  const { token } = buyer;
  const order = { service_id: serviceId, settlement_rail: "x402" };
  const { id } = expectStatus(201, await api.request("POST", "/orders", { token, body: order }));
  const { typed_data } = expectStatus(
    200,
    await api.request("GET", `/orders/${id}/payment-instructions`, { token }),
  );
  const signature = await buyer.account.signTypedData(typed_data);
  return {
    orderId: id,
    typedData: { ...typed_data, signature },
    body: { signature, authorization: typed_data.message },
  };
}

async function hand({ orderId, body }: Payment): Promise<void> {
  const answer = await request(`${stack.baseUrl}/api/v1/orders/${orderId}/payment`, {
    method: "POST",
    headers: { authorization: `Bearer ${buyer.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    dispatcher: connections,
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 202) throw new Error(`Expected status 202, got ${answer.statusCode}: ${text}`);
}

/** Runs `work` for each item, with a number of items at once. */
async function forEach<Item>(items: readonly Item[], act: (item: Item) => Promise<unknown>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (const item of rest) await act(item);
    }),
  );
}

test(`from an accepted payment to a funded order, beside the same call sent bare (${samples} of each)`, async () => {
  const { publicClient } = chain;
  const ours: Taken[] = [];
  const bare: Taken[] = [];
  for (let sample = 0; sample < samples; sample++) {
    const [payment, other] = [await prepare(), await prepare()];
    await reachPart((sample + 0.5) / samples);
    await hand(payment);
    ours.push(
      await take(async () => {
        let status = "created";
        while (status === "created") {
          await sleep(5);
          const answer = await api.request("GET", `/orders/${payment.orderId}`, { token: buyer.token });
          status = expectStatus(200, answer).status;
        }
        const path = `/orders/${payment.orderId}/events`;
        const { items } = expectStatus(200, await api.request("GET", path, { token: buyer.token }));
        return items.find(({ type }: { type: string }) => type === "order.funded").transaction.hash;
      }),
    );
    const { to, data } = await callOf(other);
    await reachPart((sample + 0.5) / samples);
    const wallet = chain.wallet(localAccounts.arbiter);
    bare.push(
      await take(async () => {
        const hash = await wallet.sendTransaction({ to, data });
        await publicClient.waitForTransactionReceipt({ hash, pollingInterval: 5 });
        return hash;
      }),
    );
  }
  const figures = (taken: Taken[], of: keyof Taken) => taken.map((one) => one[of]);
  const row = (title: string, of: keyof Taken, figure: (values: number[]) => number) => {
    const [a, b] = [figure(figures(ours, of)), figure(figures(bare, of))];
    return [title, a.toFixed(0), b.toFixed(0), (a / b).toFixed(2)];
  };
  const share = (of: number) => (values: number[]) => quantile(values, of);
  reportFigure({
    name: "payment: accepted to funded, mean over a block",
    of: "a bare transaction and its receipt",
    value: mean(figures(ours, "ms")) / mean(figures(bare, "ms")),
    better: "lower",
  });
  printTable(`Accepted payment to order status, a block each second, n=${samples}`, [
    ["", "order is funded", "bare transaction and receipt", "ratio"],
    row("ms, mean", "ms", mean),
    row("ms, median", "ms", share(0.5)),
    row("ms, 95th percentile", "ms", share(0.95)),
    row("blocks until it is mined, most", "blocks", share(1)),
  ]);

  const transfer = await measureTransfer();
  const gas = quantile(figures(ours, "gas"), 0.5);
  printTable("Gas of a funding by x402, by the receipts of our relayer", [
    ["", "gas", "ratio"],
    ["createEscrowWithAuthorization, median", gas.toLocaleString("en-US"), (gas / transfer).toFixed(2)],
    ["bare transferWithAuthorization of the token", transfer.toLocaleString("en-US"), "1.00"],
  ]);

  async function take(act: () => Promise<Hex>): Promise<Taken> {
    const head = await publicClient.getBlockNumber({ cacheTime: 0 });
    const begin = performance.now();
    const hash = await act();
    const ms = performance.now() - begin;
    const { blockNumber, gasUsed } = await publicClient.getTransactionReceipt({ hash });
    return { ms, blocks: Number(blockNumber - head), gas: Number(gasUsed) };
  }
});

type Taken = { ms: number; blocks: number; gas: number };

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Waits until a part of a block's time has passed: the wait for the next block depends on it. */
async function reachPart(part: number): Promise<void> {
  const { publicClient } = chain;
  const before = await publicClient.getBlockNumber({ cacheTime: 0 });
  while ((await publicClient.getBlockNumber({ cacheTime: 0 })) === before) await sleep(5);
  await sleep(part * blockSeconds * 1000);
}

/** Returns the call by which the relayer sends a payment. */
async function callOf({ orderId, body }: Payment): Promise<{ to: Address; data: Hex }> {
  const path = `/orders/${orderId}/agreement`;
  const agreement = expectStatus(200, await api.request("GET", path, { token: buyer.token }));
  const [call] = paymentCalls(signedAuthorization.parse(body), deriveDeposit(agreement));
  if (!call) throw new Error("The payment has no call.");
  return call;
}

/** Measures the gas of a bare transfer to an address without tokens, such as a deposit address. */
async function measureTransfer(): Promise<number> {
  const { body } = await prepare();
  const { from, to, value, validAfter, validBefore, nonce } = body.authorization;
  const { r, s, yParity } = parseSignature(body.signature);
  const hash = await chain.wallet(localAccounts.arbiter).writeContract({
    address: chain.chain.token.address,
    abi: parseAbi([
      "function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, uint8, bytes32, bytes32)",
    ]),
    functionName: "transferWithAuthorization",
    args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, yParity + 27, r, s],
  });
  return Number((await chain.publicClient.waitForTransactionReceipt({ hash })).gasUsed);
}

test(`payments verified and accepted, beside bare recoverTypedDataAddress (${inFlight} at once)`, async () => {
  // The worker would use processor time during the measurement.
  await stack.worker?.stop();
  const prepared: Payment[] = [];
  await forEach(Array.from({ length: (rounds + 1) * paymentsEach }), async () =>
    prepared.push(await prepare()),
  );
  const perSecond = async (act: () => Promise<void>) => {
    const begin = performance.now();
    await act();
    return (paymentsEach * 1000) / (performance.now() - begin);
  };
  const recoverNative = async ({ typedData, body }: Payment) =>
    recoverSigner(hashTypedData(typedData), body.signature);
  const pairs: [ours: number, bare: number, native: number][] = [];
  for (let round = 0; round <= rounds; round++) {
    const payments = prepared.slice(round * paymentsEach, (round + 1) * paymentsEach);
    pairs.push([
      await perSecond(() => forEach(payments, hand)),
      await perSecond(() => forEach(payments, ({ typedData }) => recoverTypedDataAddress(typedData))),
      await perSecond(() => forEach(payments, recoverNative)),
    ]);
  }
  const measured = pairs.slice(1); // the first warms both
  const ratios = measured.map(([ours, bare]) => ours / bare);
  const ratiosToNative = measured.map(([ours, , native]) => ours / native);
  reportFigure({
    name: "payment: verified and accepted",
    of: "viem recovers a signature",
    value: quantile(ratios, 0.5),
    better: "higher",
  });
  printTable(`Payments per second, ${rounds} rounds of ${paymentsEach} in turn`, [
    ["", "per second (median)", "ratio (median)", "min", "max"],
    [
      "POST /orders/{id}/payment, verified, written down, queued",
      quantile(
        measured.map(([ours]) => ours),
        0.5,
      ).toFixed(0),
      quantile(ratios, 0.5).toFixed(3),
      Math.min(...ratios).toFixed(3),
      Math.max(...ratios).toFixed(3),
    ],
    // The usual way to recover a signer. The service recovers as in the row below.
    [
      "bare viem recoverTypedDataAddress",
      quantile(
        measured.map(([, bare]) => bare),
        0.5,
      ).toFixed(0),
      "1",
      "",
      "",
    ],
    [
      "the same by WebAssembly, and our ratio to it",
      quantile(
        measured.map(([, , native]) => native),
        0.5,
      ).toFixed(0),
      quantile(ratiosToNative, 0.5).toFixed(3),
      Math.min(...ratiosToNative).toFixed(3),
      Math.max(...ratiosToNative).toFixed(3),
    ],
  ]);
});
