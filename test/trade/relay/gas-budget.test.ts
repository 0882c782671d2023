import { eq, sql } from "drizzle-orm";
import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { account, relay } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { gasBounds } from "../../../trade/relay/gas-bounds.ts";
import { BudgetSpentError, gasOfRefusal, readGasOfHour } from "../../../trade/relay/gas-budget.ts";
import { type NewRelay, queueRelay } from "../../../trade/relay/relay-queue.ts";
import { type Answer, expectStatus, signIn } from "../../harness/api.ts";
import {
  ask,
  createMarket,
  expectRefusal,
  type Market,
  placeDelivered,
  randomHash,
} from "../../harness/market/market.ts";

const perHour = 4;
const gasBound = gasBounds.signedAct;
/** The number of calls that may be in flight. */
const gasPerHour = perHour * gasBound;
let market: Market;

beforeAll(async () => {
  market = await createMarket({
    env: { RELAY_GAS_PER_HOUR: String(gasPerHour), MIN_RELAY_AMOUNT_31337: "2.5" },
  });
});
afterAll(() => market.api.close());

const address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

async function queue(accountId: string, key: string = randomHash(), of: Partial<NewRelay> = {}) {
  const call = {
    key,
    chainId: 31_337,
    orderId: null,
    to: address,
    data: "0x",
    gasBound,
    accountId,
  } as const;
  return inTransaction(market.api.db, (tx) => queueRelay(tx, { ...call, ...of }, { gasPerHour }));
}

/** Ends a relay as the relayer does. */
const end = (id: string, status: "mined" | "failed", gasCharged: number) =>
  market.api.db.update(relay).set({ status, gasCharged }).where(eq(relay.id, id));

/** The number of accepted requests; the others were refused for the budget. */
async function countAccepted(requests: Promise<unknown>[]): Promise<number> {
  const outcomes = await Promise.allSettled(requests);
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") expect(outcome.reason).toBeInstanceOf(BudgetSpentError);
  }
  return outcomes.filter(({ status }) => status === "fulfilled").length;
}

const relaysOf = (accountId: string) =>
  market.api.db.select().from(relay).where(eq(relay.accountId, accountId));

describe("an account's budget", () => {
  test("accepts exactly its number when three times as many race, and touches no other budget", async () => {
    const [one, other] = [await signIn(market.api), await signIn(market.api)];
    const requests = Array.from({ length: 3 * perHour }, () => queue(one.accountId));
    expect(await countAccepted([...requests, queue(other.accountId)])).toBe(perHour + 1);
    expect(await relaysOf(one.accountId)).toHaveLength(perHour);
    expect(await relaysOf(other.accountId)).toHaveLength(1);
  });

  test("does not count a repeated key, which is answered even when nothing is left", async () => {
    const { accountId } = await signIn(market.api);
    const key = randomHash();
    const first = await queue(accountId, key);
    const again = await Promise.all(Array.from({ length: 5 }, () => queue(accountId, key)));
    expect(new Set(again.map(({ id }) => id))).toEqual(new Set([first.id]));
    for (let index = 1; index < perHour; index += 1) await queue(accountId);
    await expect(queue(accountId)).rejects.toBeInstanceOf(BudgetSpentError);
    expect((await queue(accountId, key)).id).toBe(first.id);
  });

  test("counts a failed relay each time it starts again", async () => {
    const { accountId } = await signIn(market.api);
    const key = randomHash();
    for (let index = 0; index < perHour; index += 1) {
      const { id, status } = await queue(accountId, key);
      expect(status).toBe("queued");
      await end(id, "failed", gasBound);
    }
    await expect(queue(accountId, key)).rejects.toBeInstanceOf(BudgetSpentError);
  });

  test("counts the gas of a finished call, and for an unfinished one its maximum, for half a minute", async () => {
    const { accountId } = await signIn(market.api);
    const ids = [];
    for (let index = 0; index < perHour; index += 1) ids.push((await queue(accountId)).id);
    const refusal = await queue(accountId).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ budget: "account", retryAfter: 30 });
    await end(ids[0] as string, "mined", gasBound - 1);
    await expect(queue(accountId)).rejects.toBeInstanceOf(BudgetSpentError);
    await end(ids[1] as string, "mined", 50_000);
    await end(ids[2] as string, "failed", gasOfRefusal);
    expect(await countAccepted([queue(accountId), queue(accountId)])).toBe(1);
  });

  test("refills as relays become an hour old, and says when", async () => {
    const { accountId } = await signIn(market.api);
    for (let index = 0; index < perHour; index += 1) {
      const { id } = await queue(accountId);
      const queuedAt = sql`now() - make_interval(mins => ${50 - 10 * index})`;
      await market.api.db
        .update(relay)
        .set({ queuedAt, status: "mined", gasCharged: gasBound })
        .where(eq(relay.id, id));
    }
    const refusal = await queue(accountId).catch((error: unknown) => error);
    expect((refusal as BudgetSpentError).retryAfter).toBeGreaterThan(590);
    expect((refusal as BudgetSpentError).retryAfter).toBeLessThanOrEqual(600);
    const [oldest] = await relaysOf(accountId);
    await market.api.db
      .update(relay)
      .set({ queuedAt: sql`now() - interval '61 minutes'` })
      .where(eq(relay.id, oldest?.id ?? ""));
    expect(await countAccepted([queue(accountId), queue(accountId)])).toBe(1);
  });
});

