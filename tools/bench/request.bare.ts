// The baseline for each row of `request.bench.ts`: a bare Hono route that runs the row's statements and returns the row's
// answer.

import { serve } from "@hono/node-server";
import { Hono } from "hono";
import pg from "pg";
import { recoverMessageAddress } from "viem";
import { readConfig } from "../../config/config.ts";
import { preparePlacementByHand } from "./orders.by-hand.ts";
import type { Statement } from "./request.server.ts";

/** A row of the bench: its statements and its response. The server gets all rows before the first request. */
export type BareRow = { name: string; statements: Statement[]; answer: unknown };
/** An order whose rows are written again, and the session of its buyer. */
export type Placement = { orderId: string; tokenHash: string };

const config = readConfig();
const pool = new pg.Pool({ connectionString: config.databaseUrl, max: 10 });
await pool.query("create table bench_nonce (nonce text primary key, message text not null)");
await pool.query("create table bench_session (token_hash text primary key, account_id text not null)");

const rows = new Map<string, BareRow>();
let place = async () => {};
process.on("message", async (message: BareRow | Placement) => {
  if ("orderId" in message) place = await preparePlacementByHand(pool, message.orderId, message.tokenHash);
  else rows.set(message.name, message);
  process.send?.("done");
});

const app = new Hono();
const answerOf = (name: string) => rows.get(name)?.answer as object;

app.get("/rows/:name", async (c) => {
  const name = c.req.param("name");
  const { statements = [] } = rows.get(name) ?? {};
  // The statements are prepared once, as those of the API.
  await Promise.all(statements.map((statement, at) => pool.query({ ...statement, name: `${name} ${at}` })));
  return c.json(answerOf(name));
});

app.post("/orders", async (c) => {
  await c.req.json();
  await place();
  return c.json(answerOf("POST order"), 201);
});

app.post("/auth/nonce", async (c) => {
  const { message, nonce } = await c.req.json();
  await pool.query({
    name: "nonce",
    text: "insert into bench_nonce (nonce, message) values ($1, $2)",
    values: [nonce, message],
  });
  return c.json({ message, nonce, expires_at: new Date().toISOString() });
});

app.post("/auth/signin", async (c) => {
  const { message, nonce, signature } = await c.req.json();
  await pool.query({
    name: "used",
    text: "delete from bench_nonce where nonce = $1 returning *",
    values: [nonce],
  });
  const address = (await recoverMessageAddress({ message, signature })).toLowerCase();
  const { rows: known } = await pool.query<{ account_id: string }>({
    name: "wallet",
    text: "select account_id from earnest.wallet where address = $1",
    values: [address],
  });
  await pool.query({
    name: "session",
    text: "insert into bench_session (token_hash, account_id) values ($1, $2)",
    values: [nonce, known[0]?.account_id],
  });
  return c.json(answerOf("sign-in"));
});

serve({ fetch: app.fetch, port: config.port, hostname: "127.0.0.1" }, () => process.send?.("ready"));
