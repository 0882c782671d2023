import { setTimeout as sleep } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { erc20Abi, type Hex, parseUnits, zeroHash } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { escrowAbi } from "../../abis/escrow.ts";
import { escrow } from "../../db/chain-index.ts";
import { recordDeliveryCall } from "../../protocol/settlement/calls.ts";
import { deriveDeposit } from "../../protocol/settlement/deposit.ts";
import { digestOf } from "../../protocol/settlement/terms.ts";
import { confirmOnChain, issuerOf, verifyReceipt } from "../../receipts/index.ts";
import {
  type Answer,
  createKey,
  expectStatus,
  publishService,
  type Requester,
  requesterOf,
  type Session,
  signIn,
} from "../harness/api.ts";
import { joinStack, type SharedStack } from "../harness/stack.ts";

let stack: SharedStack;
let api: Requester;
let buyer: Session;
let provider: Session;
let keys: { buyer: string; provider: string };
let service: string;
let path: string;
const output = { pages: 7 };

beforeAll(async () => {
  stack = await joinStack();
  api = requesterOf(stack.baseUrl);
});
afterAll(() => stack?.close());

beforeEach(async () => {
  const { chain } = stack.chain;
  const [buys, sells] = [generatePrivateKey(), generatePrivateKey()].map((key) => privateKeyToAccount(key));
  if (!buys || !sells) throw new Error("No accounts were made.");
  await stack.chain.fund(buys);
  buyer = await signIn(api, buys, chain.chain_id);
  provider = await signIn(api, sells, chain.chain_id);
  const scopes = ["orders:read", "orders:write"] as const;
  keys = {
    buyer: await createKey(api, buyer, [...scopes]),
    provider: await createKey(api, provider, [...scopes]),
  };
  const metered = { pricing_model: "metered", price: "0.05", price_unit: "page", max_quantity: 100 };
  service = (await publishService(api, provider, metered)).service.id;
  const order = await ask("buyer", "POST", "/orders", { service_id: service }, 201);
  expect(order).toMatchObject({ quantity: 100, total_amount: "5.000000", charge: null });
  path = `/orders/${order.id}`;
  for (const call of (await ask("buyer", "GET", `${path}/payment-instructions`)).calls) {
    await send(buyer, call);
  }
  await reach("funded");
  await ask("provider", "POST", `${path}/start`);
});

const ask = async (
  who: "buyer" | "provider",
  method: "GET" | "POST",
  at: string,
  body?: unknown,
  status = 200,
) => expectStatus(status, await api.request(method, at, { apiKey: keys[who], body }));

const balanceOf = ({ account }: Session) =>
  stack.chain.publicClient.readContract({
    address: stack.chain.chain.token.address,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [account.address],
  });

async function send({ account }: Session, call: { to: Hex; data: Hex }): Promise<void> {
  const hash = await stack.chain.wallet(account).sendTransaction({ to: call.to, data: call.data });
  const receipt = await stack.chain.publicClient.waitForTransactionReceipt({ hash });
  expect(receipt.status).toBe("success");
}

async function poll(read: () => Promise<unknown>, expected: unknown) {
  await expect.poll(read, { interval: 50 }).toEqual(expected);
}
const reach = (status: string) => poll(async () => (await ask("buyer", "GET", path)).status, status);

async function deliver(): Promise<void> {
  const delivered = await ask("provider", "POST", `${path}/deliver`, { output_payload: output, units: 7 });
  expect(delivered).toMatchObject({ units: 7, charge: "0.350000" });
}

/** Signs the delivery record. The relayer sends it. */
async function record(): Promise<void> {
  const { typed_data } = await ask("provider", "GET", `${path}/delivery-record`);
  expect(typed_data).toMatchObject({
    primaryType: "RecordPart",
    message: { earned: "350000", workHash: digestOf(output), isFinal: true, number: 1 },
  });
  const signature = await provider.account.signTypedData(typed_data);
  await ask("provider", "POST", `${path}/delivery-record`, { signature }, 202);
}

/** Signs the release as the page shows it. The relayer sends it. */
async function release(): Promise<void> {
  const { typed_data } = await ask("buyer", "GET", `${path}/release`);
  expect(typed_data).toMatchObject({
    primaryType: "Voucher",
    message: { cumulativeAmount: "350000", workHash: digestOf(output) },
  });
  const signature = await buyer.account.signTypedData(typed_data);
  const deadline = String(Math.floor(Date.now() / 1000) + 80_000);
  await ask("buyer", "POST", `${path}/release`, { signature, deadline }, 202);
}

/** Asserts that the provider has the charge and the buyer the rest, and that the receipts say so. */
async function expectCharged(): Promise<void> {
  await reach("released");
  expect(await balanceOf(provider)).toBe(350_000n);
  expect(await balanceOf(buyer)).toBe(parseUnits("10000", 6) - 350_000n);
  const order = await ask("buyer", "GET", path);
  expect(order).toMatchObject({ charge_base_units: "350000", escrow: { status: "split" } });
  const { items } = await ask("buyer", "GET", `${path}/receipts`);
  expect(items).toHaveLength(4);
  const amounts = new Map<string, string>();
  for (const { claim, document } of items) {
    const verified = await verifyReceipt(document, { issuer: issuerOf(stack.baseUrl) });
    expect(verified).toMatchObject({ valid: true, claim });
    if (!verified.valid) continue;
    amounts.set(claim, verified.document.amount);
    expect(await confirmOnChain(verified, stack.chain.publicClient)).toMatchObject({ agrees: true });
  }
  expect(Object.fromEntries(amounts)).toEqual({
    funded: "5000000",
    part_released: "350000",
    released: "350000",
    refunded: "4650000",
  });
}

