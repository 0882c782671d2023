import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createApp } from "../../../api/app.ts";
import { createContext } from "../../../api/context.ts";
import { usualRates } from "../../../config/limits.ts";
import { account, file } from "../../../db/schema.ts";
import { createFile } from "../../../trade/files/file-quota.ts";
import { createOpenStore } from "../../../trade/files/open-store.ts";
import type { ByteRange } from "../../../trade/files/store/file-store.ts";
import { completeUpload } from "../../../trade/files/upload.ts";
import {
  type Answer,
  createTestApi,
  expectStatus,
  type Session,
  signIn,
  type TestApi,
} from "../../harness/api.ts";
import { readStored, storeSettings } from "../../harness/files/store.ts";
import {
  headersOf,
  metadataOf,
  offsetOf,
  sendBytes,
  sha256Of,
  uploadAtOnce,
} from "../../harness/files/uploads.ts";
import { makeParty } from "../../harness/party.ts";
import { serveApi } from "../../harness/streams.ts";

let api: TestApi;
let server: Awaited<ReturnType<typeof serveApi>>;
let owner: Session;
let other: Session;
beforeAll(async () => {
  api = await createTestApi({
    env: { FILE_MB: "64", FILES_ACCOUNT_MB: "400", FILES_TOTAL_MB: "4000", ...(await storeSettings()) },
  });
  server = await serveApi(api);
  [owner, other] = [await signIn(api), await signIn(api)];
});
afterAll(async () => {
  await server?.close();
  await api?.close();
});

const png = Buffer.concat([
  // The header of a PNG image, and a chunk of its data.
  Buffer.from("89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de002dc6c049444154", "hex"),
  randomBytes(3_000_000),
]);

/** Begins an upload. Returns the file, and the URL at the served port. */
async function begin(bytes: { length: number }, more: object = {}, who = owner) {
  const body = { name: "page.png", size: bytes.length, ...more };
  const made = expectStatus(201, await api.request("POST", "/files", { token: who.token, body }));
  return { ...made, url: `${server.url}/uploads/${made.id}` };
}
const read = async (id: string, who = owner) => api.request("GET", `/files/${id}`, { token: who.token });
const storedOf = (id: string) => readStored(api, id);
const bodyOf = async (response: Response): Promise<Answer["body"]> => response.json();
const errorOf = async (response: Response) => [response.status, (await bodyOf(response)).error.code];

