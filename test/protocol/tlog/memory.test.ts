import { describe, expect, test } from "vitest";
import { checkMemory, type LogMemory } from "../../../protocol/tlog/memory.ts";
import { createSampleLog, fetchOf, sampleEntries, sampleVkey } from "../../harness/tlog/sample-log.ts";

const trust = { vkey: sampleVkey };
const origin = "log.example/log";

function createMemory(): LogMemory & { notes: Map<string, string> } {
  const notes = new Map<string, string>();
  return {
    notes,
    get: (name) => notes.get(name) ?? null,
    set: (name, note) => {
      notes.set(name, note);
    },
  };
}

/** A log with 300 entries, and then two histories. */
function twoStories() {
  const [one, two] = [createSampleLog(), createSampleLog()];
  const first = one.append(sampleEntries(0, 300));
  two.append(sampleEntries(0, 300));
  return { one, two, first };
}

describe("a client with a memory", () => {
  test("accepts a continuation of the log, and stores the newest checkpoint", async () => {
    const { one, first } = twoStories();
    const memory = createMemory();
    const options = { memory, fetch: fetchOf(one.served) };
    expect(await checkMemory(first, trust, options)).toMatchObject({ valid: true, seen: "nothing" });
    expect(await checkMemory(first, trust, options)).toMatchObject({ valid: true, seen: "same" });
    const second = one.append(sampleEntries(300, 900));
    expect(await checkMemory(second, trust, { ...options, isNewest: true })).toMatchObject({
      valid: true,
      seen: "smaller",
      checkpoint: { size: 900 },
    });
    expect(memory.notes.get(origin)).toBe(second);
    // The checkpoint of a proof that was stored for long.
    expect(await checkMemory(first, trust, options)).toMatchObject({ valid: true, seen: "larger" });
    expect(memory.notes.get(origin)).toBe(second);
  });

  test("refuses a fork, larger, smaller or of one size, and has both checkpoints as evidence", async () => {
    const { one, two, first } = twoStories();
    const ours = one.append(sampleEntries(300, 600));
    for (const other of [
      two.append(sampleEntries(300, 500, "other ")),
      two.append(sampleEntries(500, 600)),
      two.append(sampleEntries(600, 700)),
    ]) {
      const memory = createMemory();
      memory.set(origin, ours);
      // Each history's tiles lead to its own checkpoint's root.
      const fetch = fetchOf(other.includes("\n700\n") ? two.served : one.served);
      expect(await checkMemory(other, trust, { memory, fetch })).toMatchObject({
        valid: false,
        code: "forked",
        evidence: { remembered: ours, given: other },
      });
      expect(memory.notes.get(origin)).toBe(ours);
    }
    const memory = createMemory();
    memory.set(origin, first);
    expect(await checkMemory(ours, trust, { memory, fetch: fetchOf(one.served) })).toMatchObject({
      valid: true,
    });
  });

  test("refuses a newest checkpoint that is smaller than the stored one", async () => {
    const { one, first } = twoStories();
    const memory = createMemory();
    memory.set(origin, one.append(sampleEntries(300, 301)));
    const options = { memory, fetch: fetchOf(one.served), isNewest: true };
    expect(await checkMemory(first, trust, options)).toMatchObject({ valid: false, code: "rolled_back" });
  });

  test("accuses nobody where tiles are missing or wrong, and keeps its state", async () => {
    const { one, two, first } = twoStories();
    const memory = createMemory();
    memory.set(origin, first);
    const second = one.append(sampleEntries(300, 600));
    const none = await checkMemory(second, trust, { memory, fetch: fetchOf(new Map()) });
    expect(none).toMatchObject({ valid: false, code: "tile_unavailable" });
    expect(none).not.toHaveProperty("evidence");
    two.append(sampleEntries(300, 600, "other "));
    const wrong = await checkMemory(second, trust, { memory, fetch: fetchOf(two.served) });
    expect(wrong).toMatchObject({ valid: false, code: "wrong_tile" });
    expect(wrong).not.toHaveProperty("evidence");
    expect(memory.notes.get(origin)).toBe(first);
  });

  test("says that a log which shows a smaller tree without the remembered tiles began anew or lost entries", async () => {
    const { one, first } = twoStories();
    const memory = createMemory();
    const second = one.append(sampleEntries(300, 600));
    memory.set(origin, second);
    const anew = await checkMemory(first, trust, { memory, fetch: fetchOf(new Map()) });
    expect(anew).toMatchObject({
      valid: false,
      code: "tile_unavailable",
      message: expect.stringMatching(/a tree of 600 entries.* only 300 .*began anew.*remove its checkpoint/),
    });
    expect(memory.notes.get(origin)).toBe(second);
  });

  test("stores no checkpoint without a trusted signature", async () => {
    const { one, first } = twoStories();
    const memory = createMemory();
    const options = { memory, fetch: fetchOf(one.served) };
    const changed = first.replace("\n300\n", "\n301\n");
    expect(await checkMemory(changed, trust, options)).toMatchObject({
      valid: false,
      code: "invalid_signature",
    });
    expect(memory.notes.size).toBe(0);
  });
});
