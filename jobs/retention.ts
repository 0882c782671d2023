import { unpaidPayloadSeconds } from "../config/limits.ts";
import type { Database } from "../db/client.ts";
import { sql } from "../db/drizzle.ts";
import { retentionDays } from "../protocol/facts/event-body.ts";
import { isActiveKey } from "../trade/spending/key-limit-checks.ts";

const retention = sql`make_interval(days => ${retentionDays})`;

/** The most words in the dictionary of the market's spelling correction; words beyond that are removed at random. */
const usualWords = 1_000_000;

/** Days for which the daily counts of webhook deliveries, the daily scores and answered reports are stored. */
const countedDays = 400;

/** Rows removed in one transaction. */
const batch = 2000;

/**
 * Removes old rows in batches, so that no writer waits long.
 *
 * Daily scores, counts of webhook deliveries and answered reports are kept for 400 days. Deliveries, recoveries, attempts of both kinds,
 * finished mail, and events without a delivery are kept for `retentionDays`. The spending of a key is kept for 62 days,
 * and until its order has ended. Expired sessions, unverified mail addresses, and payload and schemas of an order that
 * expired unpaid are kept for a week. Answers for an `Idempotency-Key`, sign-in messages and removed claims of domains
 * are kept for a day. The state of a host that no service or endpoint names is kept for a day. Gas sums of relays are
 * kept for three hours. Codes, tokens, consents and grants of OAuth are kept for an hour after their end. Programs are kept for a
 * day without a grant, and for 400 days after their last consent. Codes of a sign-in by another device are kept for an
 * hour. A rate limit is removed when the client's allowance is full again. Random words of the spelling correction are
 * removed beyond `mostWords`.
 *
 * The agreement of an order, which has the digests of payload and schemas, and the trail of the order stay.
 *
 * @returns how many rows of each kind were removed
 */
