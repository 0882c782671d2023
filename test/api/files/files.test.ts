import { randomBytes } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFacts } from "../../../db/ledger.ts";
import { file, moderationSubject, order } from "../../../db/schema.ts";
import { digestOf } from "../../../protocol/settlement/index.ts";
import { removeDueFiles } from "../../../trade/files/file-removal.ts";
import { createOpenStore } from "../../../trade/files/open-store.ts";
import { expectStatus, publishService, type Session } from "../../harness/api.ts";
import { readStored, storeSettings } from "../../harness/files/store.ts";
import { sha256Of, uploadAtOnce } from "../../harness/files/uploads.ts";
import { ask, createMarket, indexer, type Market, rowOf, settleNow } from "../../harness/market/market.ts";
import { serveApi } from "../../harness/streams.ts";

let market: Market;
let server: Awaited<ReturnType<typeof serveApi>>;
let seller: Awaited<ReturnType<typeof publishService>>;
beforeAll(async () => {
  market = await createMarket({ env: await storeSettings() });
  server = await serveApi(market.api);
  seller = await publishService(market.api, market.provider, { slug: "any", title: "Anything" });
});
afterAll(async () => {
  await server?.close();
  await market?.api.close();
});

const bytes = randomBytes(70_000);
const ready = async (who: Session, name = "page.png", content = bytes) => {
  const sent = await uploadAtOnce(server.url, who, content, { filename: name });
  expect(sent.status).toBe(201);
  return ((await sent.json()) as { reference: { file_id: string; sha256: string } }).reference;
};
const read = (id: string, who: Session) => ask(market, who, "GET", `/files/${id}`);
const link = (id: string, who: Session) => ask(market, who, "POST", `/files/${id}/link`);
const urlOf = ({ url }: { url: string }) => url.replace(market.api.config.publicUrl, server.url);
const placeWith = (input: unknown) =>
  ask(market, market.buyer, "POST", "/orders", { service_id: seller.service.id, input_payload: input });
/** Deletes due files as the worker does. */
const removeDue = () => removeDueFiles(market.api.context, createOpenStore(market.api.context));
const isStored = async (id: string) => (await readStored(market.api, id)) !== null;

describe("an input", () => {
  test("that names a file commits to its hash, and gives it to the provider alone", async () => {
    const reference = await ready(market.buyer);
    expect((await read(reference.file_id, market.provider)).status).toBe(404);
    const { id } = expectStatus(201, await placeWith({ pages: [reference] }));
    expect((await rowOf(market, id)).inputPayload).toEqual({ pages: [reference] });
    expect(expectStatus(200, await read(reference.file_id, market.provider))).toMatchObject({
      is_used: true,
      reference,
    });
    expect((await read(reference.file_id, market.outsider)).body.error.code).toBe("file_not_found");
    expect((await link(reference.file_id, market.outsider)).status).toBe(404);
    const kept = await ask(market, market.buyer, "DELETE" as "POST", `/files/${reference.file_id}`);
    expect([kept.status, kept.body.error.code]).toEqual([409, "conflict"]);
  });

  test("that names another's file, or a file otherwise than it is, places no order", async () => {
    const [own, theirs] = [await ready(market.buyer), await ready(market.provider)];
    const before = await market.api.db.$count(order);
    const refused: [unknown, number, string][] = [
      [{ a: theirs }, 404, "file_not_found"],
      [{ a: { ...own, file_id: "fil_01jd3w8x2mfhz8w9q4t6n5k7ra" } }, 404, "file_not_found"],
      [{ a: { ...own, sha256: `0x${"00".repeat(32)}` } }, 422, "file_mismatch"],
      [{ a: { ...own, size: 1 } }, 422, "file_mismatch"],
      [{ a: { ...own, extra: 1 } }, 422, "file_mismatch"],
      [{ a: { file_id: own.file_id } }, 422, "file_mismatch"],
    ];
    for (const [input, status, code] of refused) {
      const answer = await placeWith(input);
      expect([answer.status, answer.body.error.code], JSON.stringify(input)).toEqual([status, code]);
    }
    expect(await market.api.db.$count(order)).toBe(before);
    expect(expectStatus(200, await read(own.file_id, market.buyer)).is_used).toBe(false);
  });
});

