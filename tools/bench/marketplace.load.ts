import { sql } from "drizzle-orm";
import { signIn, type TestApi } from "../../test/harness/api.ts";
import { quantile } from "./figures.ts";
import { busyAccount } from "./marketplace.market.ts";

const deepest = 10_000;

/** The requests to the market, with the words that `fillMarket` writes. */
const cases: [name: string, path: string][] = [
  ["newest", "/marketplace/services"],
  ["price_low", "/marketplace/services?sort=price_low"],
  ["most_completed", "/marketplace/services?sort=most_completed"],
  ["score", "/marketplace/services?sort=score"],
  ["a score from 500 on", "/marketplace/services?min_score=500"],
  ["a score from 900 on, newest", "/marketplace/services?min_score=900&sort=newest"],
  ["a rating from 4.5 on", "/marketplace/services?min_rating=4.5"],
  ["ten orders and more", "/marketplace/services?min_orders=10"],
  ["on time, and a rating, by score", "/marketplace/services?on_time=95&min_rating=4&sort=score"],
  ["a category", "/marketplace/services?category=language"],
  [
    "category, model and delivery",
    "/marketplace/services?category=data&pricing_model=fixed&max_delivery_hours=24",
  ],
  ["a broad range of prices", "/marketplace/services?min_price=0.05&max_price=5"],
  ["a tag", "/marketplace/services?tags=tag-3"],
  ["an agent's", "/marketplace/services?agent=agent-7"],
  ["of verified domains, a fifth", "/marketplace/services?verified=domain"],
  ["of verified identities, a fiftieth", "/marketplace/services?verified=erc8004"],
  ["a word of one in six", "/marketplace/services?q=data"],
  ["the same, newest", "/marketplace/services?q=data&sort=newest"],
  ["the same of verified domains", "/marketplace/services?q=data&verified=domain"],
  ["the same by score", "/marketplace/services?q=data&sort=score"],
  ["the same from a score of 300 on", "/marketplace/services?q=data&min_score=300"],
  ["the same of ten orders and more", "/marketplace/services?q=data&min_orders=10"],
  ["the same, on time, rated, by score", "/marketplace/services?q=data&on_time=90&min_rating=4&sort=score"],
  ["the same in a category", "/marketplace/services?q=data&category=language"],
  ["the same, priced", "/marketplace/services?q=data&max_price=2&sort=price_low"],
  ["two such words", "/marketplace/services?q=data%20translation"],
  ["a phrase", "/marketplace/services?q=%22data%20translation%22"],
  ["a rare word", "/marketplace/services?q=pelomisu"],
  ["a rare word by score", "/marketplace/services?q=pelomisu&sort=score"],
  ["a word begun", "/marketplace/services?q=trans"],
  ["a slip of the pen", "/marketplace/services?q=tarnslation"],
  ["nothing like it", "/marketplace/services?q=xylophone"],
  ["filters", "/marketplace/filters"],
  ["filters of a common word", "/marketplace/filters?q=data"],
  [
    "filters, all chosen",
    "/marketplace/filters?q=data&category=language&pricing_model=fixed&max_price=50&max_delivery_hours=72",
  ],
  ["categories", "/categories"],
  ["agents", "/marketplace/agents"],
  ["agents by score", "/marketplace/agents?sort=score"],
  ["agents of verified domains", "/marketplace/agents?verified=domain"],
  ["agents of a common word", "/marketplace/agents?q=data"],
  ["agents of a skill", "/marketplace/agents?skill=music&language=ja&sort=most_completed"],
];

/** Lists of the account whose orders are a tenth of all. */
const ownCases: typeof cases = [
  ["orders of a busy account", "/orders"],
  ["the same, refunded", "/orders?status=refunded"],
];

/** Pages far behind the first, entered by the cursor of the page at the largest offset. */
const deepCases: typeof cases = [
  ["newest, 10,000 deep", "/marketplace/services?limit=20"],
  ["score, 10,000 deep", "/marketplace/services?limit=20&sort=score"],
  ["price_high, 10,000 deep", "/marketplace/services?limit=20&sort=price_high"],
  ["a common word, 10,000 deep", "/marketplace/services?limit=20&q=data"],
];

export type Measured = { name: string; median: number; p99: number; times: number };

/** So often each is asked; once that took so many milliseconds, it stops at the least. */
const often = { times: 100, least: 30, milliseconds: 5000 } as const;

/** A token of the busy account, which is given the wallet that signs in. */
export async function signInBusy(api: TestApi): Promise<string> {
  const { token, accountId } = await signIn(api);
  for (const table of ["wallet", "session"]) {
    await api.context.db.execute(
      sql`update earnest.${sql.identifier(table)} set account_id = ${busyAccount} where account_id = ${accountId}`,
    );
  }
  return token;
}

/**
 * Asks a market one question after the other, each 30 to 100 times.
 *
 * @param token of the busy account
 * @returns milliseconds of whole answers
 */
export async function measureMarket(api: TestApi, token: string): Promise<Measured[]> {
  const measured: Measured[] = [];
  const get = async (path: string, own?: string) => {
    const answer = await api.request("GET", path, own ? { token: own } : {});
    if (answer.status === 200) return answer.body;
    throw new Error(`GET ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}.`);
  };
  const measure = async (name: string, path: string, own?: string) => {
    await get(path, own); // reads in what it needs
    const samples: number[] = [];
    let spent = 0;
    while (samples.length < often.times && (samples.length < often.least || spent < often.milliseconds)) {
      const before = performance.now();
      await get(path, own);
      const sample = performance.now() - before;
      samples.push(sample);
      spent += sample;
    }
    measured.push({
      name,
      median: quantile(samples, 0.5),
      p99: quantile(samples, 0.99),
      times: samples.length,
    });
  };
  for (const [name, path] of cases) await measure(name, path);
  for (const [name, path] of ownCases) await measure(name, path, token);
  for (const [name, path] of deepCases) {
    const { next_cursor } = await get(`${path}&offset=${deepest}`);
    // A market too small for that has no such page.
    if (next_cursor) await measure(name, `${path}&cursor=${next_cursor}`);
  }
  return measured;
}
