import { sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import { parseEther, parseGwei } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { relay, relayer } from "../../../db/schema.ts";
import { inTransaction } from "../../../db/transaction.ts";
import { queueRelay } from "../../../trade/relay/relay-queue.ts";
import { createTestApi, type TestApi } from "../../harness/api.ts";

let api: TestApi;
const address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const ofWallet = `{chain_id="31337",address="${address}"}`;

beforeAll(async () => {
  api = await createTestApi({
    env: { RELAYER_LOW_BALANCE_31337: "0.5", MAX_FEE_GWEI_31337: "7.5" },
  });
});
afterAll(() => api.close());

/** The samples of a scrape, by name and labels. */
async function scrape(): Promise<Map<string, number>> {
  const text = await api.metrics();
  const families = new Map<string, string>();
  const samples = new Map<string, number>();
  for (const line of text.trimEnd().split("\n")) {
    const type = /^# TYPE ([a-z_]+) (gauge|counter)$/.exec(line);
    if (type) families.set(`${type[1]}`, `${type[2]}`);
    if (line === "" || line.startsWith("#")) continue;
    const sample = /^([a-z_]+)(\{[^}]*\})? (\S+)$/.exec(line);
    if (!sample) throw new Error(`This is no sample: ${line}`);
    expect(families.get(`${sample[1]}`)).toBe(sample[1]?.endsWith("_total") ? "counter" : "gauge");
    samples.set(`${sample[1]}${sample[2] ?? ""}`, Number(sample[3]));
  }
  return samples;
}

describe("GET /metrics/earnest", () => {
  test("has an empty queue, and no wallet, before a worker ran", async () => {
    const samples = await scrape();
    expect(samples.get('earnest_relays{chain_id="31337",status="queued"}')).toBe(0);
    expect(samples.get('earnest_relays_oldest_age_seconds{chain_id="31337",status="signed"}')).toBe(0);
    expect([...samples.keys()].filter((name) => name.startsWith("earnest_relayer_"))).toEqual([]);
  });

  test("has the wallet's balance and threshold, gas and its ceiling, the queue and the work done", async () => {
    await api.db.insert(relayer).values({
      chainId: 31_337,
      address,
      balance: parseEther("0.25"),
      gasPrice: parseGwei("9"),
      waiting: "gas_price",
      waitingSince: new Date(),
      seenAt: new Date("2026-11-21T12:00:00Z"),
      mined: 5,
      failed: 4,
      bumped: 3,
      overtaken: 2,
    });
    const call = { chainId: 31_337, orderId: null, to: address, data: "0x", gasBound: 400_000 } as const;
    for (const key of [typeid("a").toString(), typeid("b").toString()]) {
      await inTransaction(api.db, (tx) => queueRelay(tx, { ...call, key }));
    }
    await api.db.update(relay).set({ queuedAt: sql`now() - interval '90 seconds'` });
    const samples = await scrape();
    const values = Object.fromEntries(
      [
        "balance_ether",
        "balance_low",
        "gas_price_gwei",
        "gas_price_ceiling_gwei",
        "waiting_for_balance",
        "waiting_for_gas_price",
        "seen_timestamp_seconds",
        "mined_total",
        "failed_total",
        "raised_total",
        "overtaken_total",
      ].map((name) => [name, samples.get(`earnest_relayer_${name}${ofWallet}`)]),
    );
    expect(values).toEqual({
      balance_ether: 0.25,
      balance_low: 1,
      gas_price_gwei: 9,
      gas_price_ceiling_gwei: 7.5,
      waiting_for_balance: 0,
      waiting_for_gas_price: 1,
      seen_timestamp_seconds: Date.parse("2026-11-21T12:00:00Z") / 1000,
      mined_total: 5,
      failed_total: 4,
      raised_total: 3,
      overtaken_total: 2,
    });
    expect(samples.get('earnest_relays{chain_id="31337",status="queued"}')).toBe(2);
    const age = samples.get('earnest_relays_oldest_age_seconds{chain_id="31337",status="queued"}') ?? 0;
    expect(age).toBeGreaterThanOrEqual(90);
    expect(age).toBeLessThan(150);
    await api.db.update(relayer).set({ balance: parseEther("0.5") });
    expect((await scrape()).get(`earnest_relayer_balance_low${ofWallet}`)).toBe(0);
  });
});