describe("POST /orders/{id}/delivery-record", () => {
  async function record(placed: { id: string }): Promise<() => Promise<Answer>> {
    const path = `/orders/${placed.id}/delivery-record`;
    const { typed_data } = expectStatus(200, await ask(market, market.provider, "GET", path));
    const signature: Hex = await market.provider.account.signTypedData(typed_data);
    return () => ask(market, market.provider, "POST", path, { signature });
  }

  test("is 429 with Retry-After when the account's gas of the hour is used up, and queues nothing", async () => {
    const sends = [];
    for (let index = 0; index <= perHour; index += 1) sends.push(await record(await placeDelivered(market)));
    const last = sends.pop() as () => Promise<Answer>;
    for (const send of sends) expectStatus(202, await send());
    await expectRefusal(market, last, 429, "rate_limited", "used up for this hour");
    expect((await last()).headers.get("retry-after")).toBe("30");
    const ended = { status: "mined" as const, gasCharged: gasBound };
    await market.api.db.update(relay).set(ended).where(eq(relay.accountId, market.provider.accountId));
    const refused = await last();
    const retryAfter = Number(refused.headers.get("retry-after"));
    expect(retryAfter).toBeGreaterThan(3500);
    expect(retryAfter).toBeLessThanOrEqual(3600);
    // A relay that was accepted earlier gets its answer.
    expectStatus(202, await (sends[0] as () => Promise<Answer>)());
    const mine = await relaysOf(market.provider.accountId);
    expect(mine).toHaveLength(perHour);
    await market.api.db
      .update(relay)
      .set({ queuedAt: sql`now() - interval '2 hours'` })
      .where(eq(relay.accountId, market.provider.accountId));
    expectStatus(202, await last());
  });

  test("is 429 for everybody once the gas of all accounts is used up, which the metrics show", async () => {
    const send = await record(await placeDelivered(market));
    const { relay_gas_per_hour } = market.chain;
    await market.api.db.update(relay).set({ accountId: market.outsider.accountId, forFunded: true });
    const { funded, unfunded } = await readGasOfHour(market.api.db, 31_337);
    expect(unfunded).toBe(0);
    const ceiling = funded + gasBound - 1;
    market.chain.relay_gas_per_hour = ceiling;
    try {
      await expectRefusal(market, send, 429, "rate_limited", "on this chain is used up");
      const metrics = await market.api.metrics();
      const of = (orders: string) => `{chain_id="31337",orders="${orders}"}`;
      expect(metrics).toContain(`earnest_relay_gas_of_hour${of("funded")} ${funded}\n`);
      expect(metrics).toContain(`earnest_relay_gas_of_hour_ceiling${of("funded")} ${ceiling}\n`);
      expect(metrics).toContain(
        `earnest_relay_gas_of_hour_ceiling${of("unfunded")} ${Math.ceil(ceiling / 2)}\n`,
      );
      market.chain.relay_gas_per_hour = ceiling + 1;
      expectStatus(202, await send());
    } finally {
      market.chain.relay_gas_per_hour = relay_gas_per_hour;
    }
  });

  test("is served while accounts without a funded order use up their share, and those are refused", async () => {
    const send = await record(await placeDelivered(market));
    const { relay_gas_per_hour } = market.chain;
    await market.api.db.update(relay).set({ accountId: market.outsider.accountId, forFunded: false });
    const { unfunded } = await readGasOfHour(market.api.db, 31_337);
    market.chain.relay_gas_per_hour = 2 * unfunded;
    try {
      const other = await signIn(market.api);
      const budget = { gasPerHour, gasPerHourOfAll: market.chain.relay_gas_per_hour };
      const call = { key: randomHash(), chainId: 31_337, orderId: null, to: address, data: "0x" } as const;
      const queued = inTransaction(market.api.db, (tx) =>
        queueRelay(tx, { ...call, gasBound, accountId: other.accountId }, budget),
      );
      await expect(queued).rejects.toMatchObject({ budget: "unfunded" });
      expectStatus(202, await send());
    } finally {
      market.chain.relay_gas_per_hour = relay_gas_per_hour;
    }
  });

  test("limits accounts of one network to a quarter of the gas for unfunded orders; others are served", async () => {
    const { db } = market.api;
    const [crowd, near, elsewhere] = [
      await signIn(market.api),
      await signIn(market.api),
      await signIn(market.api),
    ];
    const from = (who: { accountId: string }, network: string | null) =>
      db.update(account).set({ network }).where(eq(account.id, who.accountId));
    await from(crowd, "198.51.100.0/24");
    await from(near, "198.51.100.0/24");
    await from(elsewhere, "203.0.113.0/24");
    await db.update(relay).set({ accountId: crowd.accountId, forFunded: false });
    const { unfunded } = await readGasOfHour(db, 31_337);
    const budget = { gasPerHour: gasBound, gasPerHourOfAll: 8 * unfunded };
    const queue = ({ accountId }: { accountId: string }, forFunded = false) => {
      const call = { key: randomHash(), chainId: 31_337, orderId: null, to: address, data: "0x" } as const;
      return inTransaction(db, (tx) => queueRelay(tx, { ...call, gasBound, accountId, forFunded }, budget));
    };
    await expect(queue(near)).rejects.toMatchObject({ budget: "network" });
    expect((await queue(near, true)).status).toBe("queued");
    expect((await queue(elsewhere)).status).toBe("queued");
  });

  test("is 429 for a wallet whose call reverted within the hour, and not for another wallet", async () => {
    const [spoilt, other] = [await placeDelivered(market), await placeDelivered(market)];
    const sends = [await record(spoilt), await record(other)] as const;
    expectStatus(202, await sends[0]());
    await market.api.db
      .update(relay)
      .set({ status: "failed", revertedAt: sql`now()` })
      .where(eq(relay.orderId, spoilt.id));
    for (const send of sends) {
      await expectRefusal(market, send, 429, "rate_limited", /reverted.*wallet of your own/);
      const retryAfter = Number((await send()).headers.get("retry-after"));
      expect(retryAfter).toBeGreaterThan(3500);
    }
    await market.api.db.update(relay).set({ signer: address }).where(eq(relay.orderId, spoilt.id));
    await expectRefusal(market, sends[0], 429, "rate_limited", "that you requested for this order");
    expectStatus(202, await sends[1]());
  });

  test("is 409 for an order that is too small for the service to pay its gas", async () => {
    const { min_relay_amount } = market.chain;
    expect(min_relay_amount).toBe(2_500_000n);
    market.chain.min_relay_amount = 2_500_001n;
    try {
      const send = await record(await placeDelivered(market));
      await expectRefusal(market, send, 409, "invalid_state", /2\.500001 TUSD and more/);
    } finally {
      market.chain.min_relay_amount = min_relay_amount;
    }
  });
});