describe("an output", () => {
  test("that names a file gives it to the buyer, and commits to its hash", async () => {
    const { id } = expectStatus(201, await placeWith({ text: "x" }));
    const { funded } = indexer(market, await rowOf(market, id));
    await funded();
    await settleNow(market);
    expectStatus(200, await ask(market, market.provider, "POST", `/orders/${id}/start`));
    const [own, theirs] = [await ready(market.provider, "result.png"), await ready(market.outsider)];
    const deliver = (output_payload: object) =>
      ask(market, market.provider, "POST", `/orders/${id}/deliver`, { output_payload });
    expect((await deliver({ page: theirs })).body.error.code).toBe("file_not_found");
    expect((await deliver({ page: { ...own, name: "other" } })).body.error.code).toBe("file_mismatch");
    expect((await rowOf(market, id)).status).toBe("started");
    expect((await read(own.file_id, market.buyer)).status).toBe(404);
    expectStatus(200, await deliver({ page: own }));
    expect(expectStatus(200, await read(own.file_id, market.buyer)).reference).toEqual(own);
    const facts = await readFacts(market.api.db, id);
    const delivered = facts.find(({ type }) => type === "order.delivered");
    expect(delivered?.data.output_hash).toBe(digestOf({ page: own }));
  });
});

test("a purchase without an account cannot name files", async () => {
  const reference = await ready(market.buyer);
  const path = `/buy/${seller.agent.slug}/${seller.service.slug}`;
  const body = { input_payload: { page: reference }, buyer_address: market.buyer.account.address };
  const answer = await market.api.request("POST", path, { body });
  expect([answer.status, answer.body.error.code]).toEqual([404, "file_not_found"]);
});

describe("a link", () => {
  const name = '見積 "x".html';

  test("gives the bytes as an attachment that nothing runs, without a token", async () => {
    const html = Buffer.from("<script>alert(1)</script>");
    const { file_id } = await ready(market.buyer, name, html);
    const made = expectStatus(201, await link(file_id, market.buyer));
    expect(Date.parse(made.expires_at) - Date.now()).toBeLessThanOrEqual(300_000);
    const answer = await fetch(urlOf(made));
    expect([answer.status, await answer.text()]).toEqual([200, html.toString()]);
    const headers = Object.fromEntries(answer.headers);
    expect(headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "cache-control": "private, no-store",
      "accept-ranges": "bytes",
      etag: `"${sha256Of(html)}"`,
    });
    expect(headers["content-disposition"]).toMatch(
      /^attachment; filename=".*"; filename\*=UTF-8''%E8%A6%8B%E7%A9%8D/,
    );
  });

  test("gives ranges of the bytes", async () => {
    const { file_id } = await ready(market.buyer);
    const url = urlOf(expectStatus(201, await link(file_id, market.buyer)));
    const part = async (range: string) => {
      const answer = await fetch(url, { headers: { range } });
      const body = Buffer.from(await answer.arrayBuffer());
      return [answer.status, answer.headers.get("content-range"), body] as const;
    };
    expect(await part("bytes=10-19")).toEqual([206, "bytes 10-19/70000", bytes.subarray(10, 20)]);
    expect(await part("bytes=69990-")).toEqual([206, "bytes 69990-69999/70000", bytes.subarray(69_990)]);
    expect(await part("bytes=-5")).toEqual([206, "bytes 69995-69999/70000", bytes.subarray(69_995)]);
    expect((await part("bytes=0-999999"))[1]).toBe("bytes 0-69999/70000");
    expect((await part("bytes=70000-")).slice(0, 2)).toEqual([416, "bytes */70000"]);
    for (const range of ["bytes=5-1", "bytes=1-2,5-6", "lines=1-2", "bytes=-"]) {
      expect((await part(range))[0], range).toBe(200);
    }
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "70000"]);
  });

  test("is bound to its file, its account and its time, and neither token nor cookie replaces it", async () => {
    const [one, two] = [await ready(market.buyer), await ready(market.buyer)];
    const url = new URL(urlOf(expectStatus(201, await link(one.file_id, market.buyer))));
    const changed = (change: (copy: URL) => void) => {
      const copy = new URL(url);
      change(copy);
      return copy;
    };
    const wrong = [
      changed((copy) => {
        copy.pathname = `/downloads/${two.file_id}`;
      }),
      changed((copy) =>
        copy.searchParams.set("expires", String(Number(copy.searchParams.get("expires")) + 9)),
      ),
      changed((copy) => copy.searchParams.set("account", market.outsider.accountId)),
      changed((copy) => copy.searchParams.set("signature", "")),
      changed((copy) => {
        copy.search = "";
      }),
    ];
    for (const each of wrong) {
      const headers = {
        authorization: `Bearer ${market.buyer.token}`,
        cookie: `earnest_session=${market.buyer.token}`,
      };
      expect((await fetch(each, { headers })).status, each.href).toBe(404);
    }
    // The right to read is checked again with the download.
    await market.api.db
      .update(file)
      .set({ accountId: market.outsider.accountId })
      .where(eq(file.id, one.file_id));
    expect((await fetch(url)).status).toBe(404);
  });
});

