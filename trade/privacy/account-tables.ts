import { type SQL, sql } from "../../db/drizzle.ts";
import { buyersConcerns } from "../../protocol/facts/lifecycle.ts";

/** A file of an export. Its query selects rows with a unique text `key`, and never a secret or the hash of one. */
export type AccountTable = { name: string; select: (accountId: string) => SQL };

const isParty = (accountId: string) =>
  sql`(o.buyer_account_id = ${accountId} or o.provider_account_id = ${accountId})`;
const hiddenFromProviders = sql.join(
  [...buyersConcerns].map((type) => sql`${type}`),
  sql`, `,
);

/** The data of an account: all that its owner may read by the API, as one JSON file each. */
export const accountTables: readonly AccountTable[] = [
  {
    name: "account",
    select: (id) => sql`
      select id as key, id, username, display_name, role, network, created_at from earnest.account where id = ${id}`,
  },
  {
    name: "wallets",
    select: (id) => sql`
      select w.id as key, w.id, w.address, w.chain_id, w.proved_by, w.is_primary, w.verified_at, w.created_at,
        p.x as passkey_x, p.y as passkey_y
      from earnest.wallet w left join earnest.passkey p on p.address = w.address where w.account_id = ${id}`,
  },
  {
    name: "sessions",
    select: (id) => sql`
      select id as key, id, holder, address, user_agent, network, last_used_at, expires_at, revoked_at, created_at
      from earnest.session where account_id = ${id}`,
  },
  {
    name: "api_keys",
    select: (id) => sql`
      select id as key, id, name, scopes, client_host, created_by, limits, allowed_ips, expires_at, last_used_at,
        revoked_at, created_at
      from earnest.api_key where account_id = ${id}`,
  },
  {
    name: "members",
    select: (id) => sql`
      select member_account_id as key, member_account_id, role, invited_by, created_at
      from earnest.organisation_member where account_id = ${id}`,
  },
  {
    name: "memberships",
    select: (id) => sql`
      select account_id as key, account_id, role, created_at
      from earnest.organisation_member where member_account_id = ${id}`,
  },
  {
    name: "invitations",
    select: (id) => sql`
      select id as key, id, address, chain_id, role, invited_by, status, answered_at, expires_at, created_at
      from earnest.organisation_invitation where account_id = ${id}`,
  },
  {
    name: "email",
    select: (id) => sql`
      select account_id as key, address, events, mode, language, verified_at, stopped_at, stopped_reason, created_at,
        updated_at
      from earnest.mail_setting where account_id = ${id}`,
  },
  {
    name: "sent_emails",
    select: (id) => sql`
      select id as key, kind, address, status, created_at from earnest.mail_message where account_id = ${id}`,
  },
  {
    name: "audit_log",
    select: (id) => sql`
      select id as key, id, actor_account_id, action, target, data, client_address, request_id, created_at
      from earnest.audit_entry where account_id = ${id}`,
  },
  {
    name: "billing_details",
    select: (id) => sql`
      select account_id as key, details, updated_at from earnest.billing_details where account_id = ${id}`,
  },
  {
    name: "agents",
    select: (id) => sql`
      select id as key, id, slug, name, tagline, description, website_url, avatar_url, capabilities, api_endpoint, status,
        payout_wallet, created_at
      from earnest.agent where account_id = ${id}`,
  },
  {
    name: "services",
    select: (id) => sql`
      select s.id as key, s.id, s.agent_id, s.slug, s.title, s.summary, s.description, s.category, s.tags,
        s.pricing_model, s.price_currency, s.input_schema, s.output_schema, s.stages, s.execution_url, s.session_url,
        s.status, s.created_at
      from earnest.service s join earnest.agent a on a.id = s.agent_id where a.account_id = ${id}`,
  },
  {
    name: "domains",
    select: (id) => sql`
      select id as key, agent_id, domain, status, created_at from earnest.agent_domain where account_id = ${id}`,
  },
  {
    name: "webhooks",
    select: (id) => sql`
      select id as key, id, url, description, events, status, created_at
      from earnest.webhook_endpoint where account_id = ${id}`,
  },
  {
    name: "requests",
    select: (id) => sql`
      select id as key, id, title, description, tags, status, created_at
      from earnest.open_request where account_id = ${id}`,
  },
  {
    name: "quotes",
    select: (id) => sql`
      select id as key, id, request_id, agent_id, service_id, price_currency, stages, message, status, order_id, created_at
      from earnest.quote where account_id = ${id}`,
  },
  {
    name: "subscriptions",
    select: (id) => sql`
      select id as key, id, service_id, agent_id, price_currency, interval, input_payload, token, buyer_address, arbiter,
        status, ended_reason, created_at
      from earnest.subscription where account_id = ${id}`,
  },
  {
    name: "orders",
    select: (id) => sql`
      select o.id as key, o.id, o.reference, case when o.buyer_account_id = ${id} then 'buyer' else 'provider' end as your_role,
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
      select s.order_id || ' ' || lpad(s.stage::text, 3, '0') as key, s.order_id, s.stage, s.output, s.output_hash,
        s.delivered_at
      from earnest.stage_output s join earnest."order" o on o.id = s.order_id where ${isParty(id)}`,
  },
  {
    name: "order_facts",
    select: (id) => sql`
      select f.id as key, f.id, f.order_id, f.type, f.actor, f.data, f.occurred_at, f.chain_id, f.block_number,
        f.transaction_hash, f.log_index
      from earnest.fact f join earnest."order" o on o.id = f.order_id
      where ${isParty(id)} and (o.buyer_account_id = ${id} or f.type not in (${hiddenFromProviders}))`,
  },
  {
    name: "order_messages",
    select: (id) => sql`
      select m.id as key, m.id, m.order_id, m.author_account_id = ${id} as is_own, m.author_role, m.text, m.files,
        m.created_at, m.withdrawn_at
      from earnest.order_message m join earnest."order" o on o.id = m.order_id
      where ${isParty(id)} and (m.author_account_id = ${id} or m.hidden_at is null)`,
  },
  {
    name: "receipts",
    select: (id) => sql`
      select r.id as key, r.id, r.order_id, r.claim, r.document, r.x402_receipt, r.revoked_at, r.created_at
      from earnest.receipt r join earnest."order" o on o.id = r.order_id where ${isParty(id)}`,
  },
  {
    name: "invoices",
    select: (id) => sql`
      select i.id as key, i.order_id, i.number, i.seller, i.buyer, i.tax_rate, i.created_at
      from earnest.invoice i join earnest."order" o on o.id = i.order_id where ${isParty(id)}`,
  },
  {
    name: "reviews",
    select: (id) => sql`
      select id as key, id, order_id, agent_id, rating, text, answer, edited_at, withdrawn_at, answered_at, created_at
      from earnest.review
      where buyer_account_id = ${id} or (provider_account_id = ${id} and hidden_at is null)`,
  },
  {
    name: "reports",
    select: (id) => sql`
      select id as key, id, subject_kind, subject_id, reason, text, outcome, answer, answered_at, created_at
      from earnest.report where account_id = ${id}`,
  },
  {
    name: "files",
    select: (id) => sql`
      select id as key, id, name, size, sha256, type, created_at, completed_at, erased_at
      from earnest.file where account_id = ${id}`,
  },
  {
    name: "events",
    select: (id) => sql`
      select id as key, id, type, order_id, data, created_at from earnest.event where account_id = ${id}`,
  },
];
