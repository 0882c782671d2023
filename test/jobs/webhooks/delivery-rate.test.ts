import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { webhookHost } from "../../../db/schema.ts";
import { createAddresses } from "../../../jobs/fairness/address-concurrency.ts";
import { accountBurst, usualPace } from "../../../jobs/webhooks/delivery-rate.ts";
import { answers, type DeliverBench, startDeliverBench } from "../../harness/jobs/deliveries.ts";
import { until } from "../../harness/jobs/ledger.ts";
import { createAuthority, startReceiver } from "../../harness/outbound/receiver.ts";

let bench: DeliverBench;
beforeEach(async () => {
  bench = await startDeliverBench();
});
afterEach(() => bench?.close());

const knowHost = () =>
  bench.db
    .insert(webhookHost)
    .values({ host: "localhost", acknowledgedAt: new Date(), busyUntil: new Date(0) });
/** An account with endpoints at one host, each with waiting events. */
async function addSender(
  endpoints: number,
  events: number,
  {
    proven = false,
    react = answers(404),
  }: { proven?: boolean; react?: Parameters<DeliverBench["addEndpoint"]>[1] } = {},
) {
  const accountId = await bench.addAccount();
  const paths: string[] = [];
  for (let number = 0; number < endpoints; number++) {
    const fields = { accountId, acknowledgedAt: proven ? new Date() : null };
    paths.push((await bench.addEndpoint(fields, react)).path);
  }
  await bench.tell(events, undefined, undefined, accountId);
  return { accountId, received: () => bench.receiver.received.filter(({ path }) => paths.includes(path)) };
}

test("a host that never acknowledged a delivery gets one at a time, seconds apart, however many accounts name it", async () => {
  let atOnce = 0;
  let most = 0;
  const react = (response: Parameters<ReturnType<typeof answers>>[0]) => {
    most = Math.max(most, ++atOnce);
    setTimeout(() => {
      atOnce -= 1;
      response.writeHead(404).end();
    }, 100);
  };
  const senders = await Promise.all([1, 2, 3].map(() => addSender(10, 5, { react })));
  bench.startDeliverer({ pace: { ...usualPace, trialSeconds: 0.5 } });
  await until(async () => bench.receiver.received.length >= 4, "four tries");
  const times = bench.receiver.received.map(({ at }) => at);
  times.slice(1).forEach((at, index) => {
    expect(at - (times[index] ?? 0)).toBeGreaterThan(500);
  });
  expect(most).toBe(1);
  // Each account has its turn before any has its second.
  for (const { received } of senders) expect(received().length).toBeGreaterThan(0);
});

test("an endpoint that acknowledges its first delivery gets the others at once, without an act of its owner", async () => {
  const { received } = await addSender(1, 30, { react: answers(204) });
  // A delivery that waited for one more turn would not arrive here.
  bench.startDeliverer({ pace: { ...usualPace, trialSeconds: 600 } });
  await until(async () => received().length >= 30, "all of them");
});

test("deliveries to a busy unproven address are sent as soon as it acknowledges one", async () => {
  await knowHost();
  const { received } = await addSender(5, 4, { proven: true, react: answers(204) });
  // A returned delivery would not be due here before ten minutes.
  bench.startDeliverer({
    timeoutSeconds: 2400,
    busyMs: 600_000,
    pace: { hostPerSecond: 1000, accountPerSecond: 1000, trialSeconds: 60 },
  });
  await until(async () => received().length >= 20, "all of them");
});

test("deliveries to a busy address that acknowledges nothing are returned, and the address gets no more", async () => {
  await knowHost();
  const { received } = await addSender(5, 4, { proven: true, react: bench.receiver.hang });
  bench.startDeliverer({
    timeoutSeconds: 2,
    pace: { hostPerSecond: 1000, accountPerSecond: 1000, trialSeconds: 60 },
  });
  await until(async () => {
    const { rows } = await bench.db.execute(sql`
      select from earnest.webhook_delivery where status = 'pending' and lease_owner is null and next_attempt_at > now()`);
    return rows.length > 0;
  }, "one that is given back");
  expect(received().length).toBe(4);
});

test("ten events for fifty endpoints do not become hundreds of requests at a host", async () => {
  await knowHost();
  const { received } = await addSender(50, 10, { proven: true, react: answers(200) });
  const began = performance.now();
  bench.startDeliverer({ pace: usualPace });
  await until(async () => received().length >= 100, "what an account may send at once");
  await sleep(1500);
  // A burst, and the requests that the elapsed seconds allow: more on a busy machine.
  const count = received().length;
  const seconds = accountBurst + (performance.now() - began) / 1000;
  expect(count).toBeLessThanOrEqual(seconds * usualPace.accountPerSecond);
});

test("on a shared host a quiet account's events arrive while others send many, to good endpoints and bad ones", async () => {
  await knowHost();
  await Promise.all([
    addSender(20, 20, { proven: true, react: answers(200) }),
    addSender(20, 20, { proven: true, react: bench.receiver.hang }),
    addSender(20, 20, { react: answers(500) }),
    addSender(20, 20, { react: bench.receiver.hang }),
  ]);
  bench.startDeliverer({ pace: { ...usualPace, hostPerSecond: 40 } });
  await until(async () => bench.receiver.received.length >= 40, "a flood");
  const known = await addSender(1, 3, { proven: true, react: answers(200) });
  const fresh = await addSender(1, 1, { react: answers(200) });
  const began = performance.now();
  await until(
    async () => known.received().length === 3 && fresh.received().length === 1,
    "the quiet ones' events",
  );
  expect(performance.now() - began).toBeLessThan(30_000);
});

test("many names of one machine that acknowledges nothing get one request at a time", async () => {
  const authority = await createAuthority();
  let atOnce = 0;
  let most = 0;
  let count = 0;
  const receiver = await startReceiver(await authority.issue(["*.example.org"]), (_request, response) => {
    most = Math.max(most, ++atOnce);
    count += 1;
    setTimeout(() => {
      atOnce -= 1;
      response.writeHead(404).end();
    }, 100);
  });
  try {
    for (let number = 0; number < 20; number++) {
      await bench.addEndpoint({
        url: `https://h${number}.example.org:${receiver.port}/`,
        acknowledgedAt: null,
      });
    }
    await bench.tell();
    bench.startDeliverer({
      pace: { hostPerSecond: 1000, accountPerSecond: 1000, trialSeconds: 0.3 },
      send: {
        ca: authority.ca,
        policy: { allowsLocalhost: false, publicAddresses: ["127.0.0.1"] },
        lookup: async () => ["127.0.0.1"],
      },
    });
    await until(async () => count >= 3, "three requests");
    expect(most).toBe(1);
  } finally {
    await receiver.close();
  }
});

test("a new address has few slots, of which unproven ones have one, and many once it acknowledged a delivery", async () => {
  const [one, other] = ["198.51.100.1", "198.51.100.2"];
  const addresses = createAddresses({ holdMs: 50 });
  const take = (wanted: string[], isTrial: boolean) => addresses.slotsOf({ isTrial }).admit(wanted);
  const first = addresses.slotsOf({ isTrial: true });
  expect(first.admit([one, other])).toEqual([one, other]);
  expect(take([one, other], true)).toEqual([]);
  expect([1, 2, 3, 4].map(() => take([one], false).length)).toEqual([1, 1, 1, 0]);
  first.leave(one);
  // The other endpoint acknowledged nothing, whatever its neighbour did.
  expect(take([one, other], true)).toEqual([one]);
  expect(take([one, other], true)).toEqual([one]);
  await until(async () => take([other], true).length === 1, "the end of its rest");
});
