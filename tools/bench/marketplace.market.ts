import { categories } from "../../api/services/category-tree.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { inTransaction } from "../../db/transaction.ts";

export type MarketSize = { services: number; agents: number; orders: number };

/** Words of many descriptions, the most common first. The other words are made of syllables. */
const commonWords =
  "data translation report analysis document image research writing model review japanese text summary code audit design market video contract audio support invoice english german legal tax chart music price search";

const syllables = [
  "ka",
  "ri",
  "no",
  "ten",
  "ba",
  "lo",
  "mi",
  "su",
  "ver",
  "da",
  "pe",
  "quo",
  "xi",
  "fu",
  "gra",
  "ho",
];
const vocabulary = [
  ...commonWords.split(" "),
  ...Array.from({ length: 20_000 }, (_, n) =>
    [12, 8, 4, 0].map((shift) => syllables[((n * 40_503) >> shift) & 15]).join(""),
  ),
];

/** The account that has a tenth of all orders. */
export const busyAccount = "acc_00000000000000000000000001";

/**
 * Fills an empty database with a market, the same each time. Words, categories, tags and prices are as skewed as in real
 * markets. Three percent of the services are not published, and agents differ greatly in size.
 */
export async function fillMarket(db: Database, size: MarketSize): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.execute(sql`set local work_mem = '256MB'`);
    await tx.execute(sql`set local maintenance_work_mem = '1GB'`);
    // Triggers are off, because they would take most of the time. `computeDerived` computes their values at the end.
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`select setseed(0.5)`);
    const indexes = await dropIndexes(tx);
    await insertAgents(tx, size);
    await drawOrders(tx, size);
    await insertServices(tx, size);
    await insertOrders(tx, size);
    await computeDerived(tx);
    await makeIndexes(tx, indexes);
  });
  for (const table of [
    "account",
    "agent",
    "listed_agent",
    "service",
    "offer",
    "ranked_offer",
    "agent_record",
    "review_tally",
    '"order"',
    "market_word",
    "offer_tally",
  ]) {
    await db.execute(sql.raw(`vacuum analyze earnest.${table}`));
  }
}

/** An index. `statistics` has the statistics targets of its columns, if they are set. */
type Index = { name: string; definition: string; statistics: { column: number; target: number }[] };

/** Drops the indexes that no constraint needs, and returns their definitions. Building an index at the end is much faster. */
async function dropIndexes(tx: Transaction): Promise<Index[]> {
  const { rows } = await tx.execute<Index>(sql`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition, (
      select coalesce(json_agg(json_build_object('column', attnum, 'target', attstattarget)), '[]') from pg_attribute
      where attrelid = indexrelid and attstattarget >= 0) as statistics
    from pg_index join pg_class on pg_class.oid = indrelid
    where relnamespace = 'earnest'::regnamespace and relname in ('agent', 'listed_agent', 'service', 'offer', 'ranked_offer', 'order', 'market_word')
      and not indisunique`);
  for (const { name } of rows) await tx.execute(sql.raw(`drop index ${name}`));
  return rows;
}

async function makeIndexes(tx: Transaction, indexes: Index[]): Promise<void> {
  for (const { name, definition, statistics } of indexes) {
    // The definition of an index on a partitioned table has ONLY, which leaves out the partitions.
    await tx.execute(sql.raw(definition.replace(" ON ONLY ", " ON ")));
    for (const { column, target } of statistics) {
      const { rows } = await tx.execute<{ part: string }>(
        sql`select coalesce(relid, ${name}::regclass)::text as part from (select) left join pg_partition_tree(${name}) on true`,
      );
      for (const { part } of rows) {
        await tx.execute(sql.raw(`alter index ${part} alter column ${column} set statistics ${target}`));
      }
    }
  }
}

const id = (prefix: string, number: string) => sql.raw(`'${prefix}_' || lpad((${number})::text, 26, '0')`);

async function insertAgents(tx: Transaction, { agents }: MarketSize): Promise<void> {
  await tx.execute(sql`
    insert into earnest.account (id) select ${id("acc", "n")} from generate_series(1, ${agents}::int) as n`);
  await inBatches(agents, async (from, size) => {
    await tx.execute(sql`
      insert into earnest.agent (id, account_id, slug, name, tagline, description, capabilities, status, created_at, verified)
      select ${id("agt", "n")}, ${id("acc", "n")}, 'agent-' || n, initcap(name), tagline, description,
        jsonb_build_object('skills', string_to_array(skills, ' '),
          'languages', array['en', (array['de','fr','ja','es','pt','sw'])[1 + (random() * random() * 5)::int]],
          'input_modalities', '[]'::jsonb, 'output_modalities', '[]'::jsonb, 'protocols', '[]'::jsonb),
        case when random() < 0.97 then 'published' else 'paused' end, now() - (${agents}::int - n) * interval '1 second',
        case when n % 50 = 0 then '{domain,erc8004}' when n % 5 = 0 then '{domain}' else '{}' end::text[]
      from (
        select ${from}::int + place as n, name, tagline, description, skills
        from unnest(${texts(size, 2)}::text[], ${texts(size, 6)}::text[], ${texts(size, 25)}::text[],
          ${texts(size, 3)}::text[]) with ordinality as made (name, tagline, description, skills, place)) as made`);
  });
}

