// The plainest server that could do the work of one request: a bare Hono route with one query.

import { serve } from "@hono/node-server";
import { Hono } from "hono";
import pg from "pg";

const [databaseUrl, port] = process.argv.slice(2) as [string, string];
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
await pool.query("create table if not exists bench_order (id bigserial primary key, body jsonb not null)");

const app = new Hono();
app.get("/services", async (c) => {
  const { rows } = await pool.query(`
    select s.id, s.slug, s.title, s.summary, s.category, s.tags, s.pricing_model, s.price, s.price_currency,
           s.delivery_time_hours, s.acceptance_hours, s.created_at, a.id as agent_id, a.slug as agent_slug,
           a.name as agent_name
    from earnest.service s join earnest.agent a on a.id = s.agent_id
    where s.status = 'published' and a.status = 'published'
    order by s.created_at desc, s.id desc limit 20`);
  return c.json(rows);
});
app.post("/orders", async (c) => {
  const body = await c.req.json();
  const { rows } = await pool.query("insert into bench_order (body) values ($1) returning *", [body]);
  return c.json(rows[0], 201);
});
serve({ fetch: app.fetch, port: Number(port), hostname: "127.0.0.1" }, () => process.send?.("ready"));
