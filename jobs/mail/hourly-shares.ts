import type { Database } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { mailMessage } from "../../db/schema.ts";
import { sharesOf } from "../../trade/fair-shares/capacity-shares.ts";
import { selectIsParty } from "../../trade/fair-shares/funded-party.ts";

/** A message that may be sent now, and whether it counts as mail to a party of funded orders. */
export type DueMessage = { id: string; forParty: boolean };

/**
 * Finds the due messages within the hour's limit, oldest first. All accounts share the hour's messages
 * (`trade/fair-shares/capacity-shares.ts`).
 */
export async function findDueMail(
  db: Database,
  { perHour, most }: { perHour: number; most: number },
): Promise<DueMessage[]> {
  const shares = [false, true].map((isParty) => {
    const { ofKind, ofNetwork, ofSite } = sharesOf(perHour, isParty);
    return sql`(${isParty}::boolean, ${ofKind}::int, ${ofNetwork}::int, ${ofSite}::int)`;
  });
  const { rows } = await db.execute<DueMessage>(sql`
    with sent as materialized (
      select for_party, network, site from ${mailMessage}
      where status = 'sent' and finished_at > now() - interval '1 hour'),
    sent_of_kind as (select for_party, count(*) as sent from sent group by 1),
    sent_of_network as (select for_party, network, count(*) as sent from sent group by 1, 2),
    sent_to_site as (select for_party, site, count(*) as sent from sent group by 1, 2),
    due as (
      select message.id, message.next_attempt_at, message.network, message.site,
        message.for_party or ${selectIsParty(sql`message.account_id`)} as for_party
      from ${mailMessage} as message where message.status = 'pending' and message.next_attempt_at <= now()),
    -- A message without room in one share takes no room of the next share.
    by_network as (
      select *, row_number() over (partition by for_party, network order by next_attempt_at, id) as place from due),
    of_network as (
      select by_network.*, most_of_kind, most_to_site
      from by_network
      join (values ${sql.join(shares, sql`, `)}) as most(for_party, most_of_kind, most_of_network, most_to_site)
        using (for_party)
      left join sent_of_network using (for_party, network)
      where by_network.network is null or by_network.place + coalesce(sent, 0) <= most_of_network),
    by_site as (
      select *, row_number() over (partition by for_party, site order by next_attempt_at, id) as site_place
      from of_network),
    to_site as (
      select by_site.* from by_site left join sent_to_site using (for_party, site)
      where by_site.site is null or site_place + coalesce(sent, 0) <= most_to_site),
    by_kind as (
      select *, row_number() over (partition by for_party order by next_attempt_at, id) as kind_place from to_site)
    select by_kind.id, by_kind.for_party as "forParty"
    from by_kind left join sent_of_kind using (for_party)
    where kind_place + coalesce(sent, 0) <= most_of_kind
    order by next_attempt_at, id
    limit greatest(0, least(${most}::int, ${perHour}::int - (select count(*) from sent)::int))`);
  return rows;
}
