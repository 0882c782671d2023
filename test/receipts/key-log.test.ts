import { createPrivateKey } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issuerOf } from "../../receipts/issuer.ts";
import {
  followKeyLog,
  hashEntry,
  type KeyLogEntry,
  type KeyLogOptions,
  keyLogEntrySchema,
  keyLogMethodId,
  verifyKeyLog,
} from "../../receipts/key-log.ts";
import { compromiseKey, createKeyring, type Keyring, rotateKeys } from "../../receipts/keyring.ts";
import { addProof } from "../../receipts/sign.ts";
import { createSigningKey, didDocumentOf, type SigningKey } from "../../receipts/signing-keys.ts";
import { serve } from "../harness/receipts/documents.ts";

const start = new Date("2026-01-01T00:00:00Z");
const at = (hours: number) => new Date(start.getTime() + hours * 3_600_000);
const now = at(100);
const first = createKeyring(start);
const rotated = rotateKeys(first, { now: at(10), begin: at(11), end: at(35) });
const compromised = compromiseKey(rotated, "key-1", { since: at(5), now: at(50) });
const headOf = ({ log }: Keyring) => hashEntry(log.at(-1) as KeyLogEntry);

/** The issuer's current answers; tests change them. */
let served: Keyring;
let server: Awaited<ReturnType<typeof serve>>;
let did: string;
let requests: string[];

beforeAll(async () => {
  server = await serve((request, response) => {
    requests.push(request.url ?? "");
    const bodies: Record<string, unknown> = {
      "/.well-known/did.json": didDocumentOf(did, served.keys),
      "/.well-known/earnest-key-log.json": logOf(served.log),
    };
    const body = bodies[request.url ?? ""];
    response.writeHead(body ? 200 : 404).end(JSON.stringify(body ?? {}));
  });
  did = issuerOf(server.url);
});
afterAll(() => server.close());

const logOf = (entries: readonly KeyLogEntry[]) => ({ type: "KeyLog", version: 1, issuer: did, entries });

async function check(log: unknown, ring: Keyring, options: Partial<KeyLogOptions> = {}) {
  served = ring;
  requests = [];
  return verifyKeyLog(log, { issuer: did, now, ...options });
}
const codeOf = async (log: unknown, ring: Keyring, options: Partial<KeyLogOptions> = {}) => {
  const result = await check(log, ring, options);
  return result.valid ? "valid" : result.code;
};

/** Signs changed entries again, as an owner of the key would, each after the one before it. */
function resign(
  entries: readonly KeyLogEntry[],
  signers: readonly (SigningKey | undefined)[],
): KeyLogEntry[] {
  const log: KeyLogEntry[] = [];
  for (const [i, { proof, ...statement }] of entries.entries()) {
    const last = log.at(-1);
    const { proofValue: _, ...options } = { ...proof, created: statement.at };
    const signer = signers[i] as SigningKey;
    const state = followKeyLog(rotated.log).keys.find(({ kid }) => kid === signer.kid);
    const unsigned = { ...statement, previous: last ? hashEntry(last) : null };
    const verificationMethod = keyLogMethodId(state?.public_key ?? entries[i]?.public_key ?? "");
    const key = createPrivateKey({ key: signer.jwk, format: "jwk" });
    log.push(keyLogEntrySchema.parse(addProof(unsigned, { ...options, verificationMethod }, key)));
  }
  return log;
}

