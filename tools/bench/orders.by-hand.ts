import { randomBytes } from "node:crypto";
import type { Pool, PoolClient } from "pg";

type Row = Record<string, unknown>;
type Statement = { name: string; text: string; columns: string[] };

/**
 * Prepares a baseline of a placement: it runs the same reads and writes the same rows in one transaction, by prepared
 * statements. It checks nothing, computes no hash, and notifies nobody.
 *
 * @param orderId an order that the API placed, whose rows are written again under new ids
 * @param tokenHash the hash of the token of the buyer's session
 */
export async function preparePlacementByHand(pool: Pool, orderId: string, tokenHash: string) {
  const read = async (table: string, column: string) => {
    const { rows } = await pool.query<Row>(
      `select * from earnest.${table} where ${column} = $1 order by id`,
      [orderId],
    );
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(writeJson)));
  };
  const [order = {}] = await read('"order"', "id");
  const [{ seq: _, ...fact } = {} as Row] = await read("fact", "order_id");
  const events = (await read("event", "order_id")).map(({ seq: _, position: __, ...event }) => event);
  const [buyerEvent = {}, providerEvent = {}] = events;
  const insertOrder = insertOf('"order"', order);
  const insertFact = insertOf("fact", fact);
  const insertEvent = insertOf("event", buyerEvent);

  return async function place(): Promise<void> {
    await pool.query({ name: "caller", text: callerStatement, values: [tokenHash] });
    await pool.query({ name: "offer", text: offerStatement, values: [order.service_id] });
    await pool.query({
      name: "wallets",
      text: "select address, account_id from earnest.wallet where address in ($1, $2)",
      values: [order.buyer_address, order.arbiter],
    });
    const client = await pool.connect();
    try {
      await client.query("begin");
      const unique = randomBytes(13).toString("hex");
      const id = `ord_${unique}`;
      await insert(client, insertOrder, {
        ...order,
        id,
        reference: `E-${unique}`,
        escrow_id: `0x${unique}`,
        created_at: new Date(),
      });
      const factId = `fct_${unique}`;
      await insert(client, insertFact, { ...fact, id: factId, order_id: id, key: `${id}:created` });
      for (const [prefix, event] of [
        ["evb", buyerEvent],
        ["evp", providerEvent],
      ] as const) {
        const added = { id: `${prefix}_${unique}`, order_id: id, fact_id: factId, created_at: new Date() };
        await insert(client, insertEvent, { ...event, ...added });
      }
      await client.query({
        name: "endpoints",
        text: "select id, account_id, events from earnest.webhook_endpoint where status = 'active' and account_id in ($1, $2)",
        values: [order.buyer_account_id, order.provider_account_id],
      });
      await client.query("commit");
    } finally {
      client.release();
    }
  };
}

const callerStatement = `
  select session.id, session.account_id, wallet.address
  from earnest.session join earnest.wallet on wallet.account_id = session.account_id and wallet.is_primary
  where token_hash = $1 and revoked_at is null and expires_at > now()`;

const offerStatement = `
  select service.*, agent.account_id, agent.slug as agent_slug, agent.status as agent_status, agent.payout_wallet
  from earnest.service join earnest.agent on agent.id = service.agent_id
  where service.id = $1`;

function insertOf(table: string, row: Row): Statement {
  const columns = Object.keys(row);
  const values = columns.map((_, at) => `$${at + 1}`);
  return {
    name: `insert ${table}`,
    text: `insert into earnest.${table} (${columns.join(", ")}) values (${values.join(", ")}) returning *`,
    columns,
  };
}

async function insert(client: PoolClient, { columns, ...statement }: Statement, row: Row): Promise<void> {
  await client.query({ ...statement, values: columns.map((column) => row[column]) });
}

/** Converts a value of a jsonb column to text for an insert. */
function writeJson([column, value]: [string, unknown]): [string, unknown] {
  const isJson = typeof value === "object" && value !== null && !(value instanceof Date);
  return [column, isJson ? JSON.stringify(value) : value];
}