describe("an upload", () => {
  test("in parts is hashed while it streams, and has its type by the content", async () => {
    const made = await begin(png, { name: "page.html" });
    expect(made).toMatchObject({
      status: "uploading",
      sha256: null,
      type: null,
      reference: null,
      is_used: false,
    });
    expect(await offsetOf(made.url, owner)).toBe(0);
    const half = 1_500_000;
    const first = await sendBytes(made.url, owner, 0, png.subarray(0, half));
    expect([first.status, first.headers.get("upload-offset")]).toEqual([204, String(half)]);
    expect(await offsetOf(made.url, owner)).toBe(half);
    expect((await sendBytes(made.url, owner, half, png.subarray(half))).status).toBe(204);
    const sha256 = sha256Of(png);
    const reference = { file_id: made.id, sha256, size: png.length, name: "page.html" };
    const shown = expectStatus(200, await read(made.id));
    expect(shown).toMatchObject({ status: "ready", sha256, type: "image/png", upload_url: null, reference });
    expect(await offsetOf(made.url, owner)).toBe(png.length);
    expect(await errorOf(await sendBytes(made.url, owner, png.length, Buffer.from("x")))).toEqual([
      409,
      "conflict",
    ]);
  });

  test("of a small file takes one request", async () => {
    const bytes = Buffer.from("grüezi\n");
    const sent = await uploadAtOnce(server.url, owner, bytes, { filename: "a.png", sha256: sha256Of(bytes) });
    expect(sent.status).toBe(201);
    const shown = await bodyOf(sent);
    expect(shown).toMatchObject({
      name: "a.png",
      type: "text/plain",
      status: "ready",
      sha256: sha256Of(bytes),
    });
    expect(sent.headers.get("location")).toContain(`/uploads/${shown.id}`);
  });

  test("with another hash than it named is deleted, and frees its quota", async () => {
    const bytes = randomBytes(50_000);
    const sent = await uploadAtOnce(server.url, owner, bytes, {
      filename: "a",
      sha256: sha256Of(randomBytes(3)),
    });
    expect(await errorOf(sent)).toEqual([422, "file_hash_mismatch"]);
    const made = await begin(bytes, { sha256: `0x${"00".repeat(32)}` });
    expect(await errorOf(await sendBytes(made.url, owner, 0, bytes))).toEqual([422, "file_hash_mismatch"]);
    expect(await storedOf(made.id)).toBe(null);
    expect(await api.db.$count(file, eq(file.id, made.id))).toBe(0);
  });

  test("that breaks off resumes after the stored bytes, and has the right hash", async () => {
    const made = await begin(png);
    await sendBytes(made.url, owner, 0, png.subarray(0, 100_000));
    // The connection breaks in the middle of a request.
    const abort = new AbortController();
    const broken = new ReadableStream({
      async start(controller) {
        controller.enqueue(png.subarray(100_000, 700_000));
        await sleep(300);
        abort.abort();
      },
    });
    const headers = headersOf(owner, {
      "upload-offset": "100000",
      "content-type": "application/offset+octet-stream",
      "content-length": String(png.length - 100_000),
    });
    await expect(
      fetch(made.url, {
        method: "PATCH",
        headers,
        body: broken,
        duplex: "half",
        signal: abort.signal,
      } as RequestInit),
    ).rejects.toThrow();
    let offset = 0;
    for (let tries = 0; tries < 50 && offset === 0; tries += 1) {
      offset = await offsetOf(made.url, owner).catch(() => 0);
      await sleep(50);
    }
    expect(offset).toBeGreaterThanOrEqual(100_000);
    expect((await sendBytes(made.url, owner, offset, png.subarray(offset))).status).toBe(204);
    expect(expectStatus(200, await read(made.id)).sha256).toBe(sha256Of(png));
  });

  test("whose process died after a write continues from the store, and counts no byte twice", async () => {
    const made = await begin(png);
    await sendBytes(made.url, owner, 0, png.subarray(0, 1_000_000));
    // As after a crash: the bytes are stored, and the state of the hash is older.
    await api.db
      .update(file)
      .set({ hashState: null, hashed: 0, leasedUntil: new Date(Date.now() + 700) })
      .where(eq(file.id, made.id));
    expect(await errorOf(await sendBytes(made.url, owner, 1_000_000, png.subarray(1_000_000)))).toEqual([
      423,
      "upload_busy",
    ]);
    await sleep(800);
    expect((await sendBytes(made.url, owner, 1_000_000, png.subarray(1_000_000))).status).toBe(204);
    expect(expectStatus(200, await read(made.id)).sha256).toBe(sha256Of(png));
    expect(png.equals((await storedOf(made.id)) ?? Buffer.of())).toBe(true);
  });

  test("that was stored whole before a crash is completed by the next question for its offset", async () => {
    const bytes = randomBytes(20_000);
    const made = await begin(bytes);
    await sendBytes(made.url, owner, 0, bytes);
    await api.db
      .update(file)
      .set({ completedAt: null, sha256: null, hashState: null, hashed: 0 })
      .where(eq(file.id, made.id));
    expect(await offsetOf(made.url, owner)).toBe(bytes.length);
    expect(expectStatus(200, await read(made.id))).toMatchObject({
      status: "ready",
      sha256: sha256Of(bytes),
    });
  });

  test("that is read again after a crash continues where an ended request stopped", async () => {
    const bytes = randomBytes(400_000);
    const made = await begin(bytes);
    await sendBytes(made.url, owner, 0, bytes);
    const reset = { completedAt: null, sha256: null, hashState: null, hashed: 0 };
    await api.db.update(file).set(reset).where(eq(file.id, made.id));
    const store = await createOpenStore(api.context)();
    const failing = {
      ...store,
      read: async (id: string, range: ByteRange) =>
        Readable.from(
          (async function* () {
            for await (const chunk of await store.read(id, { ...range, end: range.start + 149_999 }))
              yield chunk;
            throw new Error("the process died");
          })(),
        ),
    };
    const context = { db: api.db, unusedSeconds: 3600, every: 50_000 };
    await expect(completeUpload(context, failing, made.id)).rejects.toThrow("the process died");
    const [row] = await api.db.select().from(file).where(eq(file.id, made.id));
    expect(row?.hashed).toBeGreaterThanOrEqual(50_000);
    expect(await completeUpload(context, store, made.id)).toMatchObject({ sha256: sha256Of(bytes) });
  });

  test("is completed by one request at a time, which lets other work of the process run", async () => {
    const bytes = randomBytes(8_000_000);
    const made = await begin(bytes);
    await sendBytes(made.url, owner, 0, bytes);
    const reset = { completedAt: null, sha256: null, hashState: null, hashed: 0 };
    await api.db.update(file).set(reset).where(eq(file.id, made.id));
    const store = await createOpenStore(api.context)();
    const reading = Promise.withResolvers<void>();
    const slow = {
      ...store,
      // One chunk of the whole file, as a request within the process sends it.
      read: async () => {
        await reading.promise;
        return Readable.from([bytes]);
      },
    };
    const context = { db: api.db, unusedSeconds: 3600 };
    const first = completeUpload(context, slow, made.id);
    await vi.waitFor(async () => {
      const [row] = await api.db.select().from(file).where(eq(file.id, made.id));
      expect(row?.leaseOwner).not.toBe(null);
    });
    await expect(completeUpload(context, store, made.id)).rejects.toMatchObject({ code: "upload_busy" });
    expect((await fetch(made.url, { method: "HEAD", headers: headersOf(owner) })).status).toBe(423);
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    reading.resolve();
    setImmediate(count);
    expect(await first).toMatchObject({ sha256: sha256Of(bytes) });
    isOver = true;
    expect(turns).toBeGreaterThan(20);
    const [row] = await api.db.select().from(file).where(eq(file.id, made.id));
    expect(row).toMatchObject({ leaseOwner: null, leasedUntil: null });
  });

  test("is no other account's", async () => {
    const made = await begin(png);
    for (const method of ["HEAD", "PATCH", "DELETE"]) {
      const headers = headersOf(other, {
        "upload-offset": "0",
        "content-type": "application/offset+octet-stream",
      });
      expect((await fetch(made.url, { method, headers })).status, method).toBe(404);
    }
    expect((await fetch(made.url, { method: "HEAD" })).status).toBe(401);
    expect((await read(made.id, other)).status).toBe(404);
    expect((await api.request("DELETE", `/files/${made.id}`, { token: other.token })).status).toBe(404);
  });

  test("can be deleted by its owner, in both ways", async () => {
    const [one, two] = [await begin(png), await begin(png)];
    await sendBytes(one.url, owner, 0, png.subarray(0, 1000));
    expect((await fetch(one.url, { method: "DELETE", headers: headersOf(owner) })).status).toBe(204);
    expectStatus(200, await api.request("DELETE", `/files/${two.id}`, { token: owner.token }));
    for (const { id } of [one, two]) {
      expect(await storedOf(id)).toBe(null);
      expect((await read(id)).status).toBe(404);
    }
  });
});