describe("a good key log", () => {
  test("is valid, fetched from the URL in the DID document, with the keys at its end and its head", async () => {
    expect(await check(undefined, compromised)).toEqual({
      valid: true,
      kind: "key_log",
      issuer: did,
      head: headOf(compromised),
      entries: 4,
      keys: followKeyLog(compromised.log).keys,
      doubtful: [2, 3],
    });
    expect(requests).toEqual(["/.well-known/did.json", "/.well-known/earnest-key-log.json"]);
  });

  test("is valid as text, at each of its lengths, and contains the head of every shorter length", async () => {
    const history = [first, rotated, compromised];
    for (const [i, ring] of history.entries()) {
      for (const before of history.slice(0, i + 1)) {
        const text = JSON.stringify(logOf(ring.log), null, 2);
        expect(await codeOf(text, ring, { pin: headOf(before) })).toBe("valid");
      }
    }
  });

  test("has entries whose proofs can be checked with the key in them (did:key)", () => {
    for (const { proof } of compromised.log) {
      expect(proof.verificationMethod).toMatch(/^did:key:(z6Mk[^#]+)#\1$/);
    }
  });
});

describe("a pin detects a history that", () => {
  test("was started again with other keys", async () => {
    const other = rotateKeys(createKeyring(start), { now: at(10), begin: at(11), end: at(35) });
    expect(await codeOf(undefined, other)).toBe("valid");
    expect(await codeOf(undefined, other, { pin: headOf(first) })).toBe("key_log_rewritten");
  });

  test("was shortened", async () => {
    expect(await codeOf(undefined, first)).toBe("valid");
    expect(await codeOf(undefined, first, { pin: headOf(rotated) })).toBe("key_log_rewritten");
  });

  test("differs after the pin's own beginning", async () => {
    const fork = rotateKeys(first, { now: at(10), begin: at(11), end: at(35) });
    expect(await codeOf(undefined, fork, { pin: headOf(rotated) })).toBe("key_log_rewritten");
    expect(await codeOf(undefined, fork, { pin: headOf(first) })).toBe("valid");
  });

  test("lacks the pin, which is no hash", async () => {
    expect(await codeOf(undefined, first, { pin: "" })).toBe("key_log_rewritten");
  });
});

describe("a tampered key log is refused", () => {
  const log = rotated.log as [KeyLogEntry, KeyLogEntry, KeyLogEntry];
  const [key1, key2] = rotated.keys as [SigningKey, SigningKey];
  const changed = (i: number, fields: object) =>
    log.map((entry, j) => (i === j ? { ...entry, ...fields } : entry));

  test.each<[string, string, () => unknown[]]>([
    ["an entry is left out", "key_log_broken", () => [log[0], log[2]]],
    ["the first is left out", "key_log_broken", () => log.slice(1)],
    ["two are in another order", "key_log_broken", () => [log[0], log[2], log[1]]],
    ["an entry is there twice", "key_log_broken", () => [...log, log[2]]],
    ["an entry names another before it", "key_log_broken", () => changed(1, { previous: null })],
    ["the first names one before it", "key_log_broken", () => changed(0, { previous: hashEntry(log[2]) })],
    ["the last is changed", "invalid_signature", () => changed(2, { retired_at: at(36).toISOString() })],
    [
      "one in between is changed",
      "invalid_signature",
      () => changed(1, { not_before: at(12).toISOString() }),
    ],
    ["its time is changed", "invalid_proof", () => changed(2, { at: at(10.5).toISOString() })],
    ["its proof is another's", "invalid_signature", () => changed(2, { proof: log[1].proof })],
    [
      "its proof names another method",
      "key_log_foreign_signer",
      () => {
        const proof = { ...log[2].proof, verificationMethod: "did:web:market.example#key-1-mb" };
        return changed(2, { proof });
      },
    ],
    ["its proof is gone", "invalid_shape", () => changed(2, { proof: undefined })],
    ["a member is added", "invalid_shape", () => changed(2, { note: "x" })],
    ["it has no entries", "invalid_shape", () => []],
    ["it is no list", "invalid_shape", () => ({}) as unknown[]],
  ])("when %s: %s", async (_what, code, entries) => {
    expect(await codeOf({ ...logOf([]), entries: entries() }, rotated)).toBe(code);
  });

  test.each<[string, string, () => KeyLogEntry[]]>([
    ["a key signs before its time", "key_log_foreign_signer", () => resign(log, [key1, key1, key2])],
    [
      "the key to be added signs its own addition",
      "key_log_foreign_signer",
      () => resign(log, [key1, key2, key1]),
    ],
    [
      "a retired key signs",
      "key_log_foreign_signer",
      () => {
        const late = { ...log[2], seq: 4, at: at(40).toISOString(), kid: "key-2" };
        const { public_key, not_before } = log[1];
        return resign(
          [...log, { ...late, public_key, not_before, retired_at: at(99).toISOString() }],
          [key1, key1, key1, key1],
        );
      },
    ],
    [
      "a key is added that begins before its entry",
      "key_log_bad_change",
      () => resign(changed(1, { not_before: at(9).toISOString() }), [key1, key1, key1]),
    ],
    [
      "a name is given to another key",
      "key_log_bad_change",
      () => resign(changed(1, { kid: "key-1" }), [key1, key1, key1]),
    ],
    [
      "a key is added again under another name",
      "key_log_bad_change",
      () => resign(changed(1, { public_key: log[0].public_key }), [key1, key1, key1]),
    ],
    [
      "a key is added that is retired already",
      "key_log_bad_change",
      () => resign(changed(1, { retired_at: at(99).toISOString() }), [key1, key1, key1]),
    ],
    [
      "a retirement that took effect is put off",
      "key_log_bad_change",
      () => {
        const again = { ...log[2], seq: 4, at: at(40).toISOString(), retired_at: at(99).toISOString() };
        return resign([...log, again], [key1, key1, key1, key2]);
      },
    ],
    [
      "a key is to be compromised in the future",
      "key_log_bad_change",
      () => {
        const later = { ...log[2], action: "compromise" as const, compromised_since: at(41).toISOString() };
        return resign([...log, { ...later, seq: 4, at: at(40).toISOString() }], [key1, key1, key1, key2]);
      },
    ],
    [
      "a retirement moves the key's beginning",
      "key_log_bad_change",
      () => resign(changed(2, { not_before: at(1).toISOString() }), [key1, key1, key1]),
    ],
    [
      "a retirement lies in the past",
      "key_log_bad_change",
      () => resign(changed(2, { retired_at: at(3).toISOString() }), [key1, key1, key1]),
    ],
    [
      "a retirement is taken back",
      "key_log_bad_change",
      () => resign(changed(2, { retired_at: null }), [key1, key1, key1]),
    ],
    [
      "a key reports itself as compromised",
      "key_log_foreign_signer",
      () =>
        resign(
          changed(2, { action: "compromise", retired_at: null, compromised_since: at(5).toISOString() }),
          [key1, key1, key1],
        ),
    ],
    [
      "time runs backwards",
      "key_log_broken",
      () => resign(changed(2, { at: at(9).toISOString() }), [key1, key1, key1]),
    ],
  ])("though signed, when %s: %s", async (_what, code, entries) => {
    expect(await codeOf(logOf(entries()), rotated)).toBe(code);
  });

  test("when a compromise is removed or made later", async () => {
    const [, , , last] = compromised.log as [KeyLogEntry, KeyLogEntry, KeyLogEntry, KeyLogEntry];
    for (const since of [null, at(6).toISOString(), last.compromised_since]) {
      const entry = { ...last, seq: 5, previous: hashEntry(last), compromised_since: since };
      expect(await codeOf(logOf([...compromised.log, entry]), compromised)).toBe("key_log_bad_change");
    }
  });

  test("when an entry has a time in the future", async () => {
    expect(await codeOf(undefined, rotated, { now: at(9) })).toBe("issued_in_future");
  });

  test("when it is another issuer's, another document, malformed or too long", async () => {
    const text = JSON.stringify(logOf(rotated.log));
    expect(await codeOf({ ...logOf(log), issuer: "did:web:market.example" }, rotated)).toBe("foreign_issuer");
    expect(await codeOf({ ...logOf(log), type: "SettlementDocument" }, rotated)).toBe("wrong_kind");
    expect(await codeOf("{", rotated)).toBe("malformed");
    expect(await codeOf(null, rotated)).toBe("wrong_kind");
    expect(await codeOf(text.replace('"seq":1', '"seq":1,"seq":1'), rotated)).toBe("duplicate_member");
    expect(await codeOf(`${text}${" ".repeat(1_048_576)}`, rotated)).toBe("too_large");
  });
});

describe("a DID document that contradicts the log is detected", () => {
  test.each<[string, () => Keyring]>([
    [
      "has a key that the log has not",
      () => ({ ...rotated, keys: [...rotated.keys, createSigningKey("key-3", at(20))] }),
    ],
    ["lacks a key that the log has", () => ({ ...rotated, keys: rotated.keys.slice(1) })],
    [
      "has another key under a name",
      () => ({ ...rotated, keys: [first.keys[0], createSigningKey("key-2", at(11))] as SigningKey[] }),
    ],
    [
      "keeps a retired key in use",
      () => ({ ...rotated, keys: [first.keys[0], rotated.keys[1]] as SigningKey[] }),
    ],
    ["hides that a key is compromised", () => ({ log: compromised.log, keys: rotated.keys })],
    ["calls a sound key compromised", () => ({ log: rotated.log, keys: compromised.keys })],
  ])("where it %s", async (_what, ring) => {
    expect(await codeOf(undefined, ring())).toBe("key_log_differs");
  });
});

describe("a key log is unavailable", () => {
  test("where nothing is served, or no DID document", async () => {
    served = rotated;
    const gone = "did:web:localhost%3A1";
    expect(await verifyKeyLog(undefined, { issuer: gone })).toMatchObject({ code: "keys_unavailable" });
    expect(await verifyKeyLog(undefined, { issuer: "nonsense" })).toMatchObject({ code: "invalid_issuer" });
    const withoutLog = (async (url: string) =>
      url.endsWith("did.json") ? fetch(url) : new Response("", { status: 404 })) as typeof fetch;
    expect(await codeOf(undefined, rotated, { fetch: withoutLog })).toBe("key_log_unavailable");
  });

  test.each<[string, unknown]>([
    ["names none", undefined],
    ["names one on another host", [{ type: "KeyLog", serviceEndpoint: "https://evil.example/log.json" }]],
    ["names one that is no URL", [{ type: "KeyLog", serviceEndpoint: { uri: "x" } }]],
  ])("where the DID document %s", async (_what, service) => {
    const document = { ...didDocumentOf(did, rotated.keys), service };
    const urls: string[] = [];
    const serving = (async (url: string) => {
      urls.push(url);
      return new Response(JSON.stringify(document));
    }) as typeof fetch;
    expect(await codeOf(undefined, rotated, { fetch: serving })).toBe("key_log_unavailable");
    expect(urls).toHaveLength(1);
  });
});
