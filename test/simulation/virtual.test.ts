import { beforeAll, expect, test } from "vitest";
import { prepareVirtual, simulateVirtually } from "../../simulation/virtual/simulation.ts";

let prepared: Awaited<ReturnType<typeof prepareVirtual>>;
beforeAll(async () => {
  prepared = await prepareVirtual();
});

test("the same seed lives the same life", async () => {
  const [one, same, other] = [
    await simulateVirtually(5, prepared),
    await simulateVirtually(5, prepared),
    await simulateVirtually(6, prepared),
  ];
  expect(same).toEqual(one);
  expect(other.reading).not.toEqual(one.reading);
});

test("a call that time opened, failed in a block that left the chain and came again, is no second relay", async () => {
  expect((await simulateVirtually(9395, prepared)).wrong).toEqual([]);
});

test("sixty seeds see every end of an order, splits, and facts that are taken back and come again", async () => {
  const statuses = new Set<string>();
  const seen = new Set<string>();
  for (let seed = 1; seed <= 60; seed += 1) {
    const result = await simulateVirtually(seed, prepared);
    expect(result.wrong, `npm run simulate -- --seed ${seed}`).toEqual([]);
    for (const status of result.statuses) statuses.add(status);
    for (const { trail, receipts } of result.reading.orders) {
      const types = trail.map(({ type }) => type);
      for (const type of types) seen.add(type);
      if (types.includes("order.released") && types.includes("order.refunded")) seen.add("split");
      const isAgain = types.lastIndexOf("order.funded") > types.indexOf("fact.reverted");
      if (types.includes("fact.reverted") && isAgain) seen.add("funded again");
      if (receipts.some(({ revoked }) => revoked)) seen.add("revoked");
    }
    if (result.reading.sent.some(({ succeeded }) => succeeded)) seen.add("relayed");
  }
  expect([...statuses]).toEqual(expect.arrayContaining(["expired", "refunded", "released"]));
  const everything = [
    "delivery.recorded",
    "order.disputed",
    "order.dispute_decided",
    "order.revision_requested",
  ];
  expect([...seen]).toEqual(
    expect.arrayContaining([...everything, "split", "funded again", "revoked", "relayed"]),
  );
});