test("a metered order pays for the delivered units, and the rest goes back in the same transaction", async () => {
  const early = await api.request("GET", `${path}/release`, { apiKey: keys.buyer });
  expect(expectStatus(409, early).error.message).toContain("has not delivered");
  await deliver();
  await record();
  await poll(async () => (await ask("buyer", "GET", path)).delivery_record, "matched");
  await release();
  await expectCharged();
  const { items } = await ask("buyer", "GET", `${path}/events`);
  const types = items.map(({ type }: Answer["body"]) => type);
  expect(types).toEqual([
    ...["order.created", "order.funded", "order.started", "order.delivered", "delivery.recorded"],
    ...["order.part_released", "order.released", "order.refunded"],
  ]);
});

test.each(["record", "refund"])(
  "a voucher of the buyer's own wallet waits for no record, and the provider's %s returns the rest",
  async (way) => {
    await deliver();
    const refusal = async () =>
      (await api.request("GET", `${path}/release`, { apiKey: keys.buyer })).body.error?.message;
    expect(await refusal()).toContain("record is not on the chain yet");
    const { actions } = await ask("buyer", "GET", `${path}/settlement-options`);
    await send(buyer, actions.find((one: Answer["body"]) => one.action === "release").call);
    expect(await balanceOf(provider)).toBe(350_000n);
    await poll(refusal, expect.stringContaining("The charge is paid."));
    expect((await ask("buyer", "GET", path)).status).toBe("delivered");
    if (way === "record") {
      await record();
      return expectCharged();
    }
    const { typed_data } = await ask("provider", "GET", `${path}/refund`);
    const signature = await provider.account.signTypedData(typed_data);
    const { deadline } = typed_data.message;
    await ask("provider", "POST", `${path}/refund`, { signature, deadline }, 202);
    await expectCharged();
  },
);

test("the buyer's own wallet pays the units without the service", async () => {
  await deliver();
  await record();
  await poll(async () => (await ask("buyer", "GET", path)).delivery_record, "matched");
  const { actions } = await ask("buyer", "GET", `${path}/settlement-options`);
  const action = actions.find((one: Answer["body"]) => one.action === "release");
  expect(action).toMatchObject({ available: true, function: "useVoucher" });
  await send(buyer, action.call);
  await expectCharged();
});

test("a revision of a final part changes the output's hash in the index, and no date", async () => {
  const { wallet, publicClient, fund } = stack.chain;
  await fund(provider.account);
  const { escrowContract, escrowId, terms } = deriveDeposit(await ask("buyer", "GET", `${path}/agreement`));
  const readIndexed = async () => {
    const [row] = await stack.db.select().from(escrow).where(eq(escrow.escrowId, escrowId));
    if (!row) throw new Error("The escrow is not in the index.");
    return row;
  };
  const record = async (hash: Hex) => {
    const args = [terms, 350_000n, hash, true] as const;
    const call = { abi: escrowAbi, address: escrowContract, functionName: "recordPart", args } as const;
    const { blockNumber } = await publicClient.waitForTransactionReceipt({
      hash: await wallet(provider.account).writeContract(call),
    });
    await poll(async () => (await readIndexed()).outputHash, hash);
    return (await publicClient.getBlock({ blockNumber })).timestamp;
  };
  const recordedAt = await record(digestOf(output));
  const first = await readIndexed();
  expect(first.deliveredAt).toBe(recordedAt);
  // A block has the time of its second.
  await sleep(1_100);
  expect(await record(digestOf({ pages: 8 }))).toBeGreaterThan(recordedAt);
  expect(await readIndexed()).toMatchObject({
    deliveredAt: first.deliveredAt,
    autoReleaseAt: first.autoReleaseAt,
    deliveryCount: 2,
  });
});

test("parts of dust do not hide the record that claims everything", async () => {
  const { wallet, publicClient, fund } = stack.chain;
  await fund(provider.account);
  const { escrowContract, terms } = deriveDeposit(await ask("buyer", "GET", `${path}/agreement`));
  const chain = wallet(provider.account);
  for (let earned = 1n; earned <= 17n; earned += 1n) {
    const args = [terms, earned, zeroHash, false] as const;
    const call = { abi: escrowAbi, address: escrowContract, functionName: "recordPart", args } as const;
    await publicClient.waitForTransactionReceipt({ hash: await chain.writeContract(call) });
  }
  const call = recordDeliveryCall({ escrowContract, terms }, digestOf(output));
  await send(provider, call);
  await poll(async () => (await ask("buyer", "GET", path)).delivery_record, "unmatched");
  const { items } = await ask("buyer", "GET", `${path}/events`);
  const record = items.findLast((one: Answer["body"]) => one.type === "delivery.recorded");
  expect(record).toMatchObject({ confirmed: true, data: { number: 18, output_hash: digestOf(output) } });
  expect((await ask("buyer", "GET", path)).auto_release_at).toBe(record.data.auto_release_at);
  const refusal = await api.request("GET", `${path}/release`, { apiKey: keys.buyer });
  expect(expectStatus(409, refusal).error.message).toContain("claims more than the delivery's charge");
});
