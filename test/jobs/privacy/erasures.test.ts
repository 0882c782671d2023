import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { eq, inArray, sql } from "drizzle-orm";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, openDatabase } from "../../../db/client.ts";
import { accountErasure, agent, moderationSubject, order, organisationMember } from "../../../db/schema.ts";
import { createDataExporter } from "../../../jobs/privacy/data-exports.ts";
import { createEraser } from "../../../jobs/privacy/erasures.ts";
import { removeDueFiles } from "../../../trade/files/file-removal.ts";
import { createOpenStore } from "../../../trade/files/open-store.ts";
import { createKey, expectStatus, type Session, signIn } from "../../harness/api.ts";
import { sha256Of } from "../../harness/files/uploads.ts";
import { createMarkedTrade, leaving, type MarkedTrade, staying } from "../../harness/market/marked-trade.ts";
import { ask, place } from "../../harness/market/market.ts";

let marked: MarkedTrade;
beforeAll(async () => {
  marked = await createMarkedTrade();
});
afterAll(() => marked?.close());

/** The connections of the erasure; null for those of the API. */
let eraserDb: Database | null = null;

const request = (who: Session, method: string, body?: unknown) =>
  marked.court.api.request(method, "/me/erasure", { token: who.token, body });

/** Runs the task until nothing is due. A slice of no time is one batch, so a new worker carries out each. */
async function erase(who: Session): Promise<string> {
  const { api } = marked.court;
  const lines: string[] = [];
  const log = pino({ level: "trace" }, { write: (line: string) => lines.push(line) });
  await api.db
    .update(accountErasure)
    .set({ nextAt: sql`now()` })
    .where(eq(accountErasure.accountId, who.accountId));
  while (
    (await createEraser({ db: eraserDb ?? api.db, log, slice: 0, pause: 0 })(
      new AbortController().signal,
    )) !== null
  );
  const { config, db } = api;
  await createDataExporter({ db, config, log })(new AbortController().signal);
  await removeDueFiles({ db, config }, createOpenStore({ db, config }));
  return lines.join("");
}

/** Finds the places in the database that have a text: `table.column`, with the text. Bytes are read as characters. */
async function findInDatabase(text: string): Promise<string[]> {
  const { db } = marked.court.api;
  const { rows: tables } = await db.execute<{ name: string; bytes: string[] }>(sql`
    select relname as name, array_agg(attname::text) filter (where atttypid = 'bytea'::regtype) as bytes
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'earnest'::regnamespace and relkind in ('r', 'p') and attnum > 0 group by 1 order by 1`);
  expect(tables.length).toBeGreaterThan(80);
  const found: string[] = [];
  for (const { name, bytes } of tables) {
    const decoded = (bytes ?? []).map(
      (column) => sql`|| jsonb_build_object(${column}::text, encode(${sql.identifier(column)}, 'escape'))`,
    );
    const { rows } = await db.execute<{ column: string; value: string }>(sql`
      select pair.key as column, pair.value from earnest.${sql.identifier(name)} as t,
        jsonb_each_text(to_jsonb(t) ${sql.join(decoded, sql` `)}) as pair where pair.value ilike ${`%${text}%`}`);
    for (const { column, value } of rows) {
      const at = value.toLowerCase().indexOf(text);
      found.push(`${name}.${column}: ${value.slice(Math.max(0, at - 20), at + 40)}`);
    }
  }
  return found;
}

function findInFiles(text: string): string[] {
  const folder = marked.court.api.config.files.directory;
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .filter((entry) =>
      (entry.name + readFileSync(join(entry.parentPath, entry.name), "latin1")).includes(text),
    )
    .map(({ name }) => name);
}

/** The data that no erasure changes. */
async function readRecord() {
  const { db } = marked.court.api;
  const { rows } = await db.execute(sql`
    select id, order_hash, escrow_id, amount::text, status, completed_at, agreement ->> 'input_digest' as input,
      (select jsonb_agg(jsonb_build_array(id, seq, type, actor, key, transaction_hash, data ->> 'output_hash') order by seq)
        from earnest.fact where order_id = "order".id) as facts,
      (select jsonb_agg(document order by id) from earnest.receipt where order_id = "order".id) as receipts
    from earnest."order" order by id`);
  return rows;
}

/** Invoices are the only place that keeps details of an erased account. */
const invoiced = /^invoice\.(seller|buyer|service_title|agent_name): /;

