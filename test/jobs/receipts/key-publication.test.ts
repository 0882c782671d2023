import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createKeyFile, readReceiptSigner } from "../../../config/keys/signing-key.ts";
import { keyLog, signingKey } from "../../../db/schema.ts";
import { publishKeys } from "../../../jobs/receipts/key-publication.ts";
import { createKeyring, rotateKeys } from "../../../receipts/keyring.ts";
import { createTestDatabase, type TestDatabase } from "../../harness/database.ts";
import { getFixture } from "../../harness/fixtures/fixture.ts";
import { until } from "../../harness/jobs/ledger.ts";
import { spawnWorker } from "../../harness/jobs/processes.ts";

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

test("a new key file is readable by its owner only, and is never overwritten", () => {
  const file = newFile();
  createKeyFile(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { issuer, keys } = readReceiptSigner({ signingKeyFile: file, publicUrl });
  expect(issuer).toBe("did:web:market.example");
  expect(keys).toHaveLength(1);
  expect(() => createKeyFile(file)).toThrow(/EEXIST/);
});

test("a missing key file is refused with what to do, and none is created", async () => {
  const file = newFile();
  expect(() => readReceiptSigner({ signingKeyFile: file, publicUrl })).toThrow(
    /restore the file from its copy/,
  );
  const worker = spawnWorker({
    DATABASE_URL: database.url,
    DEPLOYMENTS_DIR: (await getFixture("baseChain")).deployments,
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
  expect(() => readReceiptSigner({ signingKeyFile: file, publicUrl })).toThrow(
    /others may read it \(mode 640\)/,
  );
});

test("a damaged key file is refused without repeating its content", () => {
  const file = newFile();
  writeFileSync(file, '{"version":1,"keys":[{"kid":"key-1","jwk":{"d":"secret"}}]}', { mode: 0o600 });
  expect(() => readReceiptSigner({ signingKeyFile: file, publicUrl })).toThrow(/cannot be used/);
  expect(() => readReceiptSigner({ signingKeyFile: file, publicUrl })).not.toThrow(/secret/);
});

test("publishing keeps retired keys and their log, and refuses another history", async () => {
  const issuer = "did:web:market.example";
  const first = createKeyring(new Date("2026-01-01T00:00:00Z"));
  await publishKeys(database.db, { issuer, ...first });
  const rotated = rotateKeys(first, {
    now: new Date("2026-02-01T00:00:00Z"),
    begin: new Date("2026-02-01T01:00:00Z"),
    end: new Date("2026-02-02T00:00:00Z"),
  });
  await Promise.all([1, 2, 3].map(() => publishKeys(database.db, { issuer, ...rotated })));
  const published = await database.db.select().from(signingKey).orderBy(signingKey.kid);
  const [one, two] = rotated.keys;
  expect(published).toEqual([
    {
      kid: "key-1",
      publicJwk: { kty: "OKP", crv: "Ed25519", x: one?.jwk.x },
      notBefore: new Date("2026-01-01T00:00:00Z"),
      retiredAt: new Date("2026-02-02T00:00:00Z"),
      compromisedSince: null,
    },
    {
      kid: "key-2",
      publicJwk: { kty: "OKP", crv: "Ed25519", x: two?.jwk.x },
      notBefore: new Date("2026-02-01T01:00:00Z"),
      retiredAt: null,
      compromisedSince: null,
    },
  ]);
  const log = await database.db.select().from(keyLog).orderBy(keyLog.seq);
  expect(log.map(({ entry }) => entry)).toEqual(rotated.log);
  for (const { jwk } of rotated.keys) expect(JSON.stringify([published, log])).not.toContain(jwk.d);

  await expect(publishKeys(database.db, { issuer, ...first })).rejects.toThrow(
    /log ends with entry 1, but 3 entries are published\. Restore/,
  );
  const other = createKeyring(new Date("2026-01-01T00:00:00Z"));
  await expect(publishKeys(database.db, { issuer, ...other })).rejects.toThrow(
    /Entry 1 of the key file's log differs from the published entry/,
  );
  expect(await database.db.select().from(keyLog).orderBy(keyLog.seq)).toEqual(log);
});
