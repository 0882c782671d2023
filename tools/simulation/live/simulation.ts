import { setTimeout as sleep } from "node:timers/promises";
import { getAddress } from "viem";
import { localAccounts } from "../../stack/anvil.ts";
import type { Release } from "../../stack/release.ts";
import { checkScene } from "../checker/check-scene.ts";
import { type Reading, readScene, type Scene } from "../checker/reading.ts";
import { createRandom } from "../random.ts";
import { tryForbiddenActs } from "./forbidden-acts.ts";
import { type Parts, startParts } from "./parts.ts";
import { gatherPeople, type Person, startBalance } from "./people.ts";
import { carryOut, drawPlan, offerService, type PlannedOrder } from "./planned-orders.ts";
import { startReceiver } from "./receiver.ts";

export type LiveOptions = {
  /** the number of orders, and the milliseconds within which they are placed */
  orders: number;
  over: number;
  /** the release of all programs at the start. Default: the present one */
  first?: Release;
  /** The faults of the run, until all parts run again. */
  course: Course;
  say: (line: string) => void;
};

/**
 * The faults of the parts during the trades.
 *
 * @returns the faults, and the milliseconds that the service may take to recover from them
 */
export type Course = (
  parts: Parts,
  say: (line: string) => void,
) => Promise<{ wrong: string[]; recoveryMs: number }>;

export type LiveResult = {
  wrong: string[];
  /** the checker's last input; null if it could not be read */
  scene: Scene;
  reading: Reading | null;
  counts: {
    orders: number;
    /** the number of orders by final status */
    statuses: Record<string, number>;
    events: number;
    deliveries: number;
    /** the programs that ended by themselves during the faults */
    endings: string[];
    /** the number of the API's errors, by status and code */
    refused: Record<string, number>;
    seconds: number;
  };
};

/** Milliseconds after the last fault within which all work must be done. */
const restWithin = 60_000;
/** Milliseconds within which the programs that the faults stopped must serve again. */
const readyWithin = 300_000;
/** Seconds that exceed every window, after which all timed actions are available. */
const jump = 3700;
const mostJumps = 8;
const betweenJumps = 2500;
/** Milliseconds in which a quiet machine starts the programs. A slower one gets more time between jumps. */
const usualStartMs = 10_000;

/**
 * Runs one seed on real processes: people trade while faults happen. Then the faults are undone, time passes, and the
 * checker checks the result.
 */
