import { type SQL, sql } from "../../db/drizzle.ts";
import { buyerOnlyFacts } from "../../protocol/facts/lifecycle.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";

/** A file of an export. Its query selects by an index, without a sort, and never a secret or the hash of one. */
export type AccountTable = { name: string; select: (accountId: string) => SQL };

const isParty = (accountId: string) =>
  sql`(o.buyer_account_id = ${accountId} or o.provider_account_id = ${accountId})`;
const hiddenFromProviders = sql.join(
  [...buyerOnlyFacts].map((type) => sql`${type}`),
  sql`, `,
);

/** The data of an account: all that its owner may read by the API, as one JSON file each. */
export const accountTables: readonly AccountTable[] = [
  {
    name: "account",
    select: (id) => sql`
      select id, username, display_name, role, network, created_at from earnest.account where id = ${id}`,
  },
  {
    name: "wallets",
    select: (id) => sql`
      select w.id, w.address, w.chain_id, w.proved_by, w.is_primary, w.verified_at, w.created_at,
        p.x as passkey_x, p.y as passkey_y
      from earnest.wallet w left join earnest.passkey p on p.address = w.address where w.account_id = ${id}`,
  },
  {
    name: "proved_wallets",
    select: (id) => sql`select address, chain_id from earnest.proved_wallet where account_id = ${id}`,
  },
  {
    name: "sessions",
    select: (id) => sql`
      select id, holder, address, user_agent, network, last_used_at, expires_at, created_at
      from earnest.session where account_id = ${id} and revoked_at is null`,
  },
  {
    name: "api_keys",
    select: (id) => sql`
      select id, name, scopes, client_host, created_by, limits, allowed_ips, expires_at, last_used_at,
        revoked_at, created_at
      from earnest.api_key where account_id = ${id}`,
  },
  {
    name: "members",
    select: (id) => sql`
      select member_account_id, role, invited_by, created_at
      from earnest.organisation_member where account_id = ${id}`,
  },
  {
    name: "memberships",
    select: (id) => sql`
      select account_id, role, created_at
      from earnest.organisation_member where member_account_id = ${id}`,
  },
  {
    name: "invitations",
    select: (id) => sql`
      select id, address, chain_id, role, invited_by, status, answered_at, expires_at, created_at
      from earnest.organisation_invitation where account_id = ${id}`,
  },
  {
    name: "email",
    select: (id) => sql`
      select address, events, mode, language, verified_at, stopped_at, stopped_reason, created_at,
        updated_at
      from earnest.mail_setting where account_id = ${id}`,
  },
  {
    name: "sent_emails",
    select: (id) => sql`
      select kind, address, status, created_at from earnest.mail_message where account_id = ${id}`,
  },
  {
    name: "audit_log",
    select: (id) => sql`
      select id, actor_account_id, action, target, data, client_address, request_id, created_at
      from earnest.audit_entry where account_id = ${id}`,
  },
  {
    name: "billing_details",
    select: (id) => sql`
      select details, updated_at from earnest.billing_details where account_id = ${id}`,
  },
  {
    name: "agents",
    select: (id) => sql`
      select id, slug, name, tagline, description, website_url, avatar_url, capabilities, api_endpoint, status,
        payout_wallet, created_at
      from earnest.agent where account_id = ${id}`,
  },
  {
    name: "services",
    select: (id) => sql`
      select s.id, s.agent_id, s.slug, s.title, s.summary, s.description, s.category, s.tags,
        s.pricing_model, s.price::text, s.price_currency, s.input_schema, s.output_schema, s.stages, s.execution_url, s.session_url,
        s.status, s.created_at
      from earnest.service s join earnest.agent a on a.id = s.agent_id where a.account_id = ${id}`,
  },
  {
    name: "identities",
    select: (id) => sql`
      select i.agent_id, i.chain_id, i.registry, i.token_id::text, i.agent_uri, i.wallet, i.verified_at, i.lost_at, i.created_at
      from earnest.agent a join earnest.agent_identity i on i.agent_id = a.id where a.account_id = ${id}`,
  },
  {
    name: "domains",
    select: (id) => sql`
      select agent_id, domain, status, created_at from earnest.agent_domain where account_id = ${id}`,
  },
  {
    name: "webhooks",
    select: (id) => sql`
      select id, url, description, events, status, created_at
      from earnest.webhook_endpoint where account_id = ${id}`,
  },
  {
    name: "webhook_deliveries",
    select: (id) => sql`
      select d.id, d.endpoint_id, d.event_id, d.type, d.status, d.attempts, d.last_status_code, d.last_error, d.created_at,
        d.finished_at
      from earnest.webhook_delivery d join earnest.webhook_endpoint e on e.id = d.endpoint_id where e.account_id = ${id}`,
  },
  {
    name: "requests",
    select: (id) => sql`
      select id, title, description, tags, budget::text, budget_currency, status, expires_at, closed_at, created_at
      from earnest.open_request where account_id = ${id}`,
  },
  {
    name: "quotes",
    select: (id) => sql`
      select id, 'given' as direction, request_id, agent_id, service_id, price::text, price_currency, delivery_time_hours, stages, message,
        status, order_id, expires_at, created_at
      from earnest.quote where account_id = ${id}
      union all
      select q.id, 'received', q.request_id, q.agent_id, q.service_id, q.price::text, q.price_currency, q.delivery_time_hours, q.stages,
        q.message, q.status, q.order_id, q.expires_at, q.created_at
      from earnest.open_request r join earnest.quote q on q.request_id = r.id
      where r.account_id = ${id} and q.account_id <> ${id}`,
  },
  {
    name: "subscriptions",
    select: (id) => sql`
      select id, case when account_id = ${id} then 'buyer' else 'provider' end as your_role, service_id, agent_id, price::text,
        price_currency, interval, input_payload, settlement_rail, chain_id, token, buyer_address, arbiter, status, ended_reason,
        periods, started_at, next_order_at, ended_at, created_at
      from earnest.subscription where account_id = ${id} or provider_account_id = ${id}`,
  },
  {
    name: "subscription_orders",
    select: (id) => sql`
      select p.subscription_id, p.period, p.order_id, p.created_at
      from earnest.subscription s join earnest.subscription_order p on p.subscription_id = s.id
      where s.account_id = ${id} or s.provider_account_id = ${id}`,
  },
  {
    name: "orders",
    select: (id) => sql`
      select o.id, o.reference, case when o.buyer_account_id = ${id} then 'buyer' else 'provider' end as your_role,
        o.service_id, o.service_title, o.agent_id, o.agent_name, o.settlement_rail, o.pricing_model, o.quantity,
        o.unit_price::text, o.amount::text, o.chain_id, o.token, o.token_symbol, o.token_decimals, o.buyer_address,
        o.provider_address, o.arbiter, o.escrow_contract, o.escrow_id, o.order_hash, o.agreement, o.input_payload,
        o.output_payload, o.stages, o.status, o.created_at, o.funded_at, o.started_at, o.delivered_at, o.disputed_at,
        o.completed_at
      from earnest."order" o where ${isParty(id)}`,
  },
  {
    name: "stage_outputs",
    select: (id) => sql`
      select s.order_id, s.stage, s.output, s.output_hash,
        s.delivered_at
      from earnest.stage_output s join earnest."order" o on o.id = s.order_id where ${isParty(id)}`,
  },
  {
    name: "order_facts",
    select: (id) => sql`
      select f.id, f.order_id, f.type, f.actor, f.data, f.occurred_at, f.chain_id, f.block_number,
        f.transaction_hash, f.log_index
      from earnest.fact f join earnest."order" o on o.id = f.order_id
      where ${isParty(id)} and (o.buyer_account_id = ${id} or f.type not in (${hiddenFromProviders}))`,
  },
  {
    name: "payments",
    select: (id) => sql`
      select p.id, p.order_id, p.method, p.payer, p.status, p.error, p.created_at, p.updated_at
      from earnest."order" o join earnest.payment p on p.order_id = o.id
      where o.buyer_account_id = ${id} and p.account_id = ${id}`,
  },
  {
    name: "relayed_transactions",
    select: (id) => sql`
      select id, order_id, chain_id, to_address, status, transaction_hash, mined_block, error, created_at, updated_at
      from earnest.relay where account_id = ${id}`,
  },
  {
    name: "refused_payouts",
    select: (id) => sql`
      select order_id, chain_id, contract, payee, token, amount::text, refused_at, withdrawn_at
      from earnest.refused_payout where account_id = ${id}`,
  },
  {
    name: "executions",
    select: (id) => sql`
      select e.id, e.order_id, e.is_revision, e.service_id, e.status, e.reason, e.attempts, e.rejections, e.host, e.created_at, e.finished_at
      from earnest."order" o join earnest.execution e on e.order_id = o.id
      where o.provider_account_id = ${id} and e.account_id = ${id}`,
  },
  {
    name: "order_messages",
    select: (id) => sql`
      select m.id, m.order_id, m.author_account_id = ${id} as is_own, m.author_role, m.text, m.files,
        m.created_at, m.withdrawn_at
      from earnest.order_message m join earnest."order" o on o.id = m.order_id
      where ${isParty(id)} and m.author_account_id <> ${id} and m.hidden_at is null
      union all
      select m.id, m.order_id, true, m.author_role, m.text, m.files, m.created_at, m.withdrawn_at
      from earnest.order_message m where m.author_account_id = ${id}`,
  },
  {
    name: "receipts",
    select: (id) => sql`
      select r.id, r.order_id, r.claim, r.document, r.x402_receipt, r.revoked_at, r.created_at
      from earnest.receipt r join earnest."order" o on o.id = r.order_id where ${isParty(id)}`,
  },
  {
    name: "invoices",
    select: (id) => sql`
      select i.order_id, i.number, i.seller, i.buyer, i.created_at
      from earnest.invoice i join earnest."order" o on o.id = i.order_id where ${isParty(id)}`,
  },
  {
    name: "reviews",
    select: (id) => sql`
      select id, order_id, agent_id, rating, text, answer, edited_at, withdrawn_at, answered_at, created_at
      from earnest.review
      where buyer_account_id = ${id} or (provider_account_id = ${id} and hidden_at is null)`,
  },
  {
    name: "feedback",
    select: (id) => sql`
      select f.order_id, f.chain_id, f.reputation_registry, f.client_address, f.content, f.created_at, g.status, g.transaction_hash
      from earnest."order" o join earnest.feedback_file f on f.order_id = o.id
      left join earnest.feedback g on g.order_id = f.order_id and g.file_hash = f.hash
      where o.buyer_account_id = ${id}`,
  },
  {
    name: "decisions",
    select: (id) => sql`
      select id, act, subject_kind, subject_id, reason, cause_id, appeal, appealed_at, created_at
      from earnest.moderation where owner_account_id = ${id}`,
  },
  {
    name: "reports",
    select: (id) => sql`
      select id, subject_kind, subject_id, reason, text, outcome, answer, answered_at, created_at
      from earnest.report where account_id = ${id}`,
  },
  {
    name: "files",
    select: (id) => sql`
      select id, name, size, sha256, type, created_at, completed_at, erased_at,
        case when completed_at is not null and erased_at is null then 'POST ${sql.raw(apiPath)}/files/' || id || '/link' end as download
      from earnest.file where account_id = ${id}`,
  },
  {
    name: "file_uses",
    select: (id) => sql`
      select u.file_id, u.order_id, u.purpose, u.created_at
      from earnest.file f join earnest.file_use u on u.file_id = f.id where f.account_id = ${id}`,
  },
  {
    name: "events",
    select: (id) => sql`
      select id, type, order_id, data, created_at from earnest.event where account_id = ${id}`,
  },
];

const sums = "sums of the exported orders, payments and deliveries";
const outcomes = "the record of agents, which is computed from orders and is public";

/** The tables of accounts that no export has, each with the reason. */
export const exemptTables: Readonly<Record<string, string>> = {
  account_settlement: "an index of the exported receipts",
  account_erasure: "the state of a request to erase the account, which ends with its data",
  counterparty: outcomes,
  order_outcome: outcomes,
  provenance: outcomes,
  data_export: "the state of exports, which GET /me/export answers",
  delivery_day: sums,
  escrow_sum: sums,
  order_day: sums,
  settlement_day: sums,
  webhook_day: sums,
  moderation_subject: "counts of reports that others made",
  notification_mark: "the exported events that one member has marked as read",
  notification_read: "the position up to which one member has read the exported events",
  order_correspondent: "counts of the exported messages",
  sign_in_nonce: "secrets that end within minutes",
  traded_service: "the words by which the exported orders are searched",
  webhook_sender: "the queue of the exported deliveries",
};
