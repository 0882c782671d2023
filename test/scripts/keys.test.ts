import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseKeyring } from "../../receipts/keyring.ts";
import { runKeys } from "../../scripts/keys.ts";
import { ourProgram } from "../harness/programs.ts";

const folder = mkdtempSync(join(tmpdir(), "earnest-keys-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("npm run keys", () => {
  const file = join(folder, "signing.json");
  const env = { SIGNING_KEY_FILE: file };
  const keys = (args: string[], settings: Record<string, string> = env) => {
    const { code, out, err } = runKeys(args, settings);
    return { code, out: out.join("\n"), err: err.join("\n") };
  };

  test("creates a first key and prints its file, and never replaces it", () => {
    expect(keys(["list"])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^There is no signing key at /),
    });
    expect(keys(["create"])).toMatchObject({
      code: 0,
      out: `Created ${file}. Keep a copy where only you can read it.`,
    });
    const before = readFileSync(file, "utf8");
    expect(keys(["create"])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/exists and stays/),
    });
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  test("keeps a copy of the file before a change, both readable by the owner only", () => {
    const before = readFileSync(file, "utf8");
    const { code, err } = keys(["rotate"]);
    expect(code).toBe(0);
    expect(err).not.toContain("less than 15 minutes");
    const names = readdirSync(folder).filter((name) => name.startsWith("signing.json"));
    expect(names).toEqual(["signing.json", expect.stringMatching(/^signing\.json\.\d{8}T\d{9}Z\.old$/)]);
    expect(readFileSync(join(folder, names[1] ?? ""), "utf8")).toBe(before);
    for (const name of names) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    const { out } = keys(["list"]);
    expect(out).toMatch(/^key-1 +signs +\S+ +\S+$/m);
    expect(out).toMatch(/^key-2 +waits +\S+$/m);
    expect(out).toMatch(/its log has 3 entries, head 0x[0-9a-f]{64}$/m);
    for (const { jwk } of parseKeyring(readFileSync(file, "utf8")).keys) expect(out).not.toContain(jwk.d);
  });

  test("lists the keys beside the fault of an invalid key of the log", () => {
    const logKeyFile = join(folder, "log.json");
    writeFileSync(logKeyFile, "no key");
    const { code, out } = keys(["list"], { ...env, LOG_KEY_FILE: logKeyFile });
    expect(code).toBe(0);
    expect(out).toMatch(/^key-1 +signs /m);
    expect(out).toMatch(/^log key: .*log\.json/m);
    rmSync(logKeyFile);
  });

  test("leaves the file unchanged where a change is impossible, or another is in progress", () => {
    const before = readFileSync(file, "utf8");
    expect(keys(["rotate"])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/A rotation is under way/),
    });
    writeFileSync(`${file}.new`, "");
    const since = ["--since", "2026-01-01T00:00:00Z"];
    expect(keys(["compromise", "key-1", ...since])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/another change of the keys is under way/),
    });
    rmSync(`${file}.new`);
    chmodSync(file, 0o604);
    expect(keys(["list"])).toMatchObject({ code: 1, err: expect.stringMatching(/chmod 600/) });
    chmodSync(file, 0o600);
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  test("with SIGNING_KEYS prints the new value on standard output, and writes nothing", () => {
    const value = JSON.stringify(JSON.parse(readFileSync(file, "utf8")));
    const files = readdirSync(folder);
    // A process of its own, because a secret must be on its standard output alone.
    const args = ourProgram("scripts/keys.ts", "retire", "key-1", "--at", "2099-01-01T00:00:00Z");
    const env = { ...process.env, SIGNING_KEYS: value };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
    expect([status, stderr]).toEqual([
      0,
      expect.stringMatching(/Set SIGNING_KEYS to the line on standard output/),
    ]);
    expect(parseKeyring(stdout).log).toHaveLength(4);
    for (const { jwk } of parseKeyring(stdout).keys) expect(stderr).not.toContain(jwk.d);
    expect(readdirSync(folder)).toEqual(files);
    expect(keys(["create"], { SIGNING_KEYS: value }).code).toBe(1);
  });

  test.each([
    [["rename"]],
    [[]],
    [["retire"]],
    [["rotate", "key-1"]],
    [["rotate", "--at", "2026-12-01T00:00:00Z"]],
    [["compromise", "key-1"]],
    [["compromise", "key-1", "--since", "yesterday"]],
    [["rotate", "--overlap", "-1"]],
    [["list", "--everything"]],
  ])("exits 2 with the usage for %j", (args) => {
    expect(keys(args)).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringMatching(/npm run keys -- list/),
    });
  });
});