async function insertServices(tx: Transaction, { services, agents }: MarketSize): Promise<void> {
  const slugs = sql.param(categories.map(({ slug }) => slug));
  await inBatches(services, async (from, size) => {
    await tx.execute(sql`
      insert into earnest.service (id, agent_id, slug, title, summary, description, category, tags, pricing_model,
        price, price_currency, accepts, delivery_time_hours, acceptance_hours, status, listed, completed_orders, created_at, verified,
        score, rating, on_time)
      select ${id("svc", "made.n")}, agent.id, 'service-' || made.n, initcap(title), summary, made.description,
        (${slugs}::text[])[1 + floor(power(random(), 2) * ${categories.length}::int)::int],
        (select coalesce(array_agg(distinct 'tag-' || floor(power(600, random()))::int), '{}')
          from generate_series(1, made.n % 6) as _),
        (array['fixed','fixed','fixed','fixed','fixed','fixed','per_unit','per_unit','hourly','negotiated'])[1 + floor(random() * 10)::int],
        floor(power(10, 4 + 4 * random()) / 1000) * 1000, case when made.n % 8 = 0 then 'EURX' else 'TUSD' end,
        case when made.n % 8 = 0 then jsonb_build_array(jsonb_build_object('chain_id', 8453, 'token', '0x' || repeat('e1', 20))) end,
        (array[1, 2, 6, 12, 24, 24, 24, 48, 72, 168, 336, 720])[1 + floor(random() * 12)::int], 72,
        made.status, made.status = 'published' and agent.status = 'published', coalesce(released, 0),
        now() - (${services}::int - made.n) * interval '1 second', agent.verified,
        case when released > 0 then floor(1000 * released / (released + 4.0) * (1 - random() * random())) else 0 end,
        case when released > 0 and random() < 0.6 then 300 + floor(200 * power(random(), 0.3)) else 0 end,
        case when released > 0 then floor(100 * power(random(), 0.2)) else 0 end
      from (
        select (${from}::int + place)::int as n, title, summary, description,
          case when random() < 0.97 then 'published' else 'paused' end as status,
          ${id("agt", `1 + floor(power(random(), 2) * ${agents})`)} as agent_id
        from unnest(${texts(size, 4)}::text[], ${texts(size, 8)}::text[], ${texts(size, 25)}::text[])
          with ordinality as made (title, summary, description, place)) as made
      join earnest.agent on agent.id = agent_id
      left join (
        select service_n, count(*)::int as released from drawn_order
        where service_n between ${from + 1}::int and ${from + size}::int and status = 'released' group by 1
      ) as completed on service_n = made.n`);
  });
}

async function inBatches(count: number, work: (from: number, size: number) => Promise<void>): Promise<void> {
  const batch = 10_000;
  for (let from = 0; from < count; from += batch) await work(from, Math.min(batch, count - from));
}

/** Makes texts of about a given number of words. The first words of the vocabulary are much more frequent than the others. */
function texts(count: number, length: number) {
  const word = () => vocabulary[Math.floor(30 * ((vocabulary.length / 30) ** random() - 1))];
  return sql.param(
    Array.from({ length: count }, () =>
      Array.from({ length: length + Math.floor(random() * 3) }, word).join(" "),
    ),
  );
}

let state = 1;
/** Returns uniform numbers from 0 to 1, the same in each run (Lehmer, 1951). */
function random(): number {
  state = (state * 48_271) % 2_147_483_647;
  return state / 2_147_483_647;
}

/** Draws the orders and their outcomes. The services are written afterwards, with their counts. */
async function drawOrders(tx: Transaction, { services, agents, orders }: MarketSize): Promise<void> {
  await tx.execute(sql`
    create temporary table drawn_order on commit drop as
    select n, 1 + floor(power(random(), 3) * ${services}::int)::int as service_n,
      case when random() < 0.1 then ${busyAccount} else ${id("acc", `1 + floor(random() * ${agents})`)} end as buyer,
      (array['released','released','released','released','released','released','refunded','expired','funded','created'])[1 + floor(random() * 10)::int] as status
    from generate_series(1, ${orders}::int) as n`);
  await tx.execute(sql`create index on drawn_order (service_n)`);
  await tx.execute(sql`analyze drawn_order`);
}

