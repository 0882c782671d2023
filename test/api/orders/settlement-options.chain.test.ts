import type { Hex, LocalAccount } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issuerOf, verifyReceipt } from "../../../receipts/index.ts";
import {
  type Answer,
  expectStatus,
  publishService,
  type Requester,
  requesterOf,
  type Session,
  signIn,
} from "../../harness/api.ts";
import { startStack, type TestStack } from "../../harness/stack.ts";

// The routes of this folder on a real chain, whose events count from their third block on.
const confirmations = 3;

let stack: TestStack;
let api: Requester;
let buyer: Session;
let provider: Session;
let serviceId: string;

beforeAll(async () => {
  // The buyer refunds here, before a worker would.
  stack = await startStack({ env: { CONFIRMATIONS_31337: String(confirmations), SETTLE_WHEN_DUE: "false" } });
  api = requesterOf(stack.baseUrl);
  buyer = await signIn(api);
  provider = await signIn(api);
  await stack.chain.fund(buyer.account);
  await stack.chain.fund(provider.account);
  serviceId = (await publishService(api, provider, { delivery_time_hours: 1, acceptance_hours: 1 })).service
    .id;
});
afterAll(() => stack.close());

const get = async (who: Session, path: string): Promise<Answer["body"]> =>
  expectStatus(200, await api.request("GET", path, { token: who.token }));
const post = (who: Session, path: string, body?: unknown) =>
  api.request("POST", path, { token: who.token, body });

/** Sends a call exactly as the API described it. */
async function sendCall(account: LocalAccount, { to, data, value }: { to: Hex; data: Hex; value: string }) {
  const hash = await stack.chain.wallet(account).sendTransaction({ to, data, value: BigInt(value) });
  const { status } = await stack.chain.publicClient.waitForTransactionReceipt({ hash });
  expect(status).toBe("success");
  return hash;
}

/** Mines the blocks that confirm the newest events. */
const confirm = () => stack.chain.node.mine({ blocks: confirmations - 1 });

async function until<T>(look: () => Promise<T | undefined | false>, what: string): Promise<T> {
  for (const end = Date.now() + 120_000; Date.now() < end; ) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Not within 120 s: ${what}`);
}

const statusIs = (id: string, status: string) =>
  until(async () => (await get(buyer, `/orders/${id}`)).status === status, `${id} ${status}`);
const entryOf = (id: string, type: string, confirmed: boolean) =>
  until(async () => {
    const { items } = await get(buyer, `/orders/${id}/events`);
    return items.find(
      (entry: { type: string; confirmed: boolean }) => entry.type === type && entry.confirmed === confirmed,
    );
  }, `${type}, confirmed ${confirmed}, in the trail of ${id}`);
const actionOf = async (who: Session, id: string, action: string) => {
  const { actions } = await get(who, `/orders/${id}/settlement-options`);
  return actions.find((one: { action: string }) => one.action === action);
};

async function placeFunded(): Promise<string> {
  const placed = expectStatus(201, await post(buyer, "/orders", { service_id: serviceId }));
  const { calls } = await get(buyer, `/orders/${placed.id}/payment-instructions`);
  for (const call of calls) await sendCall(buyer.account, call);
  return placed.id;
}

describe("an order on a real chain", () => {
  test("is funded by its calls, delivered by a relayed record and released by the call of its options", async () => {
    const id = await placeFunded();

    const pending = await entryOf(id, "order.funded", false);
    expect(await get(buyer, `/orders/${id}`)).toMatchObject({
      status: "created",
      escrow: { status: "funded" },
    });
    const again = await api.request("GET", `/orders/${id}/payment-instructions`, { token: buyer.token });
    expect([again.status, again.body.error.code]).toEqual([409, "invalid_state"]);
    expect((await post(provider, `/orders/${id}/start`)).status).toBe(409);
    await confirm();
    const funded = await entryOf(id, "order.funded", true);
    expect({ ...funded, id: pending.id, confirmed: false }).toEqual(pending);

    expectStatus(200, await post(provider, `/orders/${id}/start`));
    const output = { output_payload: { lines: ["Good day"] } };
    expectStatus(200, await post(provider, `/orders/${id}/deliver`, output));
    const { typed_data } = await get(provider, `/orders/${id}/delivery-record`);
    const signature = await provider.account.signTypedData(typed_data);
    const record = async () =>
      expectStatus(202, await post(provider, `/orders/${id}/delivery-record`, { signature })).relay;
    const first = await record();
    const seen = await entryOf(id, "delivery.recorded", false);
    expect(seen.data.output_hash).toBe(typed_data.message.outputHash);
    expect(await record()).toEqual({ ...first, status: "signed", transaction_hash: seen.transaction.hash });
    await confirm();
    await entryOf(id, "delivery.recorded", true);
    expect((await get(provider, `/orders/${id}`)).auto_release_at).toBe(seen.data.auto_release_at);
    // The same request later is still answered with its result.
    const mined = await until(async () => {
      const relay = await record();
      return relay.status === "mined" && relay;
    }, "the relayed record mined");
    expect(mined).toEqual({ ...first, status: "mined", transaction_hash: seen.transaction.hash });

    const release = await actionOf(buyer, id, "release");
    expect(release).toMatchObject({ available: true, who: "buyer" });
    const transaction = await sendCall(buyer.account, release.call);
    await entryOf(id, "order.released", false);
    const early = await api.request("GET", `/orders/${id}/receipt`, { token: buyer.token });
    expect([early.status, early.body.error.code]).toEqual([409, "not_settled"]);
    await confirm();
    await statusIs(id, "released");
    const document = await get(provider, `/orders/${id}/receipt`);
    expect(document).toMatchObject({ transaction, output_hash: typed_data.message.outputHash });
    const issuer = issuerOf(stack.config.publicUrl);
    expect(await verifyReceipt(JSON.stringify(document), { issuer })).toMatchObject({ valid: true });
    for (const who of [buyer, provider]) {
      const { actions, onchain_status } = await get(who, `/orders/${id}/settlement-options`);
      expect(onchain_status).toBe("released");
      expect(actions.filter(({ available }: { available: boolean }) => available)).toEqual([]);
    }
  });

  test("is refunded by anyone's call when nothing is delivered by its deadline", async () => {
    const id = await placeFunded();
    await confirm();
    await statusIs(id, "funded");
    const before = await actionOf(buyer, id, "refund");
    expect(before).toMatchObject({ available: false, who: "provider" });
    const { delivery_deadline } = await get(buyer, `/orders/${id}`);
    expect(Date.parse(before.available_at)).toBe(Date.parse(delivery_deadline) + 1000);

    // The options use the chain's clock where it is ahead of the service's.
    await stack.chain.node.setNextBlockTimestamp({
      timestamp: BigInt(Date.parse(before.available_at) / 1000),
    });
    await stack.chain.node.mine({ blocks: 1 });
    const refund = await until(async () => {
      const action = await actionOf(buyer, id, "refund");
      return action.available && action;
    }, "the refund open to anyone");
    expect(refund.who).toBe("anyone");
    await sendCall(buyer.account, refund.call);
    await confirm();
    await statusIs(id, "refunded");
    expect(await get(buyer, `/orders/${id}/receipt`)).toMatchObject({ claim: "refunded", output_hash: null });
  });
});
