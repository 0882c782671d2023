import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { createApp } from "../../../api/app.ts";
import { createContext } from "../../../api/context.ts";
import type { Config } from "../../../config/config.ts";
import { usualRates } from "../../../config/limits.ts";
import { createOpenStore } from "../../../trade/files/open-store.ts";
import { createTestApi, expectStatus, type Session, signIn, type TestApi } from "../../harness/api.ts";
import { storeSettings } from "../../harness/files/store.ts";
import { uploadAtOnce } from "../../harness/files/uploads.ts";
import { serveApi } from "../../harness/streams.ts";

/** More than the system buffers for a connection. */
const bytes = randomBytes(16 * 1024 * 1024);

let api: TestApi;
let owner: Session;
let other: Session;
let own: string;
let theirs: string;
beforeAll(async () => {
  api = await createTestApi({ env: await storeSettings() });
  [owner, other] = [await signIn(api), await signIn(api)];
  const server = await serveApi(api);
  const upload = async (who: Session) => {
    const sent = await uploadAtOnce(server.url, who, bytes, { filename: "a.bin" });
    expect(sent.status).toBe(201);
    return ((await sent.json()) as { id: string }).id;
  };
  [own, theirs] = [await upload(owner), await upload(other)];
  await server.close();
});
afterAll(() => api?.close());

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Changed = { downloads?: Partial<Config["files"]["downloads"]>; rateLimits?: Config["rateLimits"] };

/** Serves the API with other bounds of downloads. */
async function serve({ downloads, rateLimits = null }: Changed) {
  const { files } = api.config;
  const config = {
    ...api.config,
    rateLimits,
    files: { ...files, downloads: { ...files.downloads, ...downloads } },
  };
  const context = createContext(config);
  const served = await serveApi({ ...api, app: createApp(context) });
  closing.push(
    () => context.db.$client.end(),
    () => served.close(),
  );
  return {
    link: async (id = own, who = owner) => {
      const made = expectStatus(201, await api.request("POST", `/files/${id}/link`, { token: who.token }));
      return made.url.replace(api.config.publicUrl, served.url) as string;
    },
  };
}

/** Begins a download without reading it. */
async function hold(url: string): Promise<Socket> {
  const { port, pathname, search } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  closing.push(() => socket.destroy());
  socket.on("error", () => {});
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await new Promise((resolve) => socket.once("readable", resolve));
  const begun: Buffer = socket.read(15);
  expect(begun.toString()).toBe("HTTP/1.1 200 OK");
  return socket;
}

/** Reads what the server sent, until it ends the connection. */
async function drain(socket: Socket): Promise<number> {
  let size = 0;
  for await (const chunk of socket) size += (chunk as Buffer).length;
  return size;
}

const errorOf = async (answer: Response) => {
  const { error } = (await answer.json()) as { error: { code: string; message: string } };
  return [answer.status, error.code, error.message] as const;
};

// A network of accounts without a funded order has an eighth of the total.
test.each([{ account: 2 }, { address: 2 }, { total: 16 }])(
  "downloads at once are bounded: %j",
  async (bound) => {
    const { link } = await serve({ downloads: bound });
    const [one, two] = [await hold(await link()), await hold(await link())];
    const refused = await fetch(await link(own));
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await errorOf(refused)).toMatchObject([
      429,
      "rate_limited",
      expect.stringContaining("Too many downloads"),
    ]);
    // HEAD sends no bytes, so it needs no slot.
    const asked = await fetch(await link(), { method: "HEAD" });
    expect([asked.status, asked.headers.get("content-length")]).toEqual([200, String(bytes.length)]);
    const free = async () => {
      const answer = await fetch(await link(), { headers: { range: "bytes=0-9" } });
      return [answer.status, (await answer.arrayBuffer()).byteLength];
    };
    one.destroy();
    two.destroy();
    await vi.waitFor(async () => expect(await free()).toEqual([206, 10]), { timeout: 120_000 });
  },
);

test("a reader that takes no bytes is cut, and one that takes them is not", async () => {
  const { link } = await serve({ downloads: { seconds: 1, least: 1000, account: 2 } });
  const stalled = await hold(await link());
  await vi.waitFor(async () => expect((await fetch(await link())).status).toBe(200));
  await new Promise((resolve) => setTimeout(resolve, 2500));
  expect(await drain(stalled)).toBeLessThan(bytes.length);
  const whole = await fetch(await link());
  expect(bytes.equals(Buffer.from(await whole.arrayBuffer()))).toBe(true);
});

test("a download ends after its lifetime, however it is read", async () => {
  const { link } = await serve({ downloads: { least: 0, lifetime: 1 } });
  const held = await hold(await link());
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(await drain(held)).toBeLessThan(bytes.length);
});

test("a file counts before its first byte is sent, for the account of the link, and only once", async () => {
  const rateLimits = { ...usualRates, downloads: bytes.length + 1000, answers: 300_000 };
  const { link } = await serve({ rateLimits });
  const [url, small] = [await link(), await link()];
  await hold(url);
  const [status, code, message] = await errorOf(
    await fetch(small, { headers: { range: "bytes=0-7999999" } }),
  );
  expect([status, code]).toEqual([429, "rate_limited"]);
  expect(message).toContain("bytes of files sent to one client");
  // Another account at the same address has its own limit, and the answers of the address are not used up.
  const theirLink = await link(theirs, other);
  for (const _ of [1, 2]) {
    const part = await fetch(theirLink, { headers: { range: "bytes=0-399999" } });
    expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 400_000]);
  }
});

test("a file that the store lacks is an error in JSON, without the headers of a file", async () => {
  const { link } = await serve({});
  const url = await link(theirs, other);
  await (await createOpenStore(api.context)()).remove(theirs);
  const answer = await fetch(url);
  const headers = Object.fromEntries(answer.headers);
  expect(headers["content-type"]).toContain("application/json");
  expect(headers).not.toHaveProperty("content-disposition");
  expect(headers).not.toHaveProperty("etag");
  expect((await errorOf(answer)).slice(0, 2)).toEqual([503, "dependency_unavailable"]);
});
