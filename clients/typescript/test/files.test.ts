import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Earnest, FileMismatchError, type FileProgress } from "../src/index.ts";
import { joinMarket, type Market, type Member } from "./market.fixture.ts";

let market: Market;
let buyer: Member;
let other: Member;

beforeAll(async () => {
  market = await joinMarket();
  [buyer, other] = await Promise.all([market.join(), market.join()]);
});
afterAll(() => market?.close());

const bytes = new Uint8Array(randomBytes(900_000));
const name = "page-3.bin";

/** A client without the market's proxy, which takes JSON only. */
const clientOf = ({ token }: Member, send: typeof fetch = fetch) =>
  new Earnest({ baseUrl: market.stack.baseUrl, apiKey: token, fetch: send });

test("uploads in parts with progress, and downloads what the reference names", async () => {
  const seen: FileProgress[] = [];
  const file = await clientOf(buyer).files.upload(new File([bytes], name), {
    chunkBytes: 400_000,
    onProgress: (progress) => seen.push(progress),
  });
  expect(file).toMatchObject({ name, size: bytes.length, status: "ready" });
  expect(seen.map((each) => each.bytes)).toEqual([0, 400_000, 800_000, 900_000]);
  const reference = file.reference;
  if (!reference) throw new Error("The file has no reference.");
  const blob = await clientOf(buyer).files.download(reference);
  expect(new Uint8Array((await blob?.arrayBuffer()) ?? [])).toEqual(bytes);

  const parts: Uint8Array[] = [];
  const into = new WritableStream<Uint8Array>({ write: (part) => void parts.push(part) });
  await clientOf(buyer).files.download(reference, { into });
  expect(Buffer.concat(parts).equals(bytes)).toBe(true);

  const wrong = { ...reference, sha256: `0x${"00".repeat(32)}` };
  await expect(clientOf(buyer).files.download(wrong)).rejects.toBeInstanceOf(FileMismatchError);
  await expect(clientOf(buyer).files.download({ ...reference, size: 7 })).rejects.toBeInstanceOf(
    FileMismatchError,
  );
  await expect(clientOf(other).files.download(reference)).rejects.toMatchObject({ code: "file_not_found" });
});

test("uploads what a source reads, also beyond 4 GiB, and refuses a source that ends early", async () => {
  const client = clientOf(buyer);
  const read = async (start: number, end: number) => bytes.slice(start, end);
  const file = await client.files.upload({ name, size: bytes.length, read }, { chunkBytes: 300_000 });
  expect(file).toMatchObject({ name, size: bytes.length, status: "ready" });
  const large = 2 ** 32 + bytes.length;
  const uploading = client.files.upload({ name, size: large, read });
  await expect(uploading).rejects.toThrow(`ended at byte ${bytes.length}`);
  const { items } = await client.files.list({ limit: 1 });
  expect(items).toMatchObject([{ size: large, status: "uploading" }]);
});

test("asks for a download again while the service has too many", async () => {
  const file = await clientOf(buyer).files.upload(bytes, { name });
  if (!file.reference) throw new Error("The file has no reference.");
  let asked = 0;
  const busy: typeof fetch = async (url, init) => {
    if (!String(url).includes("/downloads/")) return await fetch(url, init);
    asked += 1;
    if (asked < 3)
      return new Response("", { status: asked === 1 ? 429 : 503, headers: { "retry-after": "0" } });
    return await fetch(url, init);
  };
  const blob = await clientOf(buyer, busy).files.download(file.reference);
  expect([asked, blob?.size]).toEqual([3, bytes.length]);
});

test("continues through broken connections, and after a restart by the file's id", async () => {
  let requests = 0;
  const abort = new AbortController();
  const flaky: typeof fetch = async (url, init) => {
    if (init?.method !== "PATCH") return await fetch(url, init);
    requests += 1;
    if (requests === 1) throw new TypeError("the network broke before the request");
    const response = await fetch(url, init);
    if (requests === 2) throw new TypeError("the network broke before the answer");
    if (requests === 4) abort.abort(new Error("stopped"));
    return response;
  };
  const client = clientOf(buyer, flaky);
  let fileId = "";
  const options = {
    name,
    chunkBytes: 100_000,
    signal: abort.signal,
    onProgress: (progress: FileProgress) => {
      fileId = progress.fileId;
    },
  };
  await expect(client.files.upload(bytes, options)).rejects.toThrow("stopped");
  const file = await clientOf(buyer).files.upload(bytes, { fileId, chunkBytes: 300_000 });
  expect(file).toMatchObject({ id: fileId, status: "ready" });
  await expect(clientOf(buyer).files.upload(bytes.subarray(1), { fileId })).rejects.toBeInstanceOf(
    FileMismatchError,
  );
});
