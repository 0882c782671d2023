import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { strFromU8, unzipSync } from "fflate";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiKey, dataExport, orderMessage, session } from "../../../db/schema.ts";
import { createDataExporter } from "../../../jobs/privacy/data-exports.ts";
import { accountTables } from "../../../trade/privacy/account-tables.ts";
import { createKey, expectStatus, type Session } from "../../harness/api.ts";
import { writeReadyFile } from "../../harness/files/ready-file.ts";
import {
  ask,
  createMarket,
  indexer,
  type Market,
  placeDelivered,
  settleNow,
} from "../../harness/market/market.ts";

let market: Market;
beforeAll(async () => {
  market = await createMarket();
});
afterAll(() => market?.api.close());

const request = (who: Session) => ask(market, who, "POST", "/me/export");
const runTask = (files = market.api.config.files) =>
  createDataExporter({ db: market.api.db, config: { files }, log: pino({ level: "silent" }) })(
    new AbortController().signal,
  );

async function download(who: Session): Promise<Record<string, string>> {
  const file = expectStatus(200, await ask(market, who, "GET", "/exports/account.zip"));
  return Object.fromEntries(
    Object.entries(unzipSync(Buffer.from(file, "latin1"))).map(([name, bytes]) => [name, strFromU8(bytes)]),
  );
}

test("an export has each kind of data of the account, nothing of others, and no secret", async () => {
  const { provider, buyer, outsider } = market;
  const { id } = await placeDelivered(
    market,
    { translation: "Good day 🙂" },
    { input_payload: { text: "Guten Tag 9007199254740993" } },
  );
  await indexer(market, (await placeDelivered(market)).row).ended("Released");
  await settleNow(market);
  const key = await createKey(market.api, buyer, ["orders:read"]);
  expectStatus(
    201,
    await ask(market, buyer, "POST", `/orders/${id}/messages`, { text: "A message of the buyer." }),
  );
  expectStatus(
    201,
    await ask(market, provider, "POST", `/orders/${id}/messages`, { text: "A hidden answer." }),
  );
  await market.api.db
    .update(orderMessage)
    .set({ hiddenAt: new Date() })
    .where(eq(orderMessage.authorAccountId, provider.accountId));
  // This file is older, and too large for an archive.
  await writeReadyFile(market.api.db, buyer.accountId, { name: "film.mp4", size: 2 ** 31 });
  const own = await writeReadyFile(market.api.db, buyer.accountId, { name: "../page 1.pdf", size: 12 });
  const { directory } = market.api.config.files;
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, own.file_id), "Some figures");
  // The bytes of this file are lost.
  await writeReadyFile(market.api.db, buyer.accountId, { name: "lost.pdf", size: 12 });
  const details = { name: "Ромашка", address_lines: ["Street 1"], country: "RS" };
  const set = { token: buyer.token, body: details };
  expectStatus(200, await market.api.request("PUT", "/me/billing-details", set));

  expect(expectStatus(202, await request(buyer))).toMatchObject({ status: "waiting", size: null });
  expect(await ask(market, buyer, "GET", "/exports/account.zip")).toMatchObject({ status: 409 });
  expect(await request(buyer)).toMatchObject({ status: 409, body: { error: { code: "conflict" } } });
  expect(await runTask()).toBe(1);
  expect(await runTask()).toBe(null);
  expect(expectStatus(200, await ask(market, buyer, "GET", "/me/export"))).toMatchObject({ status: "ready" });

  const files = await download(buyer);
  const packed = `files/${own.file_id}-.._page_1.pdf`;
  expect(Object.keys(files).sort()).toEqual(
    ["README.txt", ...accountTables.map(({ name }) => `${name}.json`), packed].sort(),
  );
  expect(files[packed]).toBe("Some figures");
  const rowsOf = (name: string) => JSON.parse(files[`${name}.json`] ?? "") as Record<string, unknown>[];
  expect(rowsOf("account")).toMatchObject([{ id: buyer.accountId }]);
  expect(rowsOf("orders").find((one) => one.id === id)).toMatchObject({
    your_role: "buyer",
    amount: "2500000",
    input_payload: { text: "Guten Tag 9007199254740993" },
    output_payload: { translation: "Good day 🙂" },
  });
  for (const name of ["wallets", "sessions", "api_keys", "order_facts", "receipts", "events", "audit_log"]) {
    expect(rowsOf(name).length, name).toBeGreaterThan(0);
  }
  expect(rowsOf("order_messages").map(({ text }) => text)).toEqual(["A message of the buyer."]);
  expect(rowsOf("billing_details")).toMatchObject([{ details }]);
  expect(rowsOf("agents")).toEqual([]);
  expect(rowsOf("files").map(({ name, download }) => [name, download])).toContainEqual([
    "../page 1.pdf",
    `POST /api/v1/files/${own.file_id}/link`,
  ]);

  // Neither a secret, nor the hash of one, nor data of another account.
  const all = Object.values(files).join("\n");
  const secrets = [
    ...(await market.api.db.select({ hash: session.tokenHash }).from(session)),
    ...(await market.api.db.select({ hash: apiKey.tokenHash }).from(apiKey)),
  ].flatMap(({ hash }) => hash ?? []);
  expect(secrets.length).toBeGreaterThan(3);
  for (const secret of [...secrets, buyer.token, key]) expect(all).not.toContain(secret);
  expect(all).not.toContain("A hidden answer.");
  expect(all).not.toContain(outsider.accountId);
});

test("only a session of the account itself reads the export, and no operation on files reaches it", async () => {
  const { buyer, outsider } = market;
  const key = await createKey(market.api, buyer, ["orders:read", "orders:write"]);
  for (const [method, path] of [
    ["POST", "/me/export"],
    ["GET", "/me/export"],
    ["GET", "/exports/account.zip"],
  ] as const) {
    expect(await market.api.request(method, path, { token: key })).toMatchObject({ status: 403 });
    expect(await market.api.request(method, path)).toMatchObject({ status: 401 });
  }
  expect(await ask(market, outsider, "GET", "/exports/account.zip")).toMatchObject({ status: 404 });
  const [row] = await market.api.db.select().from(dataExport);
  expect(await ask(market, buyer, "GET", `/files/${row?.stored}`)).toMatchObject({ status: 404 });
  expect(await ask(market, buyer, "POST", `/files/${row?.stored}/link`)).toMatchObject({ status: 404 });
});

test("an account exports once a day, a failed export may be repeated, and an old one is removed", async () => {
  const { buyer, provider } = market;
  expect(await request(buyer)).toMatchObject({ status: 429, body: { error: { code: "rate_limited" } } });
  const full = { ...market.api.config.files, inAll: 1 };
  for (const [files, failure] of [
    [{ ...market.api.config.files, largest: 100 }, "too_large"],
    [full, "no_space"],
    [full, "no_space"],
  ] as const) {
    expectStatus(202, await request(provider));
    await runTask(files);
    expect(expectStatus(200, await ask(market, provider, "GET", "/me/export"))).toMatchObject({
      status: "failed",
      failure,
    });
  }
  expect(await request(provider)).toMatchObject({ status: 429 });
  expect(await ask(market, provider, "GET", "/exports/account.zip")).toMatchObject({ status: 409 });
  await market.api.db.update(dataExport).set({ createdAt: sql`now() - interval '4 days'` });
  await runTask();
  expect(await market.api.db.$count(dataExport)).toBe(0);
  expect(await ask(market, buyer, "GET", "/exports/account.zip")).toMatchObject({ status: 404 });
});
