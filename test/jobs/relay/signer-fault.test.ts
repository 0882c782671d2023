import { eq, sql } from "drizzle-orm";
import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  hexToBigInt,
  parseAbi,
  zeroAddress,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { escrowAbi } from "../../../abis/escrow.ts";
import type { OrderRow } from "../../../db/order-rows.ts";
import { relay } from "../../../db/schema.ts";
import { createRelayStore } from "../../../jobs/relay/relay-store.ts";
import { typedDataOf } from "../../../protocol/settlement/signatures.ts";
import { termsOf } from "../../../protocol/settlement/terms.ts";
import { localAccounts } from "../../../tools/stack/anvil.ts";
import { gasBounds } from "../../../trade/relay/gas-bounds.ts";
import { type RelayRow, readPauseAfterRevert } from "../../../trade/relay/relay-queue.ts";
import { deployWallet as deployContractWallet, deployCostlyWallet } from "../../harness/flows/wallets.ts";
import { provider, randomHash, until } from "../../harness/jobs/ledger.ts";
import { mineUntil, type RelayBench, startRelayBench } from "../../harness/jobs/relays.ts";
import { compile } from "../../harness/solidity.ts";

let bench: RelayBench;

beforeAll(async () => {
  bench = await startRelayBench();
});
afterAll(() => bench.close());

const tells = { never: 0, gasPrice: 1, gasLeft: 2, coinbase: 3 };
const { TwoFacedWallet: bytecode } = (await compile(new URL("./two-faced-wallet.sol", import.meta.url))) as {
  TwoFacedWallet: Hex;
};
/** The builder of the blocks that the wallet waits for. */
const friend: Address = "0x00000000000000000000000000000000f41e4d00";

async function deployWallet(tell: keyof typeof tells, at = 0n): Promise<Address> {
  const abi = parseAbi(["constructor(uint8 tell, uint256 at)"]);
  const data = encodeDeployData({ abi, bytecode, args: [tells[tell], at] });
  const hash = await bench.testChain.wallet(localAccounts.deployer).sendTransaction({ data });
  const { contractAddress } = await bench.actions.reader.waitForTransactionReceipt({ hash });
  return getAddress(contractAddress as Address);
}

/** Queues the release of an order whose buyer is this wallet, which alone could refuse the signature. */
async function queueRelease(row: OrderRow) {
  const deadline = (await bench.actions.reader.getBlock()).timestamp + 86_400n;
  const args = [termsOf(row), deadline, "0x01"] as const;
  const data = encodeFunctionData({ abi: escrowAbi, functionName: "releaseWithSignature", args });
  const signer = getAddress(row.buyerAddress);
  const of = { signer, accountId: row.buyerAccountId, forFunded: true };
  return bench.queue(row, data, `${row.escrowId}:release`, of);
}

const work = () => bench.newRelayer().relay(bench.chain.chain_id);
const readAll = (relays: { id: string }[]) => Promise.all(relays.map(bench.read));

