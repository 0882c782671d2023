import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FetchBytes, fetchFrom } from "../../../protocol/tlog/fetch.ts";
import { hashLeaf, verifyConsistency, verifyInclusion } from "../../../protocol/tlog/merkle.ts";
import { LogReader } from "../../../protocol/tlog/reader.ts";
import { createSampleLog, fetchOf, sampleEntries } from "../../harness/tlog/sample-log.ts";

const code = (name: string) => expect.objectContaining({ code: name });
const all = sampleEntries(0, 1500);

/** A log of 1,500 entries, grown in steps; its older trees. */
function grown() {
  const log = createSampleLog();
  const trees = [3, 256, 700, 1024, 1500].map((size, i, sizes) => {
    log.append(all.slice(sizes[i - 1] ?? 0, size));
    return log.tree();
  });
  return { log, trees };
}

describe("a reader", () => {
  test("returns entries, older roots and proofs that lead to the checkpoint's root", async () => {
    const { log, trees } = grown();
    const reader = new LogReader(log.tree(), fetchOf(log.served));
    const { size, root } = log.tree();
    for (const { size: oldSize, root: oldRoot } of trees) {
      expect(await reader.rootAt(oldSize)).toEqual(oldRoot);
      const proof = await reader.proveConsistency(oldSize);
      expect(verifyConsistency({ oldSize, oldRoot, size, root, proof })).toBe(true);
    }
    for (const index of [0, 255, 256, 1023, 1499]) {
      const entry = await reader.readEntry(index);
      expect(entry).toEqual(all[index]);
      const proof = await reader.proveInclusion(index);
      expect(verifyInclusion({ hash: hashLeaf(entry), index, size, root, proof })).toBe(true);
    }
    await expect(reader.readEntry(1500)).rejects.toThrow(RangeError);
    await expect(reader.rootAt(1501)).rejects.toThrow(RangeError);
  });

  test("returns all entries once, in order, or a range of them", async () => {
    const { log } = grown();
    const reader = new LogReader(log.tree(), fetchOf(log.served));
    const read = async (from?: number, to?: number) => {
      const found: { index: number; entry: Uint8Array }[] = [];
      for await (const part of reader.entries(from, to)) found.push(...part);
      return found;
    };
    const expected = all.map((entry, index) => ({ index, entry }));
    expect(await read()).toEqual(expected);
    expect(await read(250, 520)).toEqual(expected.slice(250, 520));
    expect(await read(1499, 9999)).toEqual(expected.slice(1499));
    expect(await read(1500)).toEqual([]);
    const empty = createSampleLog();
    for await (const part of new LogReader(empty.tree(), fetchOf(empty.served)).entries())
      expect(part).toEqual([]);
  });

  test("reads an older tree when its partial tiles have become full ones", async () => {
    const { log, trees } = grown();
    for (const path of log.served.keys()) {
      if (log.served.has(path.replace(/\.p\/.*/, "")) && path.includes(".p/")) log.served.delete(path);
    }
    const tree = trees[2] ?? expect.fail("none");
    const reader = new LogReader(tree, fetchOf(log.served));
    expect(await reader.readEntry(699)).toEqual(all[699]);
    expect(await reader.rootAt(256)).toEqual(trees[1]?.root);
  });

  test("refuses a changed, short or missing tile or bundle, and retries a missing one", async () => {
    const { log } = grown();
    for (const [path, bytes] of [...log.served]) {
      const isEdge = !/\.p\//.test(path) || /\.p\/(220|5)$/.test(path);
      if (!isEdge) continue;
      const readAll = async (served: Map<string, Uint8Array>) => {
        for await (const part of new LogReader(log.tree(), fetchOf(served)).entries())
          expect(part).not.toEqual([]);
      };
      const wrong = path.includes("entries") ? "wrong_entries" : "wrong_tile";
      const changed = bytes.with(-1, (bytes.at(-1) as number) ^ 1);
      await expect(readAll(new Map(log.served).set(path, changed)), path).rejects.toThrow(code(wrong));
      const short = bytes.subarray(1);
      await expect(readAll(new Map(log.served).set(path, short)), path).rejects.toThrow(code(wrong));
      const gone = new Map(log.served);
      gone.delete(path);
      await expect(readAll(gone), path).rejects.toThrow(code("tile_unavailable"));
      const reader = new LogReader(log.tree(), fetchOf(gone));
      await reader.rootAt(1500).catch(() => {});
      gone.set(path, bytes);
      expect(await reader.rootAt(1500)).toEqual(log.tree().root);
    }
  });

  test("refuses tiles of another log, though they are consistent", async () => {
    const { log } = grown();
    const other = createSampleLog();
    other.append(sampleEntries(0, 1500, "other "));
    const reader = new LogReader(log.tree(), fetchOf(other.served));
    await expect(reader.readEntry(0)).rejects.toThrow(code("wrong_tile"));
    await expect(reader.proveConsistency(3)).rejects.toThrow(code("wrong_tile"));
  });

  test("caches as much of a long log as of a short one", async () => {
    const log = createSampleLog();
    log.append(sampleEntries(0, 30_000));
    let requestCount = 0;
    const fetch: FetchBytes = (path, maxBytes) => {
      requestCount++;
      return fetchOf(log.served)(path, maxBytes);
    };
    const reader = new LogReader(log.tree(), fetch);
    let entries = 0;
    for await (const part of reader.entries()) entries += part.length;
    expect(entries).toBe(30_000);
    // 118 bundles with their tiles; the last bundle is the edge's, and the other edge bundle is cached.
    expect(requestCount).toBe(118 * 2 + 1);
    await reader.readEntry(29_999);
    await reader.readEntry(0);
    // The oldest tile was evicted, and its parent was not.
    expect(requestCount).toBe(118 * 2 + 1 + 1 + 2);
  });
});

describe("reading over HTTP", () => {
  const log = createSampleLog();
  log.append(all);
  const server = createServer((request, response) => {
    const path = request.url?.replace("/log/", "") ?? "";
    if (path === "slow") return;
    if (path === "moved") response.writeHead(302, { location: "/log/tile/0/000" }).end();
    else if (log.served.has(path)) response.end(log.served.get(path));
    else response.writeHead(404).end();
  });
  let prefix = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    prefix = `http://127.0.0.1:${(server.address() as AddressInfo).port}/log`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test("returns the log's tiles", async () => {
    const reader = new LogReader(log.tree(), fetchFrom(prefix));
    expect(await reader.readEntry(1234)).toEqual(all[1234]);
    expect(await new LogReader(log.tree(), fetchFrom(`${prefix}//`)).readEntry(1)).toEqual(all[1]);
  });

  test("refuses redirects, answers that are too large or too slow, and other statuses", async () => {
    const fetch = fetchFrom(prefix, { timeoutMs: 200 });
    expect(await fetch("tile/0/000", 8192)).toHaveLength(8192);
    await expect(fetch("tile/0/000", 8191)).rejects.toThrow(code("tile_unavailable"));
    await expect(fetch("moved", 8192)).rejects.toThrow(code("tile_unavailable"));
    await expect(fetch("none", 8192)).rejects.toThrow(code("tile_unavailable"));
    await expect(fetch("slow", 8192)).rejects.toThrow(/no response within 200 ms/);
  });
});