test("a request is made and taken back by a session of the account alone, once its orders have ended", async () => {
  const { court, people } = marked;
  const { api, outsider } = court;
  const key = await createKey(api, people.leaver, ["orders:read", "orders:write"]);
  const confirm = people.leaver.accountId;
  for (const method of ["POST", "GET", "DELETE"]) {
    const answer = await api.request(method, "/me/erasure", {
      token: key,
      body: method === "POST" ? { confirm } : undefined,
    });
    expect(answer.status).toBe(403);
  }
  const invitation = expectStatus(
    201,
    await ask(court, people.leaver, "POST", `/organisations/${confirm}/invitations`, {
      address: outsider.account.address,
      role: "owner",
    }),
  );
  expectStatus(200, await ask(court, outsider, "POST", `/invitations/${invitation.id}/accept`));
  const asMember = { token: outsider.token, headers: { "x-organisation": confirm } };
  expect(await api.request("POST", "/me/erasure", { ...asMember, body: { confirm } })).toMatchObject({
    status: 403,
  });
  expect(await request(people.other, "POST", { confirm })).toMatchObject({ status: 400 });
  expect(await request(outsider, "POST", { confirm: outsider.accountId })).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining("other organisations: 1") } },
  });
  expect(await request(people.leaver, "DELETE")).toMatchObject({ status: 404 });

  const market = { ...court, buyer: people.leaver, provider: people.other, ...marked.shops.other };
  const open = await place(market, { input_payload: {} });
  expect(await request(people.leaver, "POST", { confirm })).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining("open orders: 1") } },
  });
  await api.db.update(order).set({ status: "expired" }).where(eq(order.id, open.id));
  const requested = expectStatus(202, await request(people.leaver, "POST", { confirm }));
  expect(requested).toMatchObject({ status: "waiting", blocked_by: { open_orders: 0, organisations: 0 } });
  expect(expectStatus(202, await request(people.leaver, "POST", { confirm }))).toEqual(requested);
  const { items } = expectStatus(200, await ask(court, people.leaver, "GET", "/events"));
  expect(items.at(-1)).toMatchObject({
    type: "account.erasure_requested",
    data: { due_at: requested.due_at },
  });

  // The account buys, sells and writes nothing while the request waits, and an order that is open still delays the erasure.
  const orderOf = (service_id: string, who: Session) =>
    ask(court, who, "POST", "/orders", { service_id, input_payload: {} });
  expect(await orderOf(marked.shops.other.service.id, people.leaver)).toMatchObject({ status: 409 });
  expect(await orderOf(marked.shops.leaver.service.id, people.other)).toMatchObject({ status: 409 });
  const late = { text: "Too late." };
  const { released } = marked.orders.bought;
  expect(await ask(court, people.leaver, "POST", `/orders/${released.id}/messages`, late)).toMatchObject({
    status: 409,
  });
  await api.db.update(order).set({ status: "created" }).where(eq(order.id, open.id));
  await erase(people.leaver);
  expect(expectStatus(200, await request(people.leaver, "GET"))).toMatchObject({
    status: "waiting",
    blocked_by: { open_orders: 1, organisations: 0 },
  });
  await api.db.update(order).set({ status: "expired" }).where(eq(order.id, open.id));
  // The operator first decides on what others reported.
  const reported = { kind: "agent" as const, id: "agt_reported", ownerAccountId: confirm, openCounted: 1 };
  await api.db.insert(moderationSubject).values(reported);
  await erase(people.leaver);
  expect(expectStatus(200, await request(people.leaver, "GET"))).toMatchObject({ status: "waiting" });
  await api.db.delete(moderationSubject).where(eq(moderationSubject.id, reported.id));
  expectStatus(200, await request(people.leaver, "DELETE"));
  await erase(people.leaver);
  expect(await request(people.leaver, "GET")).toMatchObject({ status: 404 });
  expect((await orderOf(marked.shops.leaver.service.id, people.other)).status).toBe(201);
  await api.db.update(order).set({ status: "expired" }).where(eq(order.status, "created"));
});

test("a dispute that others began holds up the erasure of its arbiter for a month at most", async () => {
  const { court, orders } = marked;
  const { db } = court.api;
  const who = court.arbiter;
  const { id } = orders.sold.released;
  await db
    .update(order)
    .set({ status: "disputed", disputedAt: new Date(), arbiter: who.account.address })
    .where(eq(order.id, id));
  expect(expectStatus(202, await request(who, "POST", { confirm: who.accountId }))).toMatchObject({
    status: "waiting",
  });
  await erase(who);
  expect(expectStatus(200, await request(who, "GET"))).toMatchObject({
    status: "waiting",
    blocked_by: { open_orders: 0, disputes: 1, organisations: 0 },
  });
  const monthAgo = sql`now() - interval '31 days'`;
  await db.update(accountErasure).set({ dueAt: monthAgo }).where(eq(accountErasure.accountId, who.accountId));
  await erase(who);
  const again = await signIn(court.api, who.account);
  expect(expectStatus(200, await request(again, "GET"))).toMatchObject({ status: "done" });
  await db.update(order).set({ status: "released" }).where(eq(order.id, id));
});