describe("the protocol", () => {
  test("is announced, and its faults are answered in the error envelope", async () => {
    const options = await fetch(`${server.url}/uploads`, { method: "OPTIONS" });
    expect([options.status, options.headers.get("tus-version")]).toEqual([204, "1.0.0"]);
    expect(options.headers.get("tus-max-size")).toBe(String(64 * 1024 * 1024));
    const made = await begin(png);
    const type = "application/offset+octet-stream";
    const faults: [headers: Record<string, string>, status: number, code: string][] = [
      [{ "upload-offset": "5", "content-type": type }, 409, "conflict"],
      [{ "upload-offset": "0", "content-type": "text/html" }, 400, "invalid_request"],
      [{ "content-type": type }, 400, "invalid_request"],
      [{ "upload-offset": "0", "content-type": type, "tus-resumable": "0.2.2" }, 412, "precondition_failed"],
    ];
    for (const [more, status, code] of faults) {
      const answer = await fetch(made.url, { method: "PATCH", headers: headersOf(owner, more), body: "abc" });
      expect(await errorOf(answer), JSON.stringify(more)).toEqual([status, code]);
    }
    expect(await offsetOf(made.url, owner)).toBe(0);
  });

  test("takes no byte beyond the declared size", async () => {
    const made = await begin({ length: 1000 });
    expect((await sendBytes(made.url, owner, 0, randomBytes(1001))).status).toBe(413);
    expect(await offsetOf(made.url, owner)).toBe(0);
  });

  test("needs a declared length, and takes at most 64 MiB in a request", async () => {
    const made = await begin(png);
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from("abc"));
        controller.close();
      },
    });
    expect(await errorOf(await sendBytes(made.url, owner, 0, stream))).toEqual([400, "invalid_request"]);
    const declared = await api.app.request(`/uploads/${made.id}`, {
      method: "PATCH",
      headers: headersOf(owner, { "content-length": String(64 * 1024 * 1024 + 1) }),
    });
    expect([declared.status, (await bodyOf(declared)).error.code]).toEqual([413, "payload_too_large"]);
  });

  test("refuses names with a path or hidden characters, and lengths that are none", async () => {
    const names = [
      "../../etc/passwd",
      "a/b",
      "a\\b",
      "..",
      ".",
      "a\u202egnp.exe",
      "a\u0000b",
      "",
      "x".repeat(201),
    ];
    const held = await api.db.$count(file);
    for (const filename of names) {
      const answer = await uploadAtOnce(server.url, owner, Buffer.from("x"), { filename });
      expect(await errorOf(answer), filename).toEqual([400, "invalid_request"]);
      const body = { name: filename, size: 1 };
      expect((await api.request("POST", "/files", { token: owner.token, body })).status).toBe(400);
    }
    for (const length of ["0", "-1", "1e3", "", "99999999999999999999"]) {
      const headers = headersOf(owner, {
        "upload-length": length,
        "upload-metadata": metadataOf({ filename: "a" }),
      });
      expect((await fetch(`${server.url}/uploads`, { method: "POST", headers })).status, length).toBe(400);
    }
    expect(await api.db.$count(file)).toBe(held);
  });
});

