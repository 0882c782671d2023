import type { Transaction } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { type ErasureStep, eachBatch, idsIn } from "./erasure-steps.ts";

const ofAccount = (id: string) => sql`account_id = ${id}`;

/** A slug that nobody can have taken. */
const freeSlug = sql`'erased-' || gen_random_uuid()`;

/** Erases what the account offered and requested on the market. Agents come first, so that no service is listed. */
export const marketSteps: ErasureStep[] = [
  eachBatch(sql`earnest.agent`, ofAccount, eraseAgents, 1),
  // The agent of a service has the account.
  eachBatch(
    sql`earnest.service`,
    (id) => sql`agent_id in (select id from earnest.agent where account_id = ${id})`,
    eraseServices,
    1,
  ),
  // The limit of claims counts removed ones for a day.
  eachBatch(sql`earnest.agent_domain`, ofAccount, async (tx, ids) => {
    await tx.execute(sql`
      update earnest.agent_domain set status = 'removed', domain = 'erased', site = 'erased', proof = 'erased',
        problems = null
      where id = ${idsIn(ids)}`);
  }),
  // A request has an event of each matched seller.
  eachBatch(sql`earnest.open_request`, ofAccount, eraseRequests, 10),
  eachBatch(sql`earnest.quote`, ofAccount, eraseQuotes),
  eachBatch(sql`earnest.subscription`, ofAccount, async (tx, ids) => {
    await tx.execute(sql`
      update earnest.subscription set input_payload = null,
        status = case status when 'active' then 'cancelled' else status end,
        ended_at = coalesce(ended_at, now())
      where id = ${idsIn(ids)}`);
  }),
];

async function eraseAgents(tx: Transaction, ids: string[]): Promise<void> {
  const { rows } = await tx.execute<{ words: string }>(sql`
    select concat_ws(' ', name, capabilities::text, tagline, description) as words
    from earnest.agent where id = ${idsIn(ids)} for update`);
  await tx.execute(sql`
    update earnest.agent set name = 'erased', slug = ${freeSlug},
      erased_slug = coalesce(erased_slug, encode(sha256(convert_to(slug, 'UTF8')), 'hex')), tagline = null, description = null, website_url = null,
      avatar_url = null, api_endpoint = null, version = version + 1, updated_at = now(),
      capabilities = '{"skills":[],"languages":[],"input_modalities":[],"output_modalities":[],"protocols":[]}',
      status = case status when 'suspended' then status else 'retired' end
    where id = ${idsIn(ids)}`);
  await retireAfterRestore(tx, "agent", ids);
  await tx.execute(sql`delete from earnest.agent_identity where agent_id = ${idsIn(ids)}`);
  // A worker signs the record of the agent again, without its name.
  await tx.execute(sql`delete from earnest.record_statement where agent_id = ${idsIn(ids)}`);
  await tx.execute(sql`update earnest.agent_record set stated_as_of = null where agent_id = ${idsIn(ids)}`);
  await tx.execute(sql`
    with removed as (delete from earnest.agent_probe where agent_id = ${idsIn(ids)} returning agent_id, target_id)
    delete from earnest.probe_target where id in (select target_id from removed) and not exists (
      select from earnest.agent_probe other
      where other.target_id = probe_target.id and other.agent_id not in (select agent_id from removed))`);
  await forgetWords(tx, rows);
}

async function eraseServices(tx: Transaction, ids: string[]): Promise<void> {
  // Every transaction locks the agent before its service.
  await tx.execute(sql`
    select from earnest.agent
    where id in (select agent_id from earnest.service where id = ${idsIn(ids)}) for update`);
  const { rows } = await tx.execute<{ words: string; host: string | null }>(sql`
    select concat_ws(' ', title, earnest.join_words(tags), summary, description) as words, execution_host as host
    from earnest.service where id = ${idsIn(ids)} for update`);
  await tx.execute(sql`
    update earnest.service set title = 'erased', slug = ${freeSlug}, summary = null, description = null, category = null,
      tags = '{}', price_unit = null, input_schema = null, output_schema = null,
      stages = earnest.erase_words(stages, false), execution_url = null, execution_host = null, execution_seconds = null,
      session_url = null, session_key = null, version = version + 1, updated_at = now(),
      status = case status when 'suspended' then status else 'retired' end
    where id = ${idsIn(ids)}`);
  await retireAfterRestore(tx, "service", ids);
  await tx.execute(sql`delete from earnest.execution_endpoint where service_id = ${idsIn(ids)}`);
  const hosts = rows.flatMap(({ host }) => host ?? []);
  await tx.execute(sql`
    delete from earnest.execution_host where host = ${idsIn(hosts)} and not exists (
      select from earnest.service where service.execution_host = execution_host.host)`);
  // Rows of one service and account that had different names become one.
  await tx.execute(sql`
    with removed as (delete from earnest.traded_service where service_id = ${idsIn(ids)} returning account_id, side, service_id)
    insert into earnest.traded_service (account_id, side, service_id, service_title, agent_name, agent_slug)
    select distinct account_id, side, service_id, 'erased', 'erased', 'erased' from removed
    order by account_id, side, service_id`);
  await forgetWords(tx, rows);
}

/** An operator that ends a suspension brings nothing back to the market. */
async function retireAfterRestore(tx: Transaction, kind: "agent" | "service", ids: string[]): Promise<void> {
  await tx.execute(sql`
    update earnest.moderation set status_before = 'retired'
    where subject_kind = ${kind} and subject_id = ${idsIn(ids)} and status_before is not null`);
}

/** Removes words from the spelling correction that no listed agent or service has. */
async function forgetWords(tx: Transaction, rows: { words: string }[]): Promise<void> {
  const words = sql`(select earnest.market_words(${rows.map((row) => row.words).join(" ")}) as word)`;
  await tx.execute(sql`
    delete from earnest.market_word where word in (
      select word from ${words} as own, plainto_tsquery('english', word) as query
      where not exists (select from earnest.listed_agent where earnest.agent_terms(agent_id) @@ query)
        and not exists (select from earnest.ranked_offer where earnest.offer_terms(service_id) @@ query))`);
}

async function eraseRequests(tx: Transaction, ids: string[]): Promise<void> {
  await tx.execute(sql`
    update earnest.open_request set title = 'erased', description = 'erased', tags = '{}',
      status = case status when 'open' then 'closed' else status end, closed_at = coalesce(closed_at, now())
    where id = ${idsIn(ids)}`);
  await tx.execute(sql`
    update earnest.event set data = earnest.erase_words(data, false)
    where type = 'request.matched' and key = ${idsIn(ids.map((id) => `request:${id}`))}`);
}

async function eraseQuotes(tx: Transaction, ids: string[]): Promise<void> {
  await tx.execute(sql`
    update earnest.quote set message = null, stages = earnest.erase_words(stages, false),
      status = case status when 'offered' then 'withdrawn' else status end
    where id = ${idsIn(ids)}`);
  // The buyer who requested the quote got an event.
  await tx.execute(sql`
    update earnest.event set data = earnest.erase_words(event.data, false)
    from earnest.quote join earnest.open_request request on request.id = quote.request_id
    where quote.id = ${idsIn(ids)} and event.account_id = request.account_id and event.key = 'quote:' || quote.id`);
}
