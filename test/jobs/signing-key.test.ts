import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { signingKey } from "../../db/schema.ts";
import { publishKeys } from "../../jobs/signing-key.ts";
import { createSigningKey, serializeKeyFile } from "../../receipts/keys.ts";
import { createKeyFile, readSigner } from "../../signer.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";
import { until } from "./fixtures.ts";
import { spawnWorker } from "./processes.ts";

const publicUrl = "https://market.example";
const folder = mkdtempSync(join(tmpdir(), "earnest-key-"));
let database: TestDatabase;
let files = 0;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

function newFile(): string {
  files += 1;
  return join(folder, `signing-${files}.json`);
}

test("a fresh key file is for its owner's eyes only, and is never written over", () => {
  const file = newFile();
  createKeyFile(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { issuer, keys } = readSigner({ signingKeyFile: file, publicUrl });
  expect(issuer).toBe("did:web:market.example");
  expect(keys).toHaveLength(1);
  expect(() => createKeyFile(file)).toThrow(/EEXIST/);
});

test("a missing key file is refused with what to do, and none is made", async () => {
  const file = newFile();
  expect(() => readSigner({ signingKeyFile: file, publicUrl })).toThrow(/restore the file from its copy/);
  const worker = spawnWorker({
    DATABASE_URL: database.url,
    DEPLOYMENTS_DIR: inject("baseDeployments"),
    SIGNING_KEY_FILE: file,
  });
  await until(async () => worker.ended() !== null, "the worker ends");
  expect(worker.ended()).toBe(1);
  expect(worker.output()).toMatch(/^There is no signing key at /);
  expect(() => statSync(file)).toThrow(/ENOENT/);
});

test("a key file that others may read is refused", () => {
  const file = newFile();
  createKeyFile(file);
  chmodSync(file, 0o640);
  expect(() => readSigner({ signingKeyFile: file, publicUrl })).toThrow(/others may read it \(mode 640\)/);
});

test("a damaged key file is refused without repeating what is in it", () => {
  const file = newFile();
  writeFileSync(file, '{"version":1,"keys":[{"kid":"key-1","jwk":{"d":"secret"}}]}', { mode: 0o600 });
  expect(() => readSigner({ signingKeyFile: file, publicUrl })).toThrow(/cannot be used/);
  expect(() => readSigner({ signingKeyFile: file, publicUrl })).not.toThrow(/secret/);
});

test("publishing keeps retired keys, marks retirements, and refuses another key under a published name", async () => {
  const first = createSigningKey("key-1", new Date("2026-01-01T00:00:00Z"));
  const second = createSigningKey("key-2", new Date("2026-02-01T00:00:00Z"));
  const issuer = "did:web:market.example";
  await publishKeys(database.db, { issuer, keys: [first] });
  const retired = { ...first, retired_at: "2026-02-02T00:00:00.000Z" };
  const keys = [retired, second];
  await Promise.all([1, 2, 3].map(() => publishKeys(database.db, { issuer, keys })));
  const published = await database.db.select().from(signingKey).orderBy(signingKey.kid);
  expect(published).toEqual([
    {
      kid: "key-1",
      publicJwk: { kty: "OKP", crv: "Ed25519", x: first.jwk.x },
      createdAt: new Date("2026-01-01T00:00:00Z"),
      retiredAt: new Date("2026-02-02T00:00:00Z"),
    },
    {
      kid: "key-2",
      publicJwk: { kty: "OKP", crv: "Ed25519", x: second.jwk.x },
      createdAt: new Date("2026-02-01T00:00:00Z"),
      retiredAt: null,
    },
  ]);
  expect(JSON.stringify(published)).not.toContain(first.jwk.d);

  const forged = createSigningKey("key-2", new Date("2026-03-01T00:00:00Z"));
  await expect(publishKeys(database.db, { issuer, keys: [first, forged] })).rejects.toThrow(
    /key-2 is not the one that was published/,
  );
  expect(serializeKeyFile(keys)).toContain(second.kid);
});