export async function removeOldRows(
  db: Database,
  { signal, mostWords = usualWords }: { signal?: AbortSignal; mostWords?: number } = {},
) {
  return {
    payloads: await removeIn(sql`
      update earnest."order" set input_payload = null, input_schema = null, output_schema = null where id in (
        select id from earnest."order"
        where status = 'expired' and fund_by < extract(epoch from now()) - ${unpaidPayloadSeconds}
          and (input_payload is not null or input_schema is not null or output_schema is not null)
        limit ${batch})`),
    sessions: await removeIn(sql`
      delete from earnest.session where id in (
        select id from earnest.session where expires_at < now() - interval '7 days' limit ${batch})`),
    nonces: await removeIn(sql`
      delete from earnest.sign_in_nonce where nonce in (
        select nonce from earnest.sign_in_nonce where expires_at < now() - interval '1 day' limit ${batch})`),
    deviceSignIns: await removeIn(sql`
      delete from earnest.device_sign_in where device_code_hash in (
        select device_code_hash from earnest.device_sign_in
        where expires_at < now() - interval '1 hour' limit ${batch})`),
    oauthRecords: await removeIn(sql`
      delete from earnest.oauth_record where (kind, id_hash) in (
        select kind, id_hash from earnest.oauth_record
        where expires_at < now() - interval '1 hour' limit ${batch})`),
    // A grant is as good as its key. The key of a new one may be written a moment later.
    oauthGrants: await removeIn(sql`
      delete from earnest.oauth_record where (kind, id_hash) in (
        select kind, id_hash from earnest.oauth_record record
        where kind = 'Grant' and expires_at < now() + interval '364 days 23 hours' and not exists (
          select from earnest.api_key where grant_id = record.grant_id and ${isActiveKey()})
        limit ${batch})`),
    // A grant without a refresh token or a code never gets an access token again, so its key ends.
    oauthKeys: await removeIn(sql`
      update earnest.api_key set revoked_at = now() where id in (
        select id from earnest.api_key
        where grant_id is not null and revoked_at is null and created_at < now() - interval '1 hour' and not exists (
          select from earnest.oauth_record record
          where record.grant_id = api_key.grant_id and kind in ('RefreshToken', 'AuthorizationCode', 'AccessToken'))
        limit ${batch})`),
    // A client keeps its registration while a person may still use a grant for it.
    oauthClients: await removeIn(sql`
      delete from earnest.oauth_client where id in (
        select id from earnest.oauth_client
        where (used_at is null and created_at < now() - interval '1 day') or used_at < now() - interval '400 days'
        limit ${batch})`),
    // A monthly limit reads the spending of at most 62 days.
    spending: await removeIn(sql`
      delete from earnest.key_spending where (order_id, key_id) in (
        select order_id, key_id from earnest.key_spending
        where not is_open and charged_at < now() - interval '62 days' limit ${batch})`),
    words: await removeIn(sql`
      delete from earnest.market_word where word in (
        select word from earnest.market_word
        order by random()
        limit (select least(${batch}, greatest(0, count(*) - ${mostWords})) from earnest.market_word))`),
    mail: await removeIn(sql`
      delete from earnest.mail_message where id in (
        select id from earnest.mail_message
        where created_at < now() - ${retention} and status <> 'pending' limit ${batch})`),
    addresses: await removeIn(sql`
      delete from earnest.mail_setting where account_id in (
        select account_id from earnest.mail_setting
        where verified_at is null and created_at < now() - interval '7 days' limit ${batch})`),
    // PostgreSQL deletes the attempts with their delivery.
    deliveries: await removeIn(sql`
      delete from earnest.webhook_delivery where id in (
        select id from earnest.webhook_delivery
        where created_at < now() - ${retention} and coalesce(leased_until, '-infinity') < now()
        order by created_at limit ${batch})`),
    executionAttempts: await removeIn(sql`
      delete from earnest.execution_attempt where (execution_id, number) in (
        select execution_id, number from earnest.execution_attempt
        where started_at < now() - ${retention} order by started_at limit ${batch})`),
    executionHosts: await removeIn(sql`
      delete from earnest.execution_host where host in (
        select host from earnest.execution_host
        where busy_until < now() - interval '1 day' and not exists (
          select from earnest.service where execution_host = host)
        limit ${batch})`),
    recoveries: await removeIn(sql`
      delete from earnest.webhook_recovery where id in (
        select id from earnest.webhook_recovery
        where created_at < now() - ${retention} and status <> 'running' limit ${batch})`),
    // A host that an endpoint names again starts with a new row.
    hosts: await removeIn(sql`
      delete from earnest.webhook_host where host in (
        select host from earnest.webhook_host
        where busy_until < now() - interval '1 day' and not exists (
          select from earnest.webhook_endpoint endpoint
          where endpoint.host = webhook_host.host and endpoint.status <> 'revoked')
        limit ${batch})`),
    // The limit of claims counts those of one day.
    domains: await removeIn(sql`
      delete from earnest.agent_domain where id in (
        select id from earnest.agent_domain
        where (status = 'removed' or agent_id is null) and created_at < now() - interval '1 day' limit ${batch})`),
    events: await removeIn(sql`
      delete from earnest.event where id in (
        select id from earnest.event
        where created_at < now() - ${retention}
          and not exists (select from earnest.webhook_delivery where event_id = event.id)
        order by created_at limit ${batch})`),
    answers: await removeIn(sql`
      delete from earnest.idempotency_record where scope in (
        select scope from earnest.idempotency_record
        where created_at < now() - interval '24 hours' order by created_at limit ${batch})`),
    // An account may report the subject again then.
    reports: await removeIn(sql`
      delete from earnest.report where id in (
        select id from earnest.report where answered_at < now() - ${countedDays} * interval '1 day' limit ${batch})`),
    // Triggers of `relay` add to no row that is older than two hours.
    gas: await removeIn(sql`
      delete from earnest.relay_gas where id in (
        select id from earnest.relay_gas where minute < now() - interval '3 hours' limit ${batch})`),
    webhookDays: await removeIn(sql`
      delete from earnest.webhook_day where id in (
        select id from earnest.webhook_day where day < current_date - ${countedDays}::int limit ${batch})`),
    scoreDays: await removeIn(sql`
      delete from earnest.score_day where (agent_id, day) in (
        select agent_id, day from earnest.score_day where day < current_date - ${countedDays}::int limit ${batch})`),
    clients: await removeIn(sql`
      delete from earnest.rate_limit where bucket in (
        select bucket from earnest.rate_limit where full_at < now() limit ${batch})
        and full_at < now()`),
  };

  async function removeIn(statement: ReturnType<typeof sql>): Promise<number> {
    let removed = 0;
    while (!signal?.aborted) {
      const { rowCount } = await db.execute(statement);
      removed += rowCount ?? 0;
      if ((rowCount ?? 0) < batch) break;
    }
    return removed;
  }
}
