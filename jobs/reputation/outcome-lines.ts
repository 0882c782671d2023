import { createHash } from "node:crypto";
import { type Address, getAddress } from "viem";
import type { Transaction } from "../../db/client.ts";
import { readByCursor } from "../../db/cursor.ts";
import { type SQL, sql } from "../../db/drizzle.ts";
import { counterparty, order, orderOutcome, receipt, service } from "../../db/schema.ts";
import { createTimeSlice } from "../time-slice.ts";
import { type Extent, isWithin } from "./outcome-sums.ts";

/** An address as the database has it; all other hex in a line is longer. */
const addresses = /"0x[0-9a-f]{40}"/g;

/**
 * Computes `outcomesRootOf` the lines of an agent as of a moment (protocol/reputation/outcomes-root.ts). PostgreSQL
 * writes each line as the canonical JSON of `presentOutcome`. Only the checksum case of addresses is added here.
 */
export async function hashLines(tx: Transaction, extent: Extent): Promise<string> {
  const hash = createHash("sha256");
  const timeSlice = createTimeSlice();
  const checksummed = new Map<string, string>();
  const checksum = (quoted: string) => {
    const known = checksummed.get(quoted) ?? `"${getAddress(quoted.slice(1, -1) as Address)}"`;
    checksummed.set(quoted, known);
    return known;
  };
  for await (const rows of readByCursor<{ line: string }>(tx, selectLines(extent))) {
    for (const { line } of rows) {
      hash.update(`${line.replaceAll(addresses, checksum)}\n`);
      await timeSlice();
    }
  }
  return `0x${hash.digest("hex")}`;
}

function selectLines(extent: Extent): SQL {
  return sql`
    select (
      select row_to_json(line)::text from (select o.amount::text as amount, o.apart, o.buyer_address as buyer,
        'eip155:' || o.chain_id as chain, placed.escrow_contract as contract, 'c' || party.number as counterparty,
        o.currency, ${time(sql`o.delivered_at`)} as delivered_at, o.dispute, ${time(sql`o.disputed_at`)} as disputed_at, o.disputed_by,
        o.ended, placed.escrow_id, ${time(sql`o.funded_at`)} as funded_at, o.order_id, o.promised_seconds,
        o.provider_address as provider,
        array(select id from ${receipt} as r where r.order_id = o.order_id and r.revoked_at is null and r.claim <> 'part_released'
          order by r.created_at, id limit 4) as receipts,
        ${time(sql`o.recorded_at`)} as recorded_at, o.refunded::text as refunded, o.released::text as released,
        of.slug as service, ${time(sql`o.settled_at`)} as settled_at, o.token, o.token_decimals, o.wallet) as line) as line
    from ${orderOutcome} as o
    join ${order} as placed on placed.id = o.order_id
    join ${service} as of on of.id = o.service_id
    join ${counterparty} as party on party.agent_id = o.agent_id and party.buyer_account_id = o.buyer_account_id
    where ${isWithin(extent)} order by o.settled_at, o.order_id`;
}

function time(at: SQL): SQL {
  return sql`to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
