import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Ages, randomNumbers, scoreIn, type Trade } from "../../harness/reputation/market.ts";

// The cost of a fake score. docs/reputation.md has the table, which a test compares.

/**
 * The gas of one order, from contracts/gas/Escrow.json, and of the money's return to the next buyer through
 * a third wallet.
 */
const gas = { order: 101_717 + 48_091, wayBack: 2 * 50_000, aging: 2 * 21_000 };
/** Days of use before the first order that count in full. */
const old = 90;

/** The buyers of each agent, in order; the first agent is the one with the score. */
type Ring = {
  name: string;
  agents: number;
  /** Whether the wallets were in use for 90 days before the first order. */
  aged: boolean;
  /** The number of customers of each agent in a week, beyond which the week counts no more. */
  weekly: number;
  /** The number of customers for one more customer of each agent. */
  trades: (customers: number) => Trade[];
};

const agent = (number: number) => number;
const wallet = (number: number) => 1000 + number;
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
/** The day of a customer's arrival, at this many a week. */
const dayOf = (customer: number, weekly: number) => 7 * Math.floor(customer / weekly);

const ofOneAgent = (weekly: number) => (customers: number) =>
  numbers(customers).map((one) => ({ buyer: wallet(one), provider: agent(0), day: dayOf(one, weekly) }));

/** Every customer pays every agent. */
const complete = (agents: number, weekly: number) => (customers: number) =>
  numbers(customers).flatMap((one) =>
    numbers(agents).map((of) => ({ buyer: wallet(one), provider: agent(of), day: dayOf(one, weekly) })),
  );

/** Every wallet pays five agents, and each agent has customers that its neighbours lack. */
const sparse = (agents: number, weekly: number) => (customers: number) =>
  numbers(Math.ceil((customers * agents) / 5)).flatMap((one) =>
    numbers(5).map((next) => ({
      buyer: wallet(one),
      provider: agent((5 * one + 3 * next * (1 + (Math.floor((5 * one) / agents) % 3))) % agents),
      day: dayOf(Math.floor((5 * one) / agents), weekly),
    })),
  );

/** One agent, and four that exist only to be paid a little by its customers and by three others. */
const helped = (weekly: number) => (customers: number) => [
  ...numbers(3).flatMap((one) =>
    helpers.map((provider) => ({ buyer: 900 + one, provider, day: 0, tokens: 1e-6 })),
  ),
  ...numbers(customers).flatMap((one) => {
    const [buyer, day] = [wallet(one), dayOf(one, weekly)];
    return [
      { buyer, provider: agent(0), day },
      ...helpers.map((provider) => ({ buyer, provider, day, tokens: 1e-6 })),
    ];
  }),
];
const helpers = [901, 902, 903, 904].map((number) => number + 50);

const rings: Ring[] = [
  { name: "one agent, new wallets", agents: 1, aged: false, weekly: 100, trades: ofOneAgent(100) },
  { name: "one agent, old wallets", agents: 1, aged: true, weekly: 20, trades: ofOneAgent(20) },
  { name: "one agent with helpers, new wallets", agents: 1, aged: false, weekly: 20, trades: helped(20) },
  { name: "one agent with helpers, old wallets", agents: 1, aged: true, weekly: 4, trades: helped(4) },
  {
    name: "5 agents, each wallet pays all, old wallets",
    agents: 5,
    aged: true,
    weekly: 20,
    trades: complete(5, 20),
  },
  {
    name: "20 agents, each wallet pays 5, new wallets",
    agents: 20,
    aged: false,
    weekly: 20,
    trades: sparse(20, 20),
  },
  {
    name: "20 agents, each wallet pays 5, old wallets",
    agents: 20,
    aged: true,
    weekly: 4,
    trades: sparse(20, 4),
  },
];

function agesOf(ring: Ring, trades: readonly Trade[]): Ages {
  return new Map(trades.map(({ buyer, day }) => [buyer, ring.aged ? -old : day]));
}

function play(ring: Ring, customers: number) {
  const trades = ring.trades(customers);
  const last = trades.reduce((latest, { day }) => Math.max(latest, day), 0);
  const score = scoreIn(trades, agesOf(ring, trades), agent(0), last);
  return { trades, last, score };
}

