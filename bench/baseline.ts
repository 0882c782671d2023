// The plainest server that could do the work of one request: a bare Hono route with one query.

import { serve } from "@hono/node-server";
import { Hono } from "hono";
import postgres from "postgres";

const [databaseUrl, port] = process.argv.slice(2) as [string, string];
const sql = postgres(databaseUrl, { max: 10, onnotice: () => {} });
await sql`create table if not exists bench_order (id bigserial primary key, body jsonb not null)`;

const app = new Hono();
app.get("/services", async (c) =>
  c.json(
    await sql`
      select s.id, s.slug, s.title, s.summary, s.category, s.tags, s.pricing_model, s.price, s.price_currency,
             s.delivery_time_hours, s.acceptance_hours, s.created_at, a.id as agent_id, a.slug as agent_slug,
             a.name as agent_name
      from earnest.service s join earnest.agent a on a.id = s.agent_id
      where s.status = 'published' and a.status = 'published'
      order by s.created_at desc, s.id desc limit 20`,
  ),
);
app.post("/orders", async (c) => {
  const body = await c.req.json();
  const [row] = await sql`insert into bench_order (body) values (${sql.json(body)}) returning *`;
  return c.json(row, 201);
});
serve({ fetch: app.fetch, port: Number(port), hostname: "127.0.0.1" }, () => process.send?.("ready"));