describe("a wallet that burns gas once its call is mined", () => {
  test.each([
    ["the price of gas", "gasPrice", 0n],
    // The remaining gas is less with the bound of a signed act, and more in a simulation without a bound.
    ["the gas that is left", "gasLeft", 1_000_000n],
  ] as const)("is detected where it reads %s, and nothing is sent", async (_, tell, at) => {
    const queued = await queueRelease(
      await bench.fundedOrder({ buyerAddress: await deployWallet(tell, at) }),
    );
    const before = await bench.nonceOf();
    await until(async () => {
      await work();
      return (await bench.read(queued)).status === "failed";
    }, "it has failed");
    expect(await bench.read(queued)).toMatchObject({
      error: "The call needs more gas than the 400000 that the service pays for.",
      transactionHash: null,
      revertedAt: null,
    });
    expect(await bench.nonceOf()).toBe(before);
  });

  test("costs one transaction of bounded gas where it knows its block; its other calls are refused, and those of others are not", async () => {
    const buyerAddress = await deployWallet("coinbase", hexToBigInt(friend));
    const orders = [];
    for (let index = 0; index < 4; index += 1) orders.push(await bench.fundedOrder({ buyerAddress }));
    const first = await queueRelease(orders[0] as OrderRow);
    const others = [await queueRelease(orders[1] as OrderRow), await queueRelease(orders[2] as OrderRow)];
    const relays = [first, ...others];
    const honest = await bench.fundedOrder();
    const delivery = await bench.queue(honest, await bench.deliveryCall(honest), undefined, {
      signer: provider.address,
      accountId: honest.providerAccountId,
      forFunded: true,
    });
    const before = await bench.nonceOf();
    await bench.node.setAutomine(false);
    const working = work();
    await until(async () => (await bench.nonceOf("pending")) === before + 2, "one of its calls is sent");
    await bench.node.setCoinbase({ address: friend });
    try {
      await mineUntil(
        bench,
        async () => (await readAll(relays)).every(({ status }) => status === "failed"),
        "its calls have failed",
      );
      await working;
    } finally {
      await bench.node.setCoinbase({ address: zeroAddress });
      await bench.node.setAutomine(true);
    }
    expect(await bench.nonceOf()).toBe(before + 2);
    expect((await bench.read(delivery)).status).toBe("mined");

    const reverted = await bench.read(first);
    const hash = reverted.transactionHash as Hex;
    const { gasUsed, status } = await bench.actions.reader.getTransactionReceipt({ hash });
    expect(status).toBe("reverted");
    expect(gasUsed).toBeLessThanOrEqual(BigInt(gasBounds.signedAct));
    expect(reverted).toMatchObject({ revertedAt: expect.any(Date), gasCharged: Number(gasUsed) });
    for (const row of await readAll(others)) {
      expect(row).toMatchObject({
        transactionHash: null,
        error: expect.stringMatching(/^A call that this wallet signed was mined without effect/),
      });
    }
    expect((await bench.readWallet())?.gasReverted).toBe(Number(gasUsed));

    // It is blocked on every order, for an hour, and blocks no act of its counterparty.
    const [, , , fourth] = orders as [OrderRow, OrderRow, OrderRow, OrderRow];
    const rest = (orderId: string, signer: Address, accountId: string) =>
      readPauseAfterRevert(bench.db, { chainId: bench.chain.chain_id, signer, orderId, accountId });
    const { id, buyerAccountId, providerAccountId } = orders[0] as OrderRow;
    expect(await rest(fourth.id, buyerAddress, fourth.buyerAccountId)).toBeGreaterThan(3500);
    expect(await rest(id, zeroAddress, buyerAccountId)).toBeGreaterThan(3500);
    expect(await rest(id, provider.address, providerAccountId)).toBeNull();
    await bench.db
      .update(relay)
      .set({ revertedAt: sql`now() - interval '61 minutes'` })
      .where(eq(relay.id, first.id));
    expect(await rest(fourth.id, buyerAddress, fourth.buyerAccountId)).toBeNull();
  });
});

test("a wallet's call that comes too late, after another sender, is not blamed on it", async () => {
  const buyerAddress = await deployWallet("never");
  const row = await bench.fundedOrder({ buyerAddress });
  const before = await bench.nonceOf();
  await bench.node.setAutomine(false);
  const queued = await queueRelease(row);
  const working = work();
  await until(async () => (await bench.nonceOf("pending")) === before + 1, "it is sent");
  await bench.actions.writer.writeContract({
    abi: escrowAbi,
    address: bench.chain.escrow_contract,
    functionName: "refund",
    args: [termsOf(row)],
    account: provider,
    chain: null,
    gas: 400_000n,
    maxPriorityFeePerGas: 10n ** 12n,
    maxFeePerGas: 10n ** 13n,
  });
  await bench.node.mine({ blocks: 1 });
  await bench.node.setAutomine(true);
  await working;
  expect(await bench.read(queued)).toMatchObject({
    status: "failed",
    error: expect.stringMatching(/^WrongStatus/),
    revertedAt: null,
  });
});