describe("the slots", () => {
  // A network of accounts without a funded order has an eighth of the total.
  test.each([{ account: 2 }, { address: 2 }, { total: 16 }])(
    "bound the requests that send bytes at once, and are taken before a row is written: %j",
    async (bound) => {
      const files = { ...api.config.files, uploads: { ...api.config.files.uploads, ...bound } };
      const context = createContext({ ...api.config, files });
      const bounded = await serveApi({ ...api, app: createApp(context) });
      const held = [0, 1].map(async () => {
        const { id } = await begin(png);
        const end = Promise.withResolvers<void>();
        const slow = new ReadableStream({
          async start(controller) {
            controller.enqueue(png.subarray(0, 1000));
            await end.promise;
            controller.enqueue(png.subarray(1000));
            controller.close();
          },
        });
        const length = { "content-length": String(png.length) };
        const sent = sendBytes(`${bounded.url}/uploads/${id}`, owner, 0, slow, length);
        return { id, sent, end };
      });
      const sending = await Promise.all(held);
      await vi.waitFor(async () => {
        const leased = await api.db.$count(file, sql`lease_owner is not null`);
        expect(leased).toBe(2);
      });
      const rows = await api.db.$count(file);
      const refused = await uploadAtOnce(bounded.url, owner, Buffer.from("x"), { filename: "a" });
      expect(await errorOf(refused)).toEqual([429, "rate_limited"]);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await api.db.$count(file)).toBe(rows);
      for (const { end } of sending) end.resolve();
      expect(await Promise.all(sending.map(async ({ sent }) => (await sent).status))).toEqual([204, 204]);
      const freed = await uploadAtOnce(bounded.url, owner, Buffer.from("x"), { filename: "a" });
      expect(freed.status).toBe(201);
      await bounded.close();
      await context.db.$client.end();
    },
  );
});