export async function simulateLive(seed: number, options: LiveOptions): Promise<LiveResult> {
  const { say } = options;
  const began = performance.now();
  const parts = await startParts(createRandom(seed, "parts"), options.first);
  const receiver = await startReceiver(createRandom(seed, "receiver"));
  const ending = new AbortController();
  let isGood = false;
  try {
    const since = await parts.chain.reader.getBlockNumber();
    await Promise.all((["indexer", "api", "worker"] as const).map((name) => parts.program(name).start()));
    await untilReady(parts);
    const pauseMs = betweenJumps * Math.max(1, (performance.now() - began) / usualStartMs);
    const people = await gatherPeople(parts, receiver, createRandom(seed, "people"), [
      ...(["buyer", "buyer", "provider", "provider", "arbiter", "outsider"] as const),
    ]);
    const peopleOf = (role: Person["role"]) => people.filter((person) => person.role === role);
    const [arbiter, outsider] = [peopleOf("arbiter")[0] as Person, peopleOf("outsider")[0] as Person];
    const offers = await Promise.all(
      peopleOf("provider").map((provider, at) => offerService(provider, `agent-${seed}-${at}`)),
    );
    // A reorganisation removes only blocks from here on.
    await parts.chain.keep();
    const startedAt = new Date(Date.now() - 60_000).toISOString();
    say(`         ready after ${seconds(began)} s`);

    const random = createRandom(seed, "orders");
    const planned = Array.from({ length: options.orders }, (_, at) => {
      const offer = random.pick(offers);
      const { provider } = offer;
      const order: PlannedOrder = {
        plan: drawPlan(random),
        buyer: random.pick(peopleOf("buyer")),
        provider,
        arbiter,
        orderId: null,
      };
      return { order, offer, key: `seed-${seed}-order-${at}`, begins: random.whole(0, options.over * 0.6) };
    });
    const carriedOut = planned.map(async ({ order, offer, key, begins }) => {
      await sleep(begins);
      await carryOut(order, offer, { key, signal: ending.signal });
    });
    const succeeded: string[] = [];
    const attacking = (async () => {
      while (!ending.signal.aborted) {
        await sleep(1500);
        const found = await tryForbiddenActs(outsider, random.pick(planned).order, parts.chain, random);
        if (found) succeeded.push(found);
      }
    })();
    const { wrong: duringFaults, recoveryMs } = await options.course(parts, say);
    receiver.state.isUnreliable = false;
    await passTime(
      parts,
      planned.map(({ order }) => order),
      { most: mostJumps + Math.ceil(recoveryMs / pauseMs), pauseMs },
    );
    ending.abort();
    await Promise.all([...carriedOut, attacking]);
    // The pending transactions of the relayer and the wallets are mined and confirmed.
    await sleep(3000);
    say(`         at rest after ${seconds(began)} s`);

    const { manifest, rpcUrl } = parts.chain;
    const scene: Scene = {
      baseUrl: parts.apiUrl(),
      rpcUrl,
      escrowContract: getAddress(manifest.escrow_contract),
      token: getAddress(manifest.token.address),
      relayer: localAccounts.relayer.address,
      confirmations: 2,
      since,
      parties: people.map(({ name, account, token, endpoint, role }) => ({
        name,
        address: account.address,
        token,
        secret: endpoint.secret,
        minted: role === "buyer" || role === "outsider" ? startBalance : 0n,
      })),
      acknowledged: planned.flatMap(({ order }) => order.orderId ?? []),
      unanswered: planned.filter(({ order }) => !order.orderId).length,
      received: receiver.received,
    };
    const { wrong, reading } = await judgeAtRest(scene, people, startedAt, {
      say,
      within: restWithin + recoveryMs,
    });
    const statuses: Record<string, number> = {};
    for (const { order } of reading?.orders ?? []) statuses[order.status] = (statuses[order.status] ?? 0) + 1;
    isGood = duringFaults.length + succeeded.length + wrong.length === 0;
    return {
      wrong: [...duringFaults, ...succeeded, ...wrong],
      scene,
      reading,
      counts: {
        orders: reading?.orders.length ?? 0,
        statuses,
        events: [...(reading?.feeds.values() ?? [])].reduce((sum, feed) => sum + feed.length, 0),
        deliveries: receiver.received.length,
        endings: parts.endings,
        refused: Object.fromEntries(parts.refused),
        seconds: seconds(began),
      },
    };
  } finally {
    ending.abort();
    await receiver.close();
    if (!isGood) say(`         the programs' logs are kept in ${parts.folder}`);
    await parts.stop(!isGood);
  }
}

/** Waits until the API reports that it is ready. */
async function untilReady(parts: Parts): Promise<void> {
  const deadline = Date.now() + readyWithin;
  while (Date.now() < deadline) {
    const answer = await fetch(`${parts.apiUrl()}/ready`).catch(() => null);
    if (answer?.ok) return;
    await sleep(100);
  }
  throw new Error(`The API was not ready after ${readyWithin / 1000} s.`);
}

/** Advances the chain's time until every order has ended, or all windows have passed. */
async function passTime(
  parts: Parts,
  planned: PlannedOrder[],
  { most, pauseMs }: { most: number; pauseMs: number },
): Promise<void> {
  for (let jumps = 0; jumps < most; jumps += 1) {
    await sleep(pauseMs);
    const open = await Promise.all(
      planned.map(async ({ orderId, buyer }) => {
        const answer = orderId ? await buyer.ask("GET", `/orders/${orderId}`) : null;
        const { status } = (answer?.body ?? {}) as { status?: string };
        return orderId !== null && !["released", "refunded", "expired"].includes(status ?? "");
      }),
    );
    if (!open.includes(true)) return;
    await parts.chain.jump(jump);
  }
  await sleep(pauseMs);
}

/** Repeats the check until it finds no fault, or the time is up. */
export async function judgeAtRest(
  scene: Scene,
  people: Person[],
  since: string,
  { say, within }: { say: LiveOptions["say"]; within: number },
) {
  const deadline = Date.now() + within;
  for (let round = 0; ; round += 1) {
    // The owner of a failed receiver requests the failed deliveries again.
    if (round % 5 === 0)
      await Promise.all(
        people.map(({ ask, endpoint }) => ask("POST", `/webhooks/${endpoint.id}/recover`, { since })),
      );
    const reading = await readScene(scene).catch((error: Error) => error);
    const wrong =
      reading instanceof Error
        ? [`the scene cannot be read: ${reading.message}`]
        : checkScene(scene, reading);
    if (wrong.length === 0 || Date.now() > deadline) {
      return { wrong, reading: reading instanceof Error ? null : reading };
    }
    if (round % 5 === 4) say(`         waits for: ${wrong[0]} (and ${wrong.length - 1} more)`);
    await sleep(1500);
  }
}

function seconds(began: number): number {
  return Math.round((performance.now() - began) / 100) / 10;
}