test("a wallet that burnt gas is blamed, whatever its revert reason", async () => {
  const signer = await deployWallet("coinbase", hexToBigInt(friend));
  const data = encodeFunctionData({ abi: parseAbi(["function callBack() view"]) });
  const queued = await bench.queue(await bench.fundedOrder(), data, `${signer}:payment`, {
    to: signer,
    signer,
    gasBound: gasBounds.payment,
  });
  await bench.node.setAutomine(false);
  const before = await bench.nonceOf();
  const working = work();
  await until(async () => (await bench.nonceOf("pending")) === before + 1, "it is sent");
  await bench.node.setCoinbase({ address: friend });
  try {
    await bench.node.mine({ blocks: 1 });
    await working;
  } finally {
    await bench.node.setCoinbase({ address: zeroAddress });
    await bench.node.setAutomine(true);
  }
  const ended = await bench.read(queued);
  expect(ended).toMatchObject({ status: "failed", error: "authorization is used" });
  expect(ended.revertedAt).not.toBeNull();
});

test("an account that queues many calls is not served before others' first", async () => {
  const [busy, calm] = [await bench.fundedOrder(), await bench.fundedOrder()];
  const of = (row: OrderRow) => ({ accountId: row.providerAccountId, forFunded: true });
  const many = [];
  for (let index = 0; index < 40; index += 1)
    many.push(await bench.queue(busy, "0x12345678", `busy:${index}`, of(busy)));
  const one = await bench.queue(calm, await bench.deliveryCall(calm), undefined, of(calm));
  const queue = await createRelayStore(bench.db, bench.chain.chain_id).readQueued(2, []);
  expect(queue.map(({ id }) => id)).toEqual([many[0]?.id, one.id]);
  await bench.db.update(relay).set({ status: "failed" }).where(eq(relay.status, "queued"));
});

test("a relay that could not be sent for two days is given up", async () => {
  const row = await bench.fundedOrder();
  const queued = await bench.queue(row, await bench.deliveryCall(row));
  const before = await bench.nonceOf();
  await bench.db
    .update(relay)
    .set({ queuedAt: sql`now() - interval '49 hours'` })
    .where(eq(relay.id, queued.id));
  await work();
  expect(await bench.read(queued)).toMatchObject({
    status: "failed",
    error: expect.stringMatching(/within two days/),
  });
  expect(await bench.nonceOf()).toBe(before);
});

test("a relay that the wallet cannot pay for blocks none behind it, and takes no nonce", async () => {
  const rows = [];
  for (let index = 0; index < 3; index += 1) rows.push(await bench.fundedOrder());
  const [dear, cheap, next] = rows as [OrderRow, OrderRow, OrderRow];
  const { reader } = bench.actions;
  const costly = await deployWallet("never");
  // As much as twenty deliveries' records: a wallet with a legitimate need of gas.
  await bench.node.setCode({ address: costly, bytecode: burning });
  const before = await bench.nonceOf();
  const full = await reader.getBalance({ address: bench.wallet.address });
  const waiting: RelayRow[] = [];
  for (let index = 0; index < 17; index += 1) {
    const of = { to: costly, gasBound: gasBounds.due };
    waiting.push(await bench.queue(dear, "0x", `dear:${index}`, of));
  }
  const sent = [];
  for (const row of [cheap, next]) sent.push(await bench.queue(row, await bench.deliveryCall(row)));
  const { baseFeePerGas } = await reader.getBlock();
  const tip = await reader.estimateMaxPriorityFeePerGas();
  await bench.node.setBalance({
    address: bench.wallet.address,
    value: 600_000n * (2n * (baseFeePerGas ?? 0n) + tip),
  });
  const relayer = bench.newRelayer();
  await relayer.relay(bench.chain.chain_id);
  for (const { status } of await readAll(sent)) expect(status).toBe("mined");
  for (const row of await readAll(waiting)) expect(row).toMatchObject({ status: "queued", nonce: null });
  expect(await bench.nonceOf()).toBe(before + 2);
  expect((await bench.readWallet())?.waiting).toBe("balance");

  await bench.node.setBalance({ address: bench.wallet.address, value: full });
  await until(async () => {
    await relayer.relay(bench.chain.chain_id);
    return (await readAll(waiting)).every(({ status }) => status === "mined");
  }, "all are sent once the wallet is funded");
  expect(await bench.nonceOf()).toBe(before + 19);
});

