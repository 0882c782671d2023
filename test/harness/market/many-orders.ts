import { sql } from "drizzle-orm";
import type { Database } from "../../../db/client.ts";

/**
 * Copies orders, which are the buyer's, many times over: with other references, states, amounts and times, some of them
 * equal. The copies have no facts.
 *
 * @param orderIds orders of the API, whose services and names the copies have
 * @param copies.first the number of the first copy: no two copies have one number
 */
export async function copyOrders(
  db: Database,
  orderIds: string[],
  { buyerId, many, first }: { buyerId: string; many: number; first: number },
): Promise<void> {
  await db.execute(sql`
    insert into earnest."order"
    select filled.*
    from (select *, row_number() over (order by id) - 1 as place from earnest."order"
      where id = any(${sql.param(orderIds)}::text[])) as o
    join generate_series(${first}::int, ${first + many - 1}::int) n on n % ${orderIds.length}::int = o.place,
    lateral (select hashtext(n::text)::bigint & 2147483647 as h) as mixed,
    lateral jsonb_populate_record(null::earnest."order", to_jsonb(o) || jsonb_build_object(
      'id', 'ord_' || lpad(n::text, 26, '0'),
      'reference', 'E-' || upper(lpad(to_hex(n::bigint * 9719873 % 16777216), 6, '0')),
      'escrow_id', '0x' || md5('a' || n) || md5('b' || n),
      'buyer_account_id', ${buyerId}::text,
      'status', (array['created', 'funded', 'started', 'delivered', 'released', 'released', 'refunded', 'expired'])[1 + h % 8],
      'amount', 1000000 * (1 + h % 40) + case when h % 3 = 0 then 250000 else 0 end,
      'created_at', now() - (h % 900) * interval '1 hour',
      'delivery_deadline', case when h % 4 > 0 then now() + (h % 500) * interval '1 hour' end
    )) as filled`);
  await db.execute(sql`analyze earnest."order"`);
  await db.execute(sql`analyze earnest.traded_service`);
}