test("an account requests its erasure ten times a day at most", async () => {
  const who = await signIn(marked.court.api);
  for (let at = 0; at < 10; at += 1) {
    expectStatus(202, await request(who, "POST", { confirm: who.accountId }));
    expectStatus(200, await request(who, "DELETE"));
  }
  expect(await request(who, "POST", { confirm: who.accountId })).toMatchObject({
    status: 409,
    body: { error: { code: "conflict" } },
  });
});

test("a request that is taken back and a sign-in at the same time wait for each other without a deadlock", async () => {
  const { api } = marked.court;
  const who = await signIn(api);
  expectStatus(202, await request(who, "POST", { confirm: who.accountId }));
  // The locks of a sign-in: the erasure's row, then the account that its session refers to.
  const signingIn = await api.db.$client.connect();
  await signingIn.query("begin");
  await signingIn.query("set local lock_timeout = '5s'");
  await signingIn.query("select from earnest.account_erasure where account_id = $1 for share", [
    who.accountId,
  ]);
  const takenBack = request(who, "DELETE");
  await expect
    .poll(() =>
      api.db.$count(
        sql`pg_stat_activity`,
        sql`datname = current_database() and wait_event_type = 'Lock' and query ilike '%account_erasure%'`,
      ),
    )
    .toBe(1);
  await signingIn.query("select from earnest.account where id = $1 for key share", [who.accountId]);
  await signingIn.query("commit");
  signingIn.release();
  expectStatus(200, await takenBack);
});

test("an erasure leaves no word and no file of the account, while its record and the other's words stay", async () => {
  const { court, people, orders } = marked;
  const { api } = court;
  const read = async (path: string, who = people.other) =>
    expectStatus(200, await ask(court, who, "GET", path));
  expect((await findInDatabase(leaving)).length).toBeGreaterThan(100);
  expect(findInFiles(leaving).length).toBeGreaterThan(5);
  // No chain has the orders, so the comparison finds the same differences before and after.
  const compare = async () => {
    const { differences } = await read(`/orders/${orders.sold.released.id}/reconcile`);
    return differences.map(({ what }: { what: string }) => what);
  };
  const before = {
    record: await readRecord(),
    others: (await findInDatabase(staying)).length,
    compared: await compare(),
  };
  const [{ slug = "" } = {}] = await api.db
    .select({ slug: agent.slug })
    .from(agent)
    .where(eq(agent.accountId, people.leaver.accountId));
  expectStatus(202, await ask(court, people.leaver, "POST", "/me/export"));
  expectStatus(202, await request(people.leaver, "POST", { confirm: people.leaver.accountId }));
  const logged = await erase(people.leaver);
  expect(logged).toContain("an account is erased");
  expect(logged).not.toContain(leaving);

  // The other account keeps what it bought and its own words: here a tag of its request.
  const kept = /^(file\.name|order\.output_payload|stage_output\.output): .*qzxvwqoutput|^open_request\.tags/;
  const remains = (await findInDatabase(leaving)).filter((at) => !kept.test(at) && !invoiced.test(at));
  expect(remains).toEqual([]);
  expect(findInFiles(leaving)).toEqual(findInFiles("qzxvwqoutputfile"));
  expect(await readRecord()).toEqual(before.record);
  expect(await compare()).toEqual(before.compared);
  expect((await findInDatabase(staying)).length).toBeGreaterThan(before.others * 0.75);

  const { released, disputed, inStages } = orders.sold;
  const bought = await read(`/orders/${released.id}`);
  expect(bought).toMatchObject({
    service: { title: "erased" },
    agent: { name: "erased" },
    input_payload: { text: "yvkhjqinput" },
    output_payload: { text: "qzxvwqoutput" },
  });
  const { file_id } = bought.output_payload.file;
  expect(await read(`/files/${file_id}`)).toMatchObject({ status: "ready", name: "qzxvwqoutputfile.txt" });
  expect(await read(`/orders/${released.id}/agreement`)).toMatchObject({
    service_title: "erased",
    service_title_sha256: sha256Of(Buffer.from("qzxvwqtitle")),
  });
  expect((await read(`/orders/${inStages.id}`)).stages).toMatchObject([
    { title: "erased" },
    { title: "erased" },
  ]);
  expect(
    (await read(`/orders/${released.id}/messages`)).items.map(({ text }: { text: string | null }) => text),
  ).toEqual([null, "yvkhjqmessage"]);
  const document = await read(`/orders/${disputed.id}/dispute`);
  expect(document.statements.map(({ text }: { text: string }) => text).sort()).toEqual([
    "erased",
    "yvkhjqstatement",
  ]);
  expect((await read(`/orders/${orders.bought.released.id}`)).input_payload).toBe(null);
  for (const path of ["events", "receipts", "dispute"])
    await ask(court, people.other, "GET", `/orders/${disputed.id}/${path}`);

  // Nobody else gets the name under which the account sold.
  expect(await ask(court, people.other, "POST", "/agents", { slug, name: "Another" })).toMatchObject({
    status: 409,
    body: { error: { code: "conflict" } },
  });

  // The account is empty, and its wallet opens it again.
  expect(await ask(court, people.leaver, "GET", "/orders")).toMatchObject({ status: 401 });
  const again = await signIn(api, people.leaver.account);
  expect(again.accountId).toBe(people.leaver.accountId);
  expect((await read("/orders", again)).items.length).toBe(5);
  expect(await read("/me/erasure", again)).toMatchObject({ status: "done" });
  expectStatus(202, await request(again, "POST", { confirm: again.accountId }));
  expectStatus(200, await request(again, "DELETE"));
});