/** Hashes 600 kB of empty memory: some 1.1 million gas. */
const burning: Hex = "0x620927c05f2000";

// Comes last, because it moves the chain's clock.
describe("a provider's wallet whose record of a delivery has no effect is not blamed", () => {
  const owner = privateKeyToAccount(generatePrivateKey());
  const order = async (providerAddress: Address) => bench.fundedOrder({ providerAddress });

  /** Queues the record of an order's first delivery, and has it sent, while nothing is mined. */
  async function sendRecord(row: OrderRow, signature: Hex) {
    const [terms, hash, ofDelivery] = await bench.actions.signDelivery(row, randomHash());
    // After that of the delivery, so that this one counts.
    const deadline = 2n * ofDelivery;
    const args = [terms, hash, deadline, signature === "0x" ? await signRecord() : signature] as const;
    const data = encodeFunctionData({ abi: escrowAbi, functionName: "recordDeliveryWithSignature", args });
    const before = await bench.nonceOf();
    const signer = getAddress(row.providerAddress);
    const of = { signer, accountId: row.providerAccountId, forFunded: true };
    const queued = await bench.queue(row, data, undefined, of);
    await bench.node.setAutomine(false);
    const working = work();
    await until(async () => (await bench.nonceOf("pending")) === before + 1, "it is sent");
    return { queued, working, data };

    function signRecord(): Promise<Hex> {
      const escrow = { chainId: bench.chain.chain_id, escrowContract: bench.chain.escrow_contract };
      const message = { escrowId: row.escrowId, outputHash: hash, number: 1, deadline };
      return owner.signTypedData(typedDataOf(escrow, "RecordDelivery", message) as never);
    }
  }

  async function expectBlameless(queued: RelayRow, working: Promise<void>, reason: RegExp) {
    await bench.node.setAutomine(true);
    await working;
    expect(await bench.read(queued)).toMatchObject({
      status: "failed",
      error: expect.stringMatching(reason),
      revertedAt: null,
    });
  }

  test("where another account sent the same before it", async () => {
    const row = await order(await deployContractWallet(bench.testChain, owner.address));
    const { queued, working, data } = await sendRecord(row, "0x");
    await bench.testChain.wallet(localAccounts.deployer).sendTransaction({
      to: bench.chain.escrow_contract,
      data,
      gas: 400_000n,
      maxPriorityFeePerGas: 10n ** 12n,
      maxFeePerGas: 10n ** 13n,
    });
    await bench.node.mine({ blocks: 1 });
    await expectBlameless(queued, working, /^InvalidSignature/);
    expect(await bench.deliveriesOf(row)).toBe(1);
  });

  test("where it came after the deadline, however expensive the check of its signature is", async () => {
    const row = await order(await deployCostlyWallet(bench.testChain, owner.address, 250_000n));
    const { queued, working } = await sendRecord(row, "0x01");
    const { timestamp } = await bench.actions.reader.getBlock();
    await bench.node.setNextBlockTimestamp({ timestamp: timestamp + BigInt(row.deliveryWindow) + 10n });
    await bench.node.mine({ blocks: 1 });
    await expectBlameless(queued, working, /^TooLate/);
  });
});