/** The spending of a ring for each agent until the first has a score, with the fewest customers. */
function costOf(ring: Ring, value: number) {
  let [few, enough] = [0, 1];
  while (play(ring, enough).score.value < value) [few, enough] = [enough, 2 * enough];
  while (enough - few > 1) {
    const middle = Math.floor((few + enough) / 2);
    if (play(ring, middle).score.value < value) few = middle;
    else enough = middle;
  }
  const { trades, last } = play(ring, enough);
  const wallets = new Set(trades.map(({ buyer }) => buyer)).size;
  const share = (of: number) => Math.ceil(of / ring.agents);
  return {
    orders: share(trades.length),
    wallets: share(wallets),
    days: last + 1 + (ring.aged ? old : 0),
    gas: share(trades.length * (gas.order + gas.wayBack) + wallets * (ring.aged ? gas.aging : 0)),
  };
}

const row = (ring: Ring) => {
  const costs = [500, 800, 900].map((value) => ({ value, ...costOf(ring, value) }));
  const cells = [
    costs.map(({ orders }) => orders),
    costs.map(({ wallets }) => wallets),
    costs.map(({ days }) => days),
    costs.map(({ gas }) => (gas / 1e6).toFixed(1)),
    costs.map(({ orders, value }) => (orders / value).toFixed(2)),
  ];
  return `| ${[ring.name, ...cells.map((values) => values.join(" / "))].join(" | ")} |`;
};

test("the page on reputation states what each ring pays for 500, 800 and 900 points", () => {
  const page = readFileSync(new URL("../../../docs/reputation.md", import.meta.url), "utf8");
  for (const ring of rings) expect(page).toContain(row(ring));
});

/** Buyers who are no customers of agent 0, so that its neighbours have other customers too. */
const neighbours = numbers(40).flatMap((one): Trade[] =>
  numbers(3).map((other) => ({ buyer: 4000 + one, provider: agent(1 + ((one + other) % 9)), day: 0 })),
);

/** Half a year of an honest market: 20 providers, 300 buyers of any age, one order in thirty fails. */
function honestMarket() {
  const random = randomNumbers(22);
  const ages = new Map(numbers(300).map((one) => [wallet(one), Math.floor(random() * 600) - 400]));
  const trades = numbers(1500).map((): Trade => {
    const buyer = wallet(Math.floor(random() * 300));
    const day = Math.max(Math.floor(random() * 182), ages.get(buyer) ?? 0);
    const tokens = 1 + Math.floor(random() * 40);
    const failed = random() < 1 / 30;
    const ended = failed ? ({ ended: "refunded", delivered: null, settled: day + 2 } as const) : {};
    return { buyer, provider: agent(Math.floor(random() * 20)), day, tokens, ...ended };
  });
  const values = numbers(20)
    .map((of) => ({ of, value: scoreIn(trades, ages, agent(of), 182).value }))
    .sort((a, b) => a.value - b.value);
  return { trades, ages, values };
}

describe("beside an honest market", () => {
  const { trades, ages, values } = honestMarket();
  const median = values[10] ?? { of: 0, value: 0 };
  const own = trades.filter(({ provider }) => provider === agent(median.of));
  const tokens = own.reduce((sum, trade) => sum + (trade.tokens ?? 0), 0) / own.length;
  /** A ring with as many orders as the honest agent, for as much money. */
  const spendAsMuch = (ring: Ring) => {
    const customers = numbers(own.length).findLast((count) => ring.trades(count).length <= own.length) ?? 0;
    const orders = ring.trades(customers).map((trade) => ({ tokens, ...trade }));
    return scoreIn(orders, agesOf(ring, orders), agent(0), 182).value;
  };

  test.each(rings)("an honest agent ranks above a ring of the same spending: $name", (ring) => {
    expect(median.value).toBeGreaterThan(800);
    expect(spendAsMuch(ring)).toBeLessThan(median.value);
  });

  test("a ring that spends as much on each agent, from old and busy wallets, is not detected", () => {
    const ring = rings.find(({ agents, aged }) => agents === 20 && aged);
    const orders = ring?.trades(own.length).map((trade) => ({ tokens, ...trade })) ?? [];
    const value = ring ? scoreIn(orders, agesOf(ring, orders), agent(0), 182).value : 0;
    expect(value).toBeGreaterThan(median.value);
    expect(scoreIn(trades, ages, agent(median.of), 182).upper).toBeGreaterThan(value);
  });
});