test("a worker that is killed within a batch leaves the batch undone, and the next worker continues", async () => {
  const { court, people, orders } = marked;
  const { db, config } = court.api;
  expectStatus(202, await request(people.other, "POST", { confirm: people.other.accountId }));
  await db.update(accountErasure).set({ nextAt: sql`now()` });
  const holder = await db.$client.connect();
  await holder.query("begin");
  await holder.query(`select from earnest."order" where id = $1 for update`, [orders.sold.disputed.id]);
  const pool = openDatabase(config.databaseUrl, { max: 1 });
  const log = pino({ level: "silent" });
  const run = createEraser({ db: pool, log, slice: 60_000, pause: 0 });
  // The first run ends with the end of access.
  await run(new AbortController().signal);
  const killed = run(new AbortController().signal);
  const outcome = expect(killed).rejects.toThrow();
  await expect
    .poll(async () => {
      const { rows } = await db.execute(sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query ilike '%for update%'`);
      return rows.length;
    })
    .toBe(1);
  await outcome;
  await holder.query("rollback");
  holder.release();
  await pool.$client.end();
  const [row] = await db
    .select()
    .from(accountErasure)
    .where(eq(accountErasure.accountId, people.other.accountId));
  expect(row).toMatchObject({ status: "running", step: expect.any(Number) });
  // Until the end, nobody signs in and writes what would stay.
  await expect(signIn(court.api, people.other.account)).rejects.toThrow("being erased");
  // A request that was under way when access ended may write later: the end of the erasure finds it.
  await db.insert(organisationMember).values({
    accountId: people.other.accountId,
    memberAccountId: people.leaver.accountId,
    role: "admin",
  });
  // The batches before the kill are done, and the one that was killed is not.
  const { released, disputed } = orders.sold;
  const inputs = await db
    .select({ id: order.id, input: order.inputPayload })
    .from(order)
    .where(inArray(order.id, [released.id, disputed.id]));
  expect(Object.fromEntries(inputs.map(({ id, input }) => [id, input !== null]))).toEqual({
    [released.id]: false,
    [disputed.id]: true,
  });
});

test("orders of two erased accounts have no word, and no statement of an erasure scans a table", async () => {
  const { people } = marked;
  const scans = await countScans(() => erase(people.other));
  expect(scans).toEqual({});
  const isMember = eq(organisationMember.accountId, people.other.accountId);
  expect(await marked.court.api.db.$count(organisationMember, isMember)).toBe(0);
  for (const words of [leaving, staying]) {
    expect((await findInDatabase(words)).filter((at) => !invoiced.test(at))).toEqual([]);
    expect(findInFiles(words)).toEqual([]);
  }
});

/** Counts the scans of whole tables by the work. PostgreSQL scans only what has no index, as it is told here. */
async function countScans(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const { db, config } = marked.court.api;
  const name = new URL(config.databaseUrl).pathname.slice(1);
  await db.execute(sql`alter database ${sql.identifier(name)} set enable_seqscan = off`);
  const pool = openDatabase(config.databaseUrl);
  const read = async () => {
    await db.execute(sql`select pg_stat_clear_snapshot()`);
    const { rows } = await db.execute<{ name: string; scans: string }>(sql`
      select relname as name, seq_scan as scans from pg_stat_user_tables where schemaname = 'earnest'`);
    return new Map(rows.map((row) => [row.name, Number(row.scans)]));
  };
  // The counts of a connection are complete at its end.
  await pool.execute(sql`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = ${name} and pid <> pg_backend_pid()`);
  await sleep(500);
  const before = await read();
  eraserDb = pool;
  await work();
  eraserDb = null;
  await pool.$client.end();
  await sleep(500);
  const after = await read();
  return Object.fromEntries(
    [...after]
      .map(([table, scans]) => [table, scans - (before.get(table) ?? 0)] as const)
      .filter(([, scans]) => scans > 0),
  );
}
