import type { Address } from "viem";
import type { Database, Transaction } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { agent, counterparty, orderOutcome, provedWallet, walletAge, walletPaid } from "../../db/schema.ts";
import type { Extent } from "./outcome-sums.ts";

/** The most wallets of a counterparty, and the most providers of each wallet, that are read. */
const mostWallets = 100;
const mostOthers = 50;
/** The most buyers of another provider that are read, in search of three who never paid the agent. */
const mostBuyers = 1000;

/** A counterparty's wallets, the earliest first, their earliest use, and how many other providers they paid. */
export type Wallets = { addresses: Address[]; since: Date | null; otherProviders: number };

/**
 * Reads the proved wallets with which counterparties bought at arm's length: since when they are in use, and how many
 * other providers they paid. A wallet of several counterparties is the first one's. The count is that of
 * `countOtherProviders` in protocol/reputation/other-providers.ts, up to a limit.
 *
 * @returns the wallets by the counterparties' accounts
 */
export async function readCounterpartyWallets(
  tx: Database | Transaction,
  { agentId, asOf }: Extent,
  buyerAccountIds: readonly string[],
): Promise<Map<string, Wallets>> {
  const { rows } = await tx.execute<{
    account: string;
    addresses: Address[];
    since: string | null;
    others: number;
  }>(sql`
    with provider as (select account_id from ${agent} where id = ${agentId}),
    used as (
      select buyer_account_id as account, wallet as address, min(funded_at) as first, chain_id
      from ${orderOutcome}
      where agent_id = ${agentId} and apart is null and recorded_at <= ${asOf.toISOString()}::timestamptz and wallet_proved
      group by buyer_account_id, wallet, chain_id
    ), numbered as (
      select used.*, known.number, min(known.number) over (partition by address) as earliest
      from used join ${counterparty} as known on known.agent_id = ${agentId} and known.buyer_account_id = used.account
    ), paid as materialized (
      select account, address, first, chain_id from numbered
      where number = earliest and account = any(${sql.param([...buyerAccountIds])}::text[])
    ), wallets as materialized (
      select account, address, min(first) as first,
        row_number() over (partition by account order by min(first), address) as place
      from paid group by account, address
    ), shown as materialized (select * from wallets where place <= ${mostWallets}),
    own as materialized (
      select address from ${provedWallet} where account_id = (select account_id from provider)
      union select payout_wallet from ${agent} where account_id = (select account_id from provider)
      union select provider_address from ${orderOutcome} where agent_id = ${agentId}
    ), others as materialized (
      select distinct shown.account, other.provider_address
      from shown cross join lateral (
        select provider_address from ${walletPaid} where wallet = shown.address
          and provider_address not in (select address from own where address is not null)
        order by provider_address limit ${mostOthers}) as other
    ), counting as materialized (
      select provider_address from (select distinct provider_address from others) as other
      where (
        select count(*) from (
          select from (
            select wallet from ${walletPaid} where provider_address = other.provider_address
            order by wallet limit ${mostBuyers}) as buyer
          where not exists (
            select from ${orderOutcome} as o where o.provider_account_id = (select account_id from provider)
              and o.wallet = buyer.wallet and o.released > 0)
          limit 3) as stranger) = 3
    ),
    known as (
      select account, address, place, null::timestamptz as since, null::text as other from shown
      union all select account, null, null, age.first_at, null from paid join shown using (account, address)
        join ${walletAge} as age on age.address = paid.address and age.chain_id = paid.chain_id
      union all select account, null, null, null, provider_address from others
        where (provider_address in (select provider_address from counting)) is true
    )
    select account, array_agg(address order by place) filter (where address is not null) as addresses,
      (extract(epoch from min(since)) * 1000)::bigint as since, count(other)::int as others
    from known group by account`);
  return new Map(
    rows.map(({ account, addresses, since, others }) => [
      account,
      { addresses, since: since === null ? null : new Date(Number(since)), otherProviders: others },
    ]),
  );
}
