import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, expectStatus, publishService, type Session, signIn } from "../harness/api.ts";
import { ask, createMarket, type Market, place } from "../harness/market/market.ts";
import { slow } from "../harness/slow-schemas.ts";

let market: Market;
let trap: string;
let attackers: [Session, Session];
beforeAll(async () => {
  market = await createMarket({ env: { RATE_LIMITS: "credential=100000,account=100000" } });
  attackers = [await signIn(market.api), await signIn(market.api)];
  const owner = await signIn(market.api);
  trap = (await publishService(market.api, owner, { input_schema: slow })).service.id;
});
afterAll(() => market?.api.close());

const spring = (who: Session) =>
  ask(market, who, "POST", "/orders", { service_id: trap, input_payload: { x: 1 } });

test("searches and orders are served as ever while one account runs schemas made to hang", async () => {
  const idle = await measureDelay(async () => {
    for (let round = 0; round < 20; round += 1) await searchAndPlace(round);
  });
  const began = performance.now();
  const attack = Promise.all(
    Array.from({ length: 20 }, async () => {
      const answer = await spring(attackers[0]);
      return { ...answer, after: performance.now() - began };
    }),
  );
  let isOver = false;
  void attack.then(() => {
    isOver = true;
  });
  let others = 0;
  const attacked = await measureDelay(async () => {
    for (; !isOver; others += 1) await searchAndPlace(others);
  });
  // On the request thread each of these checks would take half a second.
  expect(attacked).toBeLessThan(Math.max(150, 5 * idle));
  expect(others).toBeGreaterThan(2);
  const outcomes = Map.groupBy(await attack, ({ status }) => status);
  const hung = outcomes.get(422) ?? [];
  for (const { body } of hung) expect(body.error.details[0].keyword).toBe("timeout");
  // They used up the second that a service has at once: three checks of half a second, or fewer where the
  // machine ends them late.
  expect(Math.max(...hung.map(({ after }) => after))).toBeGreaterThan(1000);
  // The waiting checks are refused as soon as the others have used up the time.
  expect([...(outcomes.get(429) ?? []), ...(outcomes.get(503) ?? [])].length).toBeGreaterThan(2);

  // The used time is not refilled yet. This service is slow for everybody, and no other service is.
  const own = await spring(attackers[0]);
  expect([429, 503]).toContain(own.status);
  expectRefusal(await spring(attackers[1]), 503, "checker_busy");
  expectStatus(
    201,
    await ask(market, attackers[1], "POST", "/orders", {
      service_id: market.service.id,
      input_payload: { text: "Guten Tag" },
    }),
  );
});

/** Places an order in the first twenty rounds only: a buyer who has paid nothing may have fifty orders. */
async function searchAndPlace(round: number): Promise<void> {
  if (round < 20) await place(market);
  expectStatus(200, await market.api.request("GET", "/marketplace/services?q=translate"));
}

/** The delay of this thread's event loop in milliseconds, at the 99th percentile. */
async function measureDelay(work: () => Promise<void>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  delay.disable();
  return delay.percentile(99) / 1e6;
}

function expectRefusal({ status, body, headers }: Answer, expected: number, code: string): void {
  expect([status, body.error.code]).toEqual([expected, code]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
}