async function insertOrders(tx: Transaction, { orders }: MarketSize): Promise<void> {
  await tx.execute(sql`
    insert into earnest."order" (id, reference, buyer_account_id, provider_account_id, agent_id, service_id,
      agent_slug, agent_name, service_slug, service_title, settlement_rail, pricing_model, quantity, unit_price, amount, agreement, chain_id, escrow_contract, buyer_address,
      provider_address, token, token_symbol, token_decimals, currency, fund_by, delivery_window, acceptance_window,
      dispute_window, appeal_window, arbiter, order_hash, escrow_id, deposit_address, status, created_at)
    select ${id("ord", "n")}, 'E-' || n, buyer, replace(service.agent_id, 'agt_', 'acc_'), service.agent_id, service.id,
      'agent', 'Agent', service.slug, service.title, 'escrow', 'fixed', 1, price, price, '{}', 31337, zero, zero, zero, zero, 'TUSD', 6, 'TUSD', 0, 1, 1, 1, 1, zero,
      '0x' || md5(n::text), '0x' || md5(n::text), zero, drawn_order.status,
      now() - (${orders}::int - n) * interval '1 second'
    from drawn_order
    join earnest.service on service.id = ${id("svc", "service_n")},
    (select '0x' || repeat('0', 40) as zero) as constant`);
}

/** Computes the values that triggers maintain, and a lexicon ten times as large as the texts'. */
async function computeDerived(tx: Transaction): Promise<void> {
  await tx.execute(sql`
    update earnest.agent
    set completed_orders = n, score = floor(1000 * n / (n + 20.0) * (1 - random() * random())), rating = 450, on_time = 90
    from (select agent_id, count(*)::int as n from earnest."order" where status = 'released' group by 1) as released
    where agent_id = id`);
  await tx.execute(sql`
    insert into earnest.listed_agent
    select id, completed_orders, created_at, score, rating, on_time from earnest.agent where status = 'published'`);
  await tx.execute(sql`
    insert into earnest.offer
    select id, agent_id, category, tags, pricing_model, price, delivery_time_hours, completed_orders, created_at,
      verified, score, rating, on_time, price_currency, earnest.accepted_tokens(accepts)
    from earnest.service where listed`);
  await tx.execute(sql`
    insert into earnest.agent_record
      (id, agent_id, service_id, record, score, upper, evidence, orders, on_time, outcomes, as_of, version)
    select id, agent_id, id, '{}', score, least(1000, score + 100), 1000 * completed_orders, completed_orders,
      10 * on_time, completed_orders, now(), 1
    from earnest.service where score > 0`);
  await tx.execute(sql`
    insert into earnest.agent_record
      (id, agent_id, record, score, upper, evidence, orders, on_time, outcomes, as_of, version)
    select id, id, '{}', score, least(1000, score + 100), 1000 * completed_orders, completed_orders, 900,
      completed_orders, now(), 1
    from earnest.agent where score > 0`);
  await tx.execute(sql`
    insert into earnest.review_tally
      (service_id, agent_id, rated_1, rated_2, rated_3, rated_4, rated_5, marked, withdrawn)
    select id, agent_id, 0, 0, 500 - rating, 0, rating - 300, 0, 0 from earnest.service where rating > 0`);
  await tx.execute(sql`
    insert into earnest.ranked_offer
    select earnest.tier_of(completed_orders, tiebreak), service_id, completed_orders, tiebreak, delivery_time_hours, price, pricing_model,
      category, tags, score, rating, on_time, verified, price_currency, accepts
    from earnest.offer, earnest.tiebreak_of(service_id) as tiebreak`);
  await tx.execute(sql`
    insert into earnest.offer_tally
    select coalesce(category, ''), pricing_model, earnest.delivery_step(delivery_time_hours), earnest.price_digits(price),
      price_currency, count(*)
    from earnest.service where listed group by 1, 2, 3, 4, 5`);
  await tx.execute(
    sql`insert into earnest.market_word select distinct unnest(${sql.param(vocabulary)}::text[])`,
  );
  await tx.execute(sql`
    insert into earnest.market_word
    select left(translate(md5(n::text), '0123456789', 'ghijklmnop'), 5 + n % 6) from generate_series(1, 180000) as n
    on conflict do nothing`);
}
