import type { Address } from "viem";
import { parseGwei } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { localAccounts } from "../../../tools/stack/anvil.ts";
import type { Answer } from "../../harness/api.ts";
import { forkChain, type TestChain } from "../../harness/chain.ts";
import { placePermit2 } from "../../harness/flows/permit2.ts";
import { approvePermit2, settlePermit, signPermit } from "../../harness/flows/permits.ts";
import { deployFactory, foreseeWallet } from "../../harness/flows/wallets.ts";
import { newAccount, placeOrder } from "../../harness/flows/x402-order.ts";
import { type PaymentBench, startPaymentBench } from "../../harness/jobs/payments.ts";

// Another account that sees the relayer's transaction may do the same before it in its block, at its own
// cost. The payer must lose nothing.

const amount = 2_500_000n;
let chain: TestChain;
let factory: Address;
let bench: PaymentBench;
let order: Answer["body"];

beforeAll(async () => {
  chain = await forkChain();
  await placePermit2(chain);
  factory = await deployFactory(chain);
  bench = await startPaymentBench({ X402_WALLET_FACTORIES: factory }, chain);
});
afterAll(async () => {
  await bench?.close();
  await chain?.close();
});
beforeEach(async () => {
  order = await placeOrder(bench.market);
});

/** Relays, with another account's transaction before the relayer's first one in its block. */
async function relayBehind(send: () => Promise<unknown>): Promise<void> {
  await chain.node.setAutomine(false);
  const relaying = bench.relay();
  try {
    await expect.poll(async () => (await chain.node.getTxpoolStatus()).pending).toBe(1);
    await send();
    await chain.node.mine({ blocks: 1 });
  } finally {
    await chain.node.setAutomine(true);
  }
  await relaying;
}

/** Follows and relays the payment's next call, until it funds the order. */
async function expectFunded(): Promise<void> {
  await bench.workUntil(async () => {
    await bench.relay();
    return (await bench.read(order)).status === "funded";
  }, "the order is funded");
  expect(await bench.reachPayment(order, "confirmed")).toMatchObject({ error: null });
}

/** Creates a payer that lets Permit2 spend this much. */
async function newPermitter(allowance?: bigint) {
  const payer = newAccount();
  await approvePermit2(bench.market, payer, allowance);
  return payer;
}

/** Returns the ends of the payment's calls, none of which is blamed on the payer. */
async function readEnds(): Promise<string[]> {
  const relays = await bench.relaysOf(order);
  expect(relays.map(({ revertedAt }) => revertedAt)).toEqual(relays.map(() => null));
  return relays.map(({ status }) => status);
}

test("a permit that another account sends first in the block ends in the escrow, without blame on the payer", async () => {
  const payer = newAccount();
  await chain.fund(payer);
  await approvePermit2(bench.market, payer);
  const signed = await signPermit(bench.market, order, payer);
  await bench.pay(order, signed);
  await relayBehind(() => settlePermit({ chain }, signed, { hasten: true }));
  expect(await readEnds()).toEqual(["failed"]);
  await expectFunded();
  expect(await readEnds()).toEqual(["failed", "mined"]);
});

test("a payer's wallet that another account deploys first in the block pays, without blame on it", async () => {
  const wallet = foreseeWallet(factory, newAccount(), "named");
  await chain.fund(wallet);
  const signed = await bench.sign(order, {}, wallet.signing);
  await bench.pay(order, signed);
  await relayBehind(() =>
    chain.wallet(localAccounts.deployer).sendTransaction({
      ...wallet.deployment,
      gas: 900_000n,
      maxFeePerGas: parseGwei("500"),
      maxPriorityFeePerGas: parseGwei("400"),
    }),
  );
  expect(await readEnds()).toEqual(["failed"]);
  await expectFunded();
  expect(await readEnds()).toEqual(["failed", "mined"]);
});

test("a permit that another account sends before the payment ends in the escrow, also with the payer's allowance and money used up", async () => {
  const payer = await newPermitter(amount);
  await bench.transfer(await bench.newPatron(), payer.address, amount);
  const signed = await signPermit(bench.market, order, payer);
  await settlePermit({ chain }, signed);
  expect(await bench.balanceOf(payer.address)).toBe(0n);
  expect(await bench.pay(order, signed)).toMatchObject({ status: "accepted" });
  await expectFunded();
});

test("a permit that another account sends between the answer and the transaction ends in the escrow", async () => {
  const payer = await newPermitter();
  await chain.fund(payer);
  const had = await bench.balanceOf(payer.address);
  const signed = await signPermit(bench.market, order, payer);
  expect(await bench.pay(order, signed)).toMatchObject({ status: "accepted" });
  await settlePermit({ chain }, signed);
  await expectFunded();
  expect(await bench.balanceOf(payer.address)).toBe(had - amount);
  expect(await bench.balanceOf(order.escrow.deposit_address)).toBe(0n);
});

test("a wallet that another account deploys between the answer and the transaction pays", async () => {
  const wallet = foreseeWallet(factory, newAccount(), "named");
  await chain.fund(wallet);
  expect(await bench.pay(order, await bench.sign(order, {}, wallet.signing))).toMatchObject({
    status: "accepted",
  });
  await (await chain.newWallet()).sendTransaction(wallet.deployment);
  await expectFunded();
  expect(await readEnds()).toEqual(["failed", "mined"]);
});
