import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeOldDrafts } from "./fixtures/browser.ts";

test("the drafts of killed runs are removed, and those of running ones stay", () => {
  const cache = mkdtempSync(join(tmpdir(), "earnest-browser-"));
  try {
    const folder = join(cache, "chromium-1");
    const [draft, other] = [`${folder}-a1`, join(cache, "vitest-1")];
    for (const path of [folder, draft, other]) mkdirSync(path);
    removeOldDrafts(folder);
    expect(existsSync(draft)).toBe(true);
    removeOldDrafts(folder, Date.now() + 3_600_000);
    expect([folder, other].map(existsSync)).toEqual([true, true]);
    expect(existsSync(draft)).toBe(false);
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
});