describe("an honest agent attacked by a rival's 500 new wallets", () => {
  const random = randomNumbers(3);
  const ages = new Map(numbers(60).map((one) => [wallet(one), -Math.floor(random() * 300)]));
  const honest = numbers(60).flatMap((one): Trade[] => [
    { buyer: wallet(one), provider: agent(0), day: 3 * one },
    ...numbers(3).map((other) => ({
      buyer: wallet(one),
      provider: agent(1 + ((one + other) % 9)),
      day: 3 * one,
    })),
  ]);
  const trades = [...neighbours, ...honest];
  const scoreAfter = (slander: Partial<Trade>) => {
    const orders = numbers(500).map(
      (one): Trade => ({ buyer: 5000 + one, provider: agent(0), day: 178, tokens: 1, ...slander }),
    );
    return scoreIn([...trades, ...orders], ages, agent(0), 182).value;
  };
  const before = scoreIn(trades, ages, agent(0), 182).value;

  test("loses nothing where it declines their orders", () => {
    expect(scoreAfter({ ended: "declined", delivered: null })).toBe(before);
  });

  test("loses nothing where they dispute at once, so that it cannot decline, and no decision comes", () => {
    expect(scoreAfter({ ended: "refunded", dispute: "lapsed", delivered: null, settled: 180 })).toBe(before);
  });

  test("loses nothing where they release before it delivers", () => {
    expect(scoreAfter({ delivered: null })).toBeGreaterThanOrEqual(before);
  });

  test("loses nothing where it delivers and wins the disputes", () => {
    expect(scoreAfter({ dispute: "provider" })).toBeGreaterThanOrEqual(before);
  });

  test("loses nearly all where it takes their orders and delivers nothing", () => {
    expect(scoreAfter({ ended: "refunded", delivered: null, settled: 180 })).toBeLessThan(before / 3);
  });
});

describe("an agent that works well for ten weeks, and then cheats", () => {
  const buyers = numbers(40);
  const ages = new Map(buyers.map((one) => [wallet(one), -old]));
  const honest = buyers.flatMap((one): Trade[] => [
    { buyer: wallet(one), provider: agent(0), day: 7 * Math.floor(one / 4) },
    ...numbers(4).map((other) => ({ buyer: wallet(one), provider: agent(1 + ((one + other) % 9)), day: 0 })),
  ]);
  const trades = [...neighbours, ...honest];
  const cheating = (victims: number, tokens = 64) => {
    const orders = numbers(victims).map(
      (one): Trade => ({
        buyer: 5000 + one,
        provider: agent(0),
        day: 70,
        tokens,
        ended: "refunded",
        delivered: null,
        settled: 72,
      }),
    );
    return [...trades, ...orders];
  };
  const value = (all: Trade[], day = 74) => scoreIn(all, ages, agent(0), day).value;

  test("falls with its first victims, although their wallets are new", () => {
    expect([0, 1, 5, 10, 20, 40].map((victims) => value(cheating(victims)))).toEqual([
      931, 890, 775, 675, 541, 389,
    ]);
  });

  test("cannot hide them behind many customers that it buys then", () => {
    const crowd = numbers(3000).map((one): Trade => ({ buyer: 9000 + one, provider: agent(0), day: 80 }));
    const [cheated, hidden] = [value(cheating(10), 87), value([...cheating(10), ...crowd], 87)];
    expect(hidden - cheated).toBeLessThan(50);
  });

  test("hides ten only behind 1,000 new wallets of the same week, bought before the victims are known", () => {
    const crowd = numbers(1000).map((one): Trade => ({ buyer: 9000 + one, provider: agent(0), day: 71 }));
    expect([value(cheating(10)), value([...cheating(10), ...crowd])]).toEqual([675, 899]);
  });

  test("gains nothing by a new name, whose score begins at zero", () => {
    expect(value(trades.filter(({ provider }) => provider !== agent(0)))).toBe(0);
  });
});
