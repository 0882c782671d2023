import { sql } from "drizzle-orm";
import type { Database } from "../../../db/client.ts";
import { inTransaction } from "../../../db/transaction.ts";
import type { Outcome } from "../../../protocol/reputation/public-outcome.ts";

/**
 * Writes outcomes of an agent as rows, with the order columns that lines need. Its services are
 * `<agent>:<slug>`, its account is `<agent>:owner`, and the counterparty c7 is the account `c7`.
 *
 * @param options.followed runs the triggers that follow an outcome
 * @param options.walletProved whether the counterparties' accounts have proved their wallets
 */
export async function writeOutcomes(
  db: Database,
  agentId: string,
  outcomes: readonly Outcome[],
  { followed = false, walletProved = true } = {},
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    const rows = outcomes.map((one) => ({
      ...one,
      order_id: `${one.order_id}_${agentId}_${Math.random()}`,
      number: Number(one.counterparty.slice(1)),
      chain_id: Number(one.chain.slice("eip155:".length)),
      provider_address: one.provider.toLowerCase(),
      buyer_address: one.buyer.toLowerCase(),
      wallet: one.wallet.toLowerCase(),
    }));
    await tx.execute(sql`
      insert into earnest.agent (id, account_id, slug, name, capabilities)
      values (${agentId}, ${`${agentId}:owner`}, ${agentId}, 'Agent', '{}') on conflict do nothing`);
    await tx.execute(sql`
      insert into earnest.service (id, agent_id, slug, title, pricing_model, price, price_currency, delivery_time_hours,
        acceptance_hours)
      select distinct ${agentId} || ':' || service, ${agentId}, service, 'Work', 'fixed', 1, 'USDC', 24, 24
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as item (service text) on conflict do nothing`);
    await tx.execute(sql`
      insert into earnest.counterparty (agent_id, buyer_account_id, number)
      select distinct ${agentId}, 'c' || item.number, item.number
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as item (number integer)
      on conflict do nothing`);
    const follow = (how: string) =>
      tx.execute(sql`alter table earnest.order_outcome enable ${sql.raw(how)} trigger order_outcome_followed,
        enable ${sql.raw(how)} trigger order_outcome_paid, enable ${sql.raw(how)} trigger order_outcome_completed`);
    if (followed) await follow("always");
    await tx.execute(sql`
      insert into earnest.order_outcome (order_id, agent_id, service_id, provider_account_id, buyer_account_id, chain_id,
        token, token_decimals, currency, provider_address, buyer_address, wallet, wallet_proved, amount, released, refunded, promised_seconds,
        funded_at, settled_at, delivered_at, ended, dispute, disputed_by, disputed_at, apart, recorded_at)
      select order_id, ${agentId}, ${agentId} || ':' || service, ${`${agentId}:owner`}, counterparty, chain_id, token,
        token_decimals, currency, provider_address, buyer_address, wallet, ${walletProved}, amount, released, refunded, promised_seconds, funded_at,
        settled_at, delivered_at, ended, dispute, disputed_by, disputed_at, apart, recorded_at + interval '789 microseconds'
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as item (order_id text, service text, counterparty text,
        chain_id integer, token text, token_decimals integer, currency text, provider_address text, buyer_address text, wallet text, amount numeric,
        released numeric, refunded numeric, promised_seconds integer, funded_at timestamptz, settled_at timestamptz,
        delivered_at timestamptz, ended text, dispute text, disputed_by text, disputed_at timestamptz, apart text,
        recorded_at timestamptz)`);
    await tx.execute(sql`
      insert into earnest.order (id, reference, buyer_account_id, provider_account_id, agent_id, service_id,
        agent_slug, agent_name, service_slug, service_title, settlement_rail, pricing_model, quantity, unit_price, amount, agreement, chain_id, escrow_contract, buyer_address,
        provider_address, token, token_symbol, token_decimals, currency, fund_by, delivery_window, acceptance_window,
        dispute_window, appeal_window, arbiter, order_hash, escrow_id, deposit_address, status)
      select order_id, order_id, buyer_account_id, provider_account_id, agent_id, service_id, 'agent', 'Agent', 'work', 'Work', 'contract', 'fixed', 1, amount,
        amount, '{}', chain_id, token, buyer_address, provider_address, token, 'USDC', token_decimals, currency, 1,
        promised_seconds, 1, 1, 1, token, '0x00', '0x' || md5(order_id) || md5(order_id), token, 'released'
      from earnest.order_outcome where agent_id = ${agentId} on conflict do nothing`);
    if (followed) await follow("");
  });
}
