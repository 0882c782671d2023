import { setTimeout as sleep } from "node:timers/promises";
import { getAddress } from "viem";
import { localAccounts } from "../../stack/anvil.ts";
import type { Release } from "../../stack/release.ts";
import { judge } from "../checker/judge.ts";
import { type Reading, readScene, type Scene } from "../checker/reading.ts";
import { createRandom } from "../random.ts";
import { drawPlan, type Life, live, meddle, offerService } from "./lives.ts";
import { type Parts, startParts } from "./parts.ts";
import { gatherPeople, minted, type Person } from "./people.ts";
import { startReceiver } from "./receiver.ts";

export type LiveOptions = {
  /** how many orders, placed within how many milliseconds */
  orders: number;
  over: number;
  /** the version that all programs are at first; this one where it is left out */
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
) => Promise<{ wrong: string[]; heals: number }>;

export type LiveResult = {
  wrong: string[];
  /** what the checker knew and what it saw at the end; null where it could not be read */
  scene: Scene;
  reading: Reading | null;
  counts: {
    orders: number;
    /** how many orders ended in each status */
    statuses: Record<string, number>;
    events: number;
    deliveries: number;
    /** what ended by itself while things went wrong */
    endings: string[];
    /** how often the API could not do what it was asked, by status and code */
    refused: Record<string, number>;
    seconds: number;
  };
};

/** How long all of it may take to come to rest after the last fault, in milliseconds. */
const restWithin = 60_000;
/** Seconds that exceed every window, so that all timed actions become available. */
const jump = 3700;
const mostJumps = 8;
const betweenJumps = 2500;

/**
 * Lives one seed on real processes: people trade while things go wrong, then everything is mended, time passes, and the
 * checker looks at what is left.
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
    const people = await gatherPeople(parts, receiver, createRandom(seed, "people"), [
      ...(["buyer", "buyer", "provider", "provider", "arbiter", "stranger"] as const),
    ]);
    const of = (role: Person["role"]) => people.filter((person) => person.role === role);
    const [arbiter, stranger] = [of("arbiter")[0] as Person, of("stranger")[0] as Person];
    const offers = await Promise.all(
      of("provider").map((provider, at) => offerService(provider, `agent-${seed}-${at}`)),
    );
    // Only what is done from here on may be undone.
    await parts.chain.keep();
    const startedAt = new Date(Date.now() - 60_000).toISOString();
    say(`         ready after ${seconds(began)} s`);

    const random = createRandom(seed, "lives");
    const lives = Array.from({ length: options.orders }, (_, at) => {
      const offer = random.pick(offers);
      const { provider } = offer;
      const life: Life = {
        plan: drawPlan(random),
        buyer: random.pick(of("buyer")),
        provider,
        arbiter,
        orderId: null,
      };
      return { life, offer, key: `seed-${seed}-order-${at}`, begins: random.whole(0, options.over * 0.6) };
    });
    const lived = lives.map(async ({ life, offer, key, begins }) => {
      await sleep(begins);
      await live(life, offer, { key, signal: ending.signal });
    });
    const meddled: string[] = [];
    const meddling = (async () => {
      while (!ending.signal.aborted) {
        await sleep(1500);
        const found = await meddle(stranger, random.pick(lives).life, parts.chain, random);
        if (found) meddled.push(found);
      }
    })();
    const { wrong: onTheWay, heals } = await options.course(parts, say);
    receiver.state.isUnreliable = false;
    await passTime(
      parts,
      lives.map(({ life }) => life),
      mostJumps + Math.ceil(heals / betweenJumps),
    );
    ending.abort();
    await Promise.all([...lived, meddling]);
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
        ...{ name, address: account.address, token, secret: endpoint.secret },
        minted: role === "buyer" || role === "stranger" ? minted : 0n,
      })),
      acknowledged: lives.flatMap(({ life }) => life.orderId ?? []),
      unanswered: lives.filter(({ life }) => !life.orderId).length,
      received: receiver.received,
    };
    const { wrong, reading } = await judgeAtRest(scene, people, startedAt, {
      say,
      within: restWithin + heals,
    });
    const statuses: Record<string, number> = {};
    for (const { order } of reading?.orders ?? []) statuses[order.status] = (statuses[order.status] ?? 0) + 1;
    isGood = onTheWay.length + meddled.length + wrong.length === 0;
    return {
      wrong: [...onTheWay, ...meddled, ...wrong],
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

/** Waits until the indexer has the chain and the API says so. */
async function untilReady(parts: Parts): Promise<void> {
  const deadline = Date.now() + restWithin;
  while (Date.now() < deadline) {
    const answer = await fetch(`${parts.apiUrl()}/ready`).catch(() => null);
    if (answer?.ok) return;
    await sleep(100);
  }
  throw new Error(`The API was not ready after ${restWithin / 1000} s.`);
}

/** Lets time pass until every order has come to its end, or nothing more happens by itself. */
async function passTime(parts: Parts, lives: Life[], most: number): Promise<void> {
  for (let jumps = 0; jumps < most; jumps += 1) {
    await sleep(betweenJumps);
    const open = await Promise.all(
      lives.map(async ({ orderId, buyer }) => {
        const answer = orderId ? await buyer.ask("GET", `/orders/${orderId}`) : null;
        const { status } = (answer?.body ?? {}) as { status?: string };
        return orderId !== null && !["released", "refunded", "expired"].includes(status ?? "");
      }),
    );
    if (!open.includes(true)) return;
    await parts.chain.jump(jump);
  }
  await sleep(betweenJumps);
}

/** Asks the checker until it has nothing to say, or time is up. */
export async function judgeAtRest(
  scene: Scene,
  people: Person[],
  since: string,
  { say, within }: { say: LiveOptions["say"]; within: number },
) {
  const deadline = Date.now() + within;
  for (let round = 0; ; round += 1) {
    // As an owner would whose receiver had failed.
    if (round % 5 === 0)
      await Promise.all(
        people.map(({ ask, endpoint }) => ask("POST", `/webhooks/${endpoint.id}/recover`, { since })),
      );
    const reading = await readScene(scene).catch((error: Error) => error);
    const wrong =
      reading instanceof Error ? [`the scene cannot be read: ${reading.message}`] : judge(scene, reading);
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