describe("retention", () => {
  const age = (id: string) =>
    market.api.db.update(file).set({ dueAt: sql`now() - interval '1 second'` }).where(eq(file.id, id));

  test("removes an unused file, and an upload that did not end", async () => {
    const { file_id } = await ready(market.buyer);
    const begun = expectStatus(
      201,
      await ask(market, market.buyer, "POST", "/files", { name: "a", size: 9 }),
    );
    await age(file_id);
    await age(begun.id);
    await removeDue();
    expect(await isStored(file_id)).toBe(false);
    for (const id of [file_id, begun.id]) expect(await market.api.db.$count(file, eq(file.id, id))).toBe(0);
  });

  test("keeps a used file until its orders have ended for long, and then its name, size and hash", async () => {
    const reference = await ready(market.buyer);
    const { id } = expectStatus(201, await placeWith({ page: reference }));
    await age(reference.file_id);
    await removeDue();
    expect(await isStored(reference.file_id)).toBe(true);
    const ended = { status: "released", completedAt: new Date(Date.now() - 366 * 86_400_000) };
    await market.api.db.update(order).set(ended).where(eq(order.id, id));
    // The operator first decides on a report of the file.
    const name = { kind: "file" as const, id: reference.file_id };
    await market.api.db
      .insert(moderationSubject)
      .values({ ...name, ownerAccountId: market.buyer.accountId, open: 1 });
    await age(reference.file_id);
    await removeDue();
    expect(await isStored(reference.file_id)).toBe(true);
    await market.api.db.delete(moderationSubject).where(eq(moderationSubject.id, name.id));
    await age(reference.file_id);
    await removeDue();
    expect(await isStored(reference.file_id)).toBe(false);
    expect(expectStatus(200, await read(reference.file_id, market.provider))).toMatchObject({
      status: "erased",
      sha256: reference.sha256,
      name: "page.png",
      reference: null,
    });
    expect((await link(reference.file_id, market.provider)).body.error.code).toBe("file_erased");
    const again = await placeWith({ page: reference });
    expect([again.status, again.body.error.code]).toEqual([404, "file_not_found"]);
  });

  test("keeps the files of a lapsed unpaid order for a week", async () => {
    const reference = await ready(market.buyer);
    const { id } = expectStatus(201, await placeWith({ page: reference }));
    for (const [days, isKept] of [
      [6, true],
      [8, false],
    ] as const) {
      const fundBy = Math.floor(Date.now() / 1000) - days * 86_400;
      await market.api.db.update(order).set({ status: "expired", fundBy }).where(eq(order.id, id));
      await age(reference.file_id);
      await removeDue();
      expect(await isStored(reference.file_id)).toBe(isKept);
    }
  });

  test("keeps the bytes of a deleted upload until no request writes it", async () => {
    const { file_id } = await ready(market.buyer);
    const lease = (until: Date) =>
      market.api.db.update(file).set({ leasedUntil: until }).where(eq(file.id, file_id));
    await lease(new Date(Date.now() + 60_000));
    const deleted = await market.api.request("DELETE", `/files/${file_id}`, { token: market.buyer.token });
    expect(deleted.status).toBeLessThan(300);
    await removeDue();
    expect(await isStored(file_id)).toBe(true);
    await lease(new Date(Date.now() - 1000));
    await removeDue();
    expect(await isStored(file_id)).toBe(false);
  });
});
