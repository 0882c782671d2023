import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ConfigError } from "../../../config/config.ts";
import { createWebhookKeyFile, findWebhookKey, readWebhookKey } from "../../../config/keys/webhook-key.ts";
import { ourProgram, startProgram } from "../../harness/programs.ts";

const folder = mkdtempSync(join(tmpdir(), "earnest-webhook-key-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function refusal(webhookKeyFile: string): string {
  try {
    readWebhookKey({ webhookKeyFile });
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "";
}

test("a key is created once, readable by its owner only, and read back", () => {
  const file = join(folder, "keys", "webhooks.key");
  createWebhookKeyFile(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const key = readWebhookKey({ webhookKeyFile: file });
  expect(key).toHaveLength(32);
  const written = readFileSync(file, "utf8");
  expect(() => createWebhookKeyFile(file)).toThrow("EEXIST");
  expect(readFileSync(file, "utf8")).toBe(written);
  const other = join(folder, "other.key");
  createWebhookKeyFile(other);
  expect(readWebhookKey({ webhookKeyFile: other })).not.toEqual(key);
});

test("a missing key, one that others may read, and a malformed one are refused with what to do", () => {
  const missing = join(folder, "missing.key");
  expect(findWebhookKey({ webhookKeyFile: missing })).toBeNull();
  expect(refusal(missing)).toMatch(/There is no webhook key at .*missing\.key.*restore the file/s);
  const open = join(folder, "open.key");
  createWebhookKeyFile(open);
  chmodSync(open, 0o644);
  expect(refusal(open)).toContain("chmod 600");
  for (const text of [
    "",
    "c2hvcnQ=",
    `${"A".repeat(43)}`,
    `${"A".repeat(44)}=`,
    "not base64 at all, is it",
  ]) {
    const wrong = join(folder, "wrong.key");
    writeFileSync(wrong, text, { mode: 0o600 });
    expect(refusal(wrong)).toContain("is not a webhook key");
  }
});

test("npm run keys -- create-webhooks creates one, and never replaces it", async () => {
  const file = join(folder, "made.key");
  const make = () =>
    startProgram(process.execPath, ourProgram("scripts/keys.ts", "create-webhooks"), {
      env: { ...process.env, WEBHOOK_KEY_FILE: file },
    });
  const first = make();
  expect(await first.ended, first.output()).toBe(0);
  const made = readWebhookKey({ webhookKeyFile: file });
  const second = make();
  expect(await second.ended).toBe(1);
  expect(second.output()).toContain("exists and stays");
  expect(readWebhookKey({ webhookKeyFile: file })).toEqual(made);
});
