import { sql } from "../../db/drizzle.ts";
import { signIn, type TestApi } from "../../test/harness/api.ts";
import { quantile } from "../quantile.ts";
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
  ["the default currency", "/marketplace/services?currency=TUSD"],
  ["another currency, an eighth", "/marketplace/services?currency=EURX"],
  ["the same, priced", "/marketplace/services?currency=EURX&max_price=5&sort=price_low"],
  ["the same with a tag, by price", "/marketplace/services?currency=EURX&tags=tag-3&sort=price_low"],
  ["a tag, by the prices of all currencies", "/marketplace/services?tags=tag-3&sort=price_high"],
  ["a token", "/marketplace/services?chain_id=31337&token=TUSD"],
  ["the same, by price", "/marketplace/services?chain_id=31337&token=TUSD&sort=price_low"],
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
  ["the same, of a price", "/marketplace/services?q=data&max_price=2&sort=price_low"],
  ["the same in another currency", "/marketplace/services?q=data&currency=EURX"],
  ["two such words", "/marketplace/services?q=data%20translation"],
  ["a phrase", "/marketplace/services?q=%22data%20translation%22"],
  ["a rare word", "/marketplace/services?q=pelomisu"],
  ["a rare word by score", "/marketplace/services?q=pelomisu&sort=score"],
  ["a word begun", "/marketplace/services?q=trans"],
  ["a slip of the pen", "/marketplace/services?q=tarnslation"],
  ["nothing like it", "/marketplace/services?q=xylophone"],
  ["filters", "/marketplace/filters"],
  ["filters of a token", "/marketplace/filters?token=TUSD"],
  ["filters of another currency", "/marketplace/filters?currency=EURX&max_price=50"],
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

/** Lists of the account that has a tenth of all orders. */
const ownCases: typeof cases = [
  ["orders of a busy account", "/orders"],
  ["the same, refunded", "/orders?status=refunded"],
];

/** Pages behind the largest offset, which are reached by a cursor. */
const deepCases: typeof cases = [
  ["newest, 10,000 deep", "/marketplace/services?limit=20"],
  ["score, 10,000 deep", "/marketplace/services?limit=20&sort=score"],
  ["price_high, 10,000 deep", "/marketplace/services?limit=20&sort=price_high"],
  ["another currency by price, 10,000 deep", "/marketplace/services?limit=20&sort=price_high&currency=EURX"],
  ["a common word, 10,000 deep", "/marketplace/services?limit=20&q=data"],
];

export type Measured = { name: string; median: number; p99: number; times: number };

/** The requests of each path: `times` at most. After `milliseconds`, `least` requests suffice. */
const often = { times: 100, least: 30, milliseconds: 5000 } as const;

/** Signs in, gives the wallet and the session to the busy account, and returns the token. */
export async function signInBusyAccount(api: TestApi): Promise<string> {
  const { token, accountId } = await signIn(api);
  for (const table of ["wallet", "session"]) {
    await api.context.db.execute(
      sql`update earnest.${sql.identifier(table)} set account_id = ${busyAccount} where account_id = ${accountId}`,
    );
  }
  return token;
}

/**
 * Measures the requests to a market one after the other, each 30 to 100 times.
 *
 * @param token the token of the busy account
 * @returns milliseconds until the whole answer
 */
export async function measureMarket(api: TestApi, token: string): Promise<Measured[]> {
  const measured: Measured[] = [];
  const get = async (path: string, caller?: string) => {
    const answer = await api.request("GET", path, caller ? { token: caller } : {});
    if (answer.status === 200) return answer.body;
    throw new Error(`GET ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}.`);
  };
  const measure = async (name: string, path: string, caller?: string) => {
    await get(path, caller); // warms PostgreSQL's cache
    const samples: number[] = [];
    let spent = 0;
    while (samples.length < often.times && (samples.length < often.least || spent < often.milliseconds)) {
      const before = performance.now();
      await get(path, caller);
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
    // A small market has no page at this depth.
    if (next_cursor) await measure(name, `${path}&cursor=${next_cursor}`);
  }
  return measured;
}
