import { type Address, erc20Abi, type Hex, parseGwei } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Answer, expectStatus } from "../../harness/api.ts";
import { placeOrder } from "../../harness/flows/x402-order.ts";
import { type PaymentBench, startPaymentBench } from "../../harness/jobs/payments.ts";
import { isUsed, newAccount, sendAsOutsider } from "../../harness/market/payments.ts";

const amount = 2_500_000n;
let bench: PaymentBench;
let order: Answer["body"];

beforeAll(async () => {
  bench = await startPaymentBench();
});
afterAll(() => bench?.close());
beforeEach(async () => {
  order = await placeOrder(bench.market);
});

const buyer = () => bench.market.buyer.account;
const deposit = () => order.escrow.deposit_address as Address;

/**
 * Asserts that the order is funded once, by these relays of the payment and no other, and nothing is in
 * flight.
 */
async function expectFundedOnce(sent: [name: string, status: string][] = [[":0", "mined"]]): Promise<void> {
  await bench.reach(order, "funded");
  const types = (await bench.trail(order)).map(({ type }) => type);
  expect(types).toEqual(["order.created", "order.funded"]);
  expect(await bench.statusOnChain(order)).toBe(1);
  expect(await bench.balanceOf(deposit())).toBe(0n);
  const relays = await bench.relaysOf(order);
  expect(relays.map(({ key, status }) => [key.replace(/^pay_\w+/, ""), status])).toEqual(sent);
}

const payerOf = async () =>
  (await bench.trail(order)).find(({ type }) => type === "order.funded")?.data.payer as Address;