describe("the quotas", () => {
  test("bound the size of a file, the bytes of an account, and its uploads at once", async () => {
    const who = await signIn(api);
    const create = (size: number) =>
      api.request("POST", "/files", { token: who.token, body: { name: "a", size } });
    expect((await create(64 * mebibyte + 1)).body.error).toMatchObject({ code: "file_quota_exceeded" });
    // A new account has a quarter: 100 MiB. The declared size counts before the first byte.
    expectStatus(201, await create(60 * mebibyte));
    expect((await create(60 * mebibyte)).body.error).toMatchObject({ code: "file_quota_exceeded" });
    await makeParty(api.db, who.accountId);
    expectStatus(201, await create(60 * mebibyte));
    const simultaneous = await Promise.all(Array.from({ length: 25 }, () => create(1)));
    expect(simultaneous.filter(({ status }) => status === 201)).toHaveLength(18);
    await api.db.delete(file).where(eq(file.accountId, who.accountId));
  });

  test("bound the files of an account", async () => {
    const who = await signIn(api);
    const files = { ...api.config.files, counts: { account: 2, uploads: 9 } };
    const create = () =>
      createFile({ db: api.db, config: { files } }, who, { name: "a", size: 1, sha256: null });
    await create();
    await create();
    await expect(create()).rejects.toMatchObject({
      code: "file_quota_exceeded",
      message: expect.stringContaining("2 files"),
    });
    await api.db.delete(file).where(eq(file.accountId, who.accountId));
  });

  test("keep a quarter of the space for each network of parties", async () => {
    const party = await signIn(api);
    await makeParty(api.db, party.accountId);
    const setNetwork = (network: string) =>
      api.db.update(account).set({ network }).where(eq(account.id, party.accountId));
    const create = () => api.request("POST", "/files", { token: party.token, body: { name: "a", size: 10 } });
    await setNetwork("203.0.113.0/24");
    const bytes = api.config.files.inAll / 4 - 10;
    await api.db.execute(sql`
      insert into earnest.file_tally (bucket, bytes) values ('parties 203.0.113.0/24', ${bytes})`);
    expectStatus(201, await create());
    expect((await create()).body.error).toMatchObject({ code: "file_quota_exceeded" });
    await setNetwork("198.51.100.0/24");
    expectStatus(201, await create());
    await api.db.delete(file).where(eq(file.accountId, party.accountId));
    await api.db.execute(sql`update earnest.file_tally set bytes = 0`);
  });

  test("keep half of the space of all accounts for parties of funded orders", async () => {
    const all = api.config.files.inAll;
    await api.db.execute(sql`
      insert into earnest.file_tally (bucket, bytes) values ('unproven', ${all / 2}), ('all', ${all / 2})
      on conflict (bucket) do update set bytes = excluded.bytes`);
    const [free, party] = [await signIn(api), await signIn(api)];
    await makeParty(api.db, party.accountId);
    const create = (who: Session) =>
      api.request("POST", "/files", { token: who.token, body: { name: "a", size: 10 } });
    expect((await create(free)).body.error).toMatchObject({ code: "file_quota_exceeded" });
    expectStatus(201, await create(party));
    await api.db.execute(sql`update earnest.file_tally set bytes = 0`);
  });

  const mebibyte = 1024 * 1024;

  /** Declares bodies of these sizes for an upload that does not exist, under limits of a minute. */
  async function declare(
    changed: Partial<typeof usualRates>,
    requests: [who: Session, size: number][],
    files = api.config.files,
  ): Promise<[status: number, message: string][]> {
    await api.db.execute(sql`delete from earnest.rate_limit`);
    const rateLimits = { ...usualRates, ...changed };
    const context = createContext({ ...api.config, rateLimits, files });
    const app = createApp(context);
    const answers: [number, string][] = [];
    for (const [who, size] of requests) {
      const headers = headersOf(who, { "content-length": String(size) });
      const answer = await app.request("/uploads/fil_01jd3w8x2mfhz8w9q4t6n5k7ra", {
        method: "PATCH",
        headers,
      });
      answers.push([answer.status, (await bodyOf(answer)).error.message]);
    }
    await context.db.$client.end();
    return answers;
  }
  const statusesOf = (answers: [number, string][]) => answers.map(([status]) => status);

  test("bound the bytes of a minute: of an account, and of all, where parties have their own share", async () => {
    const own = await declare({ uploads: 16 * mebibyte }, [
      [owner, 10 * mebibyte],
      [owner, 10 * mebibyte],
      [other, 10 * mebibyte],
    ]);
    expect(statusesOf(own)).toEqual([404, 429, 404]);
    expect(own[1]?.[1]).toContain("bytes of uploads of one client");
    const party = await signIn(api);
    await makeParty(api.db, party.accountId);
    const all = await declare({ uploads: 10 * mebibyte, uploads_in_all: 40 * mebibyte }, [
      [owner, 10 * mebibyte],
      [other, 10 * mebibyte],
      [party, 10 * mebibyte],
    ]);
    expect(statusesOf(all)).toEqual([404, 429, 404]);
    expect(all[1]?.[1]).toContain("bytes of uploads of all clients");
  });

  test("count 8 MiB for a small request that continues an upload in a bucket", async () => {
    const s3 = { bucket: "b", endpoint: undefined, region: "r", credentials: undefined, isPresigned: false };
    const small: [Session, number][] = [
      [owner, 1],
      [owner, 1],
      [owner, 1],
    ];
    const most = { uploads: 16 * mebibyte };
    const { files } = api.config;
    expect(statusesOf(await declare(most, small, { ...files, s3 }))).toEqual([404, 404, 429]);
    expect(statusesOf(await declare(most, small, { ...files, s3: null }))).toEqual([404, 404, 404]);
  });

  test("end an upload of too many small requests", async () => {
    const made = await begin(png);
    await api.db.update(file).set({ writes: 1_000_000 }).where(eq(file.id, made.id));
    expect(await errorOf(await sendBytes(made.url, owner, 0, png))).toEqual([409, "conflict"]);
  });
});

test("the stored bytes are those that were sent", async () => {
  const bytes = randomBytes(300_000);
  const made = await begin(bytes);
  await sendBytes(made.url, owner, 0, bytes.subarray(0, 7));
  await sendBytes(made.url, owner, 7, bytes.subarray(7));
  expect(bytes.equals((await storedOf(made.id)) ?? Buffer.of())).toBe(true);
});