describe("an accepted payment", () => {
  test("is submitted, then confirmed from the chain, with the money in the escrow and no gas of the buyer's", async () => {
    const had = await bench.balanceOf(buyer().address);
    const signed = await bench.sign(order);
    const { id } = await bench.pay(order, signed);
    expect(await bench.payment(order)).toMatchObject({ id, status: "accepted", transaction_hash: null });
    await bench.relay();
    const [relay] = await bench.relaysOf(order);
    await bench.follow();
    expect(await bench.payment(order)).toMatchObject({
      status: "submitted",
      transaction_hash: relay?.transactionHash,
    });
    await expectFundedOnce();
    expect(await bench.reachPayment(order, "confirmed")).toMatchObject({
      id,
      error: null,
      transaction_hash: relay?.transactionHash,
    });
    expect(await isUsed(bench.testChain, signed)).toBe(true);
    expect(await bench.balanceOf(buyer().address)).toBe(had - amount);
    expect(await bench.reader.getBalance({ address: buyer().address })).toBe(0n);
    expect(await payerOf()).toBe(buyer().address);
    // Sent again at any time, it has the same answer; another payment is refused, and not used.
    expect((await bench.pay(order, signed)).status).toBe("confirmed");
    expect(expectStatus(202, await bench.post(order)).payment.id).toBe(id);
    const another = await bench.sign(order);
    expect(expectStatus(409, await bench.post(order, another)).error).toMatchObject({
      code: "conflict",
      message: expect.stringContaining(id),
    });
    expect(await isUsed(bench.testChain, another)).toBe(false);
  });

  test("of another payer than the buyer names the payer, up to the receipt of the release", async () => {
    const patron = await bench.newPatron();
    await bench.pay(order, await bench.sign(order, {}, patron));
    await bench.relay();
    await expectFundedOnce();
    expect(await payerOf()).toBe(patron.address);
    const { providerKey, buyer: owner } = bench.market;
    expectStatus(200, await bench.ask("POST", order, "start", undefined, providerKey));
    expectStatus(
      200,
      await bench.ask("POST", order, "deliver", { output_payload: { done: true } }, providerKey),
    );
    await bench.testChain.node.setBalance({ address: owner.account.address, value: 10n ** 18n });
    await bench.callEscrow(owner.account, order, "release");
    await bench.testChain.node.setBalance({ address: owner.account.address, value: 0n });
    await bench.reach(order, "released");
    const { signature } = await bench.read(order, "receipt/x402");
    const receipt = JSON.parse(Buffer.from(signature.split(".")[1], "base64url").toString());
    expect(receipt.payer).toBe(patron.address);
    const { items } = await bench.read(order, "receipts");
    expect(items.map(({ claim }: { claim: string }) => claim)).toEqual(["funded", "released"]);
    expect(items[0].document).toMatchObject({ buyer: owner.account.address, amount: amount.toString() });
    // The payment is unchanged.
    expect(await bench.payment(order)).toMatchObject({ status: "confirmed", payer: patron.address });
  });

  test("settles once when two others came at the same time, which are not used", async () => {
    const had = await bench.balanceOf(buyer().address);
    const signed = await Promise.all([bench.sign(order), bench.sign(order), bench.sign(order)]);
    const answers = await Promise.all(signed.map((one) => bench.post(order, one)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    await bench.relay();
    await expectFundedOnce();
    const used = await Promise.all(signed.map((one) => isUsed(bench.testChain, one)));
    expect(used).toEqual(answers.map(({ status }) => status === 202));
    expect(await bench.balanceOf(buyer().address)).toBe(had - amount);
  });
});

describe("an authorization that another account sends straight to the token", () => {
  test("before the service has it ends in the escrow, and the payment is accepted", async () => {
    const signed = await bench.sign(order);
    await sendAsOutsider(bench.testChain, signed);
    expect(await bench.balanceOf(deposit())).toBe(amount);
    await bench.pay(order, signed);
    await bench.relay();
    await expectFundedOnce();
    expect(await bench.reachPayment(order, "confirmed")).toMatchObject({ error: null });
  });

  test("after the service accepted it, and before it is sent, ends in the escrow", async () => {
    const had = await bench.balanceOf(buyer().address);
    const signed = await bench.sign(order);
    await bench.pay(order, signed);
    await sendAsOutsider(bench.testChain, signed);
    await bench.relay();
    await expectFundedOnce();
    expect(await bench.reachPayment(order, "confirmed")).toMatchObject({ error: null });
    expect(await payerOf()).toBe(deposit());
    expect(await bench.balanceOf(buyer().address)).toBe(had - amount);
  });

  test("in the same block as the relay, and before it, ends in the escrow", async () => {
    const { node } = bench.testChain;
    const signed = await bench.sign(order);
    await bench.pay(order, signed);
    await node.setAutomine(false);
    const relaying = bench.relay();
    try {
      await expect.poll(async () => (await node.getTxpoolStatus()).pending).toBe(1);
      await sendAsOutsider(bench.testChain, signed, { hasten: true });
      await node.mine({ blocks: 1 });
    } finally {
      await node.setAutomine(true);
    }
    await relaying;
    expect((await bench.reader.getBlock()).transactions).toHaveLength(2);
    await expectFundedOnce();
    expect(await payerOf()).toBe(deposit());
    expect(await bench.reachPayment(order, "confirmed")).toMatchObject({ error: null });
  });

  test("as the whole creation of the escrow is the payment all the same, and costs the service nothing", async () => {
    const signed = await bench.sign(order);
    await bench.pay(order, signed);
    const [queued] = await bench.relaysOf(order);
    const outsider = await bench.newPatron();
    await bench.call(outsider, queued?.to as Address, { data: queued?.data as Hex });
    const nonce = await bench.nonce();
    await bench.relay();
    expect(await bench.nonce()).toBe(nonce);
    // The relay is refused; the chain decides the payment.
    await expectFundedOnce([[":0", "failed"]]);
    const shown = await bench.reachPayment(order, "confirmed");
    const [, funded] = await bench.trail(order);
    expect(shown).toMatchObject({ error: null, transaction_hash: funded.transaction.hash });
    expect(await payerOf()).toBe(buyer().address);
  });
});

describe("a payment that the chain refuses", () => {
  test("fails with the token's reason where the payer's money is gone, and the order can be paid again", async () => {
    const patron = await bench.newPatron();
    const had = await bench.balanceOf(patron.address);
    const signed = await bench.sign(order, {}, patron);
    const { id } = await bench.pay(order, signed);
    await bench.transfer(patron, newAccount().address, had - amount + 1n);
    const nonce = await bench.nonce();
    await bench.relay();
    expect(await bench.nonce()).toBe(nonce);
    const failed = await bench.reachPayment(order, "failed");
    expect(failed).toMatchObject({ id, transaction_hash: null });
    expect(failed.error).toMatch(`ERC20InsufficientBalance(sender ${patron.address}, balance`);
    expect(await isUsed(bench.testChain, signed)).toBe(false);
    // The order requests a payment again, and accepts another.
    expect(expectStatus(402, await bench.post(order)).accepts).toHaveLength(1);
    const { id: second } = await bench.pay(order, await bench.sign(order));
    expect(second).not.toBe(id);
    await bench.relay();
    await bench.reach(order, "funded");
    expect(await bench.reachPayment(order, "confirmed")).toMatchObject({ id: second });
    expect((await bench.paymentsOf(order)).map(({ status }) => status).sort()).toEqual([
      "confirmed",
      "failed",
    ]);
  });

  test("starts over under its own name when it is sent again", async () => {
    const patron = await bench.newPatron();
    const friend = await bench.newPatron();
    const had = await bench.balanceOf(patron.address);
    const signed = await bench.sign(order, {}, patron);
    const { id } = await bench.pay(order, signed);
    await bench.transfer(patron, friend.address, had);
    await bench.relay();
    await bench.reachPayment(order, "failed");
    // Still without money it is refused, and stays unchanged.
    expect(expectStatus(402, await bench.post(order, signed)).error.details[0].keyword).toBe(
      "invalid_exact_evm_insufficient_balance",
    );
    expect(await bench.payment(order)).toMatchObject({ id, status: "failed" });
    await bench.transfer(friend, patron.address, had);
    expect(await bench.pay(order, signed)).toMatchObject({ id, status: "accepted", error: null });
    await bench.relay();
    await expectFundedOnce([
      [":0", "failed"],
      [":1", "mined"],
    ]);
    expect(await bench.reachPayment(order, "confirmed")).toMatchObject({ id, error: null });
  });

  test("fails with the token's reason in a block, after the money left in the same one", async () => {
    const { node } = bench.testChain;
    const patron = await bench.newPatron();
    const had = await bench.balanceOf(patron.address);
    const signed = await bench.sign(order, {}, patron);
    await bench.pay(order, signed);
    await node.setAutomine(false);
    const relaying = bench.relay();
    try {
      await expect.poll(async () => (await node.getTxpoolStatus()).pending).toBe(1);
      await bench.testChain.wallet(patron).writeContract({
        address: bench.chain.token.address,
        abi: erc20Abi,
        functionName: "transfer",
        args: [newAccount().address, had],
        // Nodes include the pending transfer in a simulation, so this node is not asked.
        gas: 100_000n,
        maxFeePerGas: parseGwei("500"),
        maxPriorityFeePerGas: parseGwei("400"),
      });
      await node.mine({ blocks: 1 });
    } finally {
      await node.setAutomine(true);
    }
    await relaying;
    const [relay] = await bench.relaysOf(order);
    expect(relay?.status).toBe("failed");
    const failed = await bench.reachPayment(order, "failed");
    expect(failed.transaction_hash).toBe(relay?.transactionHash);
    expect(failed.error).toBe(relay?.error);
    expect(failed.error).toMatch("ERC20InsufficientBalance");
    // The revert undid everything, the authorization too.
    expect(await isUsed(bench.testChain, signed)).toBe(false);
    expect(await bench.statusOnChain(order)).toBe(0);
  });

  test("fails where the order was funded otherwise, is not used, and was never shown as a success", async () => {
    const signed = await bench.sign(order);
    const { id } = await bench.pay(order, signed);
    const patron = await bench.newPatron();
    await bench.fundDirectly(order, patron);
    await bench.relay();
    // The index has it and the ledger not yet: the order's escrow is not this payment's.
    await expect.poll(async () => (await bench.read(order)).escrow.status).toBe("funded");
    const waiting = await bench.post(order, signed);
    expect(expectStatus(202, waiting).payment).toMatchObject({ id, transaction_hash: null });
    const settlement = JSON.parse(
      Buffer.from(waiting.headers.get("payment-response") ?? "", "base64").toString(),
    );
    expect(settlement).toMatchObject({ success: false, errorReason: "settlement_pending", transaction: "" });
    await bench.reach(order, "funded");
    const failed = await bench.reachPayment(order, "failed");
    expect(failed.error).toBe("Another payment funded the order; this payment was not used.");
    expect(await isUsed(bench.testChain, signed)).toBe(false);
    expect(expectStatus(409, await bench.post(order, signed)).error.code).toBe("invalid_state");
  });
});

test("is 431 for a header beyond Node's 16 KiB; the same payment as the body is read", async () => {
  const { baseUrl } = bench.stack;
  const signed = { ...(await bench.sign(order)), signature: `0x${"00".repeat(9000)}` as Hex };
  const large = Buffer.from(JSON.stringify({ x402Version: 2, payload: signed })).toString("base64");
  const { status } = await fetch(`${baseUrl}/api/v1/orders/${order.id}/payment`, {
    method: "POST",
    headers: { "x-api-key": bench.market.buyerKey, "payment-signature": large },
  });
  expect(status).toBe(431);
  expect(expectStatus(402, await bench.post(order, signed)).error.details[0].keyword).toBe(
    "invalid_exact_evm_signature",
  );
});

test("is not used where its turn comes after the funding deadline, with the reason", async () => {
  const signed = await bench.sign(order, { validBefore: String(2 ** 40) });
  await bench.pay(order, signed);
  const { fundBy } = await bench.rowOf(order);
  await bench.testChain.node.setNextBlockTimestamp({ timestamp: BigInt(fundBy) + 60n });
  await bench.testChain.node.mine({ blocks: 1 });
  await bench.relay();
  const failed = await bench.reachPayment(order, "failed");
  expect(failed.error).toMatch(/TooLate/);
  expect(await isUsed(bench.testChain, signed)).toBe(false);
  expect(expectStatus(409, await bench.post(order, signed)).error.code).toBe("invalid_state");
});
