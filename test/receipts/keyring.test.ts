import { describe, expect, test } from "vitest";
import { followKeyLog } from "../../receipts/key-log.ts";
import {
  compromiseKey,
  createKeyring,
  type Keyring,
  parseKeyring,
  retireKey,
  rotateKeys,
  serializeKeyring,
} from "../../receipts/keyring.ts";
import { createSigningKey, currentKey, type SigningKey } from "../../receipts/signing-keys.ts";

const start = new Date("2026-01-01T00:00:00Z");
const at = (hours: number) => new Date(start.getTime() + hours * 3_600_000);
const first = createKeyring(start);
const rotated = rotateKeys(first, { now: at(10), begin: at(11), end: at(35) });
const find = (ring: Keyring, kid: string) => ring.keys.find((key) => key.kid === kid) as SigningKey;
const actionsOf = ({ log }: Keyring) => log.map(({ seq, action, kid }) => `${seq} ${action} ${kid}`);
/** The signer of an entry, by the public key that its proof names. */
const signerOf = ({ keys, log }: Keyring, seq: number) => {
  const id = log[seq - 1]?.proof.verificationMethod ?? "";
  const states = followKeyLog(log).keys;
  return keys[states.findIndex(({ public_key }) => id === `did:key:${public_key}#${public_key}`)]?.kid;
};

describe("a first keyring", () => {
  test("has one key in use, and a log signed by that key", () => {
    expect(first.keys.map(({ kid }) => kid)).toEqual(["key-1"]);
    expect(actionsOf(first)).toEqual(["1 add key-1"]);
    expect(signerOf(first, 1)).toBe("key-1");
    expect(first.log[0]?.previous).toBeNull();
  });
});

describe("a rotation", () => {
  test("adds a key that signs from its time on, and retires the one before later, both signed by the one before", () => {
    expect(actionsOf(rotated)).toEqual(["1 add key-1", "2 add key-2", "3 retire key-1"]);
    expect([2, 3].map((seq) => signerOf(rotated, seq))).toEqual(["key-1", "key-1"]);
    expect(currentKey(rotated.keys, at(10.9)).kid).toBe("key-1");
    expect(currentKey(rotated.keys, at(11)).kid).toBe("key-2");
    expect(find(rotated, "key-1").retired_at).toBe(at(35).toISOString());
    expect(first.keys[0]?.retired_at).toBeNull();
  });

  test("may follow another once that one has taken effect, signed by its key", () => {
    const again = rotateKeys(rotated, { now: at(40), begin: at(41), end: at(60) });
    expect(actionsOf(again).slice(3)).toEqual(["4 add key-3", "5 retire key-2"]);
    expect(signerOf(again, 4)).toBe("key-2");
    expect(find(again, "key-1")).toEqual(find(rotated, "key-1"));
  });

  test("is refused while another is pending, with a start in the past, or an end before its start", () => {
    const times = { now: at(10.5), begin: at(20), end: at(30) };
    expect(() => rotateKeys(rotated, times)).toThrow(/A rotation is under way: key-2 signs from/);
    expect(() => rotateKeys(first, { ...times, begin: at(9) })).toThrow(/must begin now or later/);
    expect(() => rotateKeys(first, { ...times, end: at(19) })).toThrow(/retired after that/);
  });
});

describe("a retirement", () => {
  test("ends the use of a key that has a successor", () => {
    const retired = retireKey(rotated, "key-1", { now: at(12) });
    expect(find(retired, "key-1").retired_at).toBe(at(12).toISOString());
    expect(signerOf(retired, 4)).toBe("key-2");
  });

  test("may be postponed until it takes effect, and not repeated", () => {
    expect(find(retireKey(rotated, "key-1", { now: at(20), end: at(99) }), "key-1").retired_at).toBe(
      at(99).toISOString(),
    );
    expect(() => retireKey(rotated, "key-1", { now: at(36) })).toThrow(/key-1 was retired at/);
  });

  test.each<[string, RegExp, Keyring, string, { now: Date; end?: Date }]>([
    ["of the only key", /no signing key would remain/, first, "key-1", { now: at(1) }],
    ["before the next key begins", /no signing key would remain/, rotated, "key-1", { now: at(10) }],
    ["in the past", /compromise key-1 --since/, rotated, "key-1", { now: at(12), end: at(11.5) }],
    [
      "of a key there is not",
      /There is no key key-9. The keys are key-1, key-2/,
      rotated,
      "key-9",
      { now: at(12) },
    ],
  ])("%s is refused", (_what, message, ring, kid, times) => {
    expect(() => retireKey(ring, kid, times)).toThrow(message);
  });
});

describe("a compromise", () => {
  test("of a key beside another is signed by the other", () => {
    const changed = compromiseKey(rotated, "key-1", { since: at(5), now: at(12) });
    expect(actionsOf(changed).slice(3)).toEqual(["4 compromise key-1"]);
    expect(signerOf(changed, 4)).toBe("key-2");
    expect(find(changed, "key-1").compromised_since).toBe(at(5).toISOString());
    expect(followKeyLog(changed.log).doubtful).toEqual([2, 3]);
  });

  test("of the only key in use puts a new key in its place at once, which signs it", () => {
    const changed = compromiseKey(first, "key-1", { since: at(1), now: at(2) });
    expect(actionsOf(changed).slice(1)).toEqual(["2 add key-2", "3 compromise key-1"]);
    expect(signerOf(changed, 3)).toBe("key-2");
    expect(currentKey(changed.keys, at(2)).kid).toBe("key-2");
    expect(() => currentKey(changed.keys, at(1))).toThrow(/No signing key is valid/);
  });

  test("may become older by a later finding, and not younger", () => {
    const changed = compromiseKey(rotated, "key-1", { since: at(5), now: at(12) });
    expect(find(compromiseKey(changed, "key-1", { since: at(4), now: at(13) }), "key-1")).toMatchObject({
      compromised_since: at(4).toISOString(),
    });
    expect(() => compromiseKey(changed, "key-1", { since: at(6), now: at(13) })).toThrow(/already/);
    expect(() => compromiseKey(changed, "key-2", { since: at(14), now: at(13) })).toThrow(
      /must not be in the future/,
    );
    expect(() => retireKey(changed, "key-1", { now: at(13) })).toThrow(/cannot be retired/);
  });

  test("of a whole file, key by key, ends with a new key", () => {
    const one = compromiseKey(rotated, "key-1", { since: at(5), now: at(12) });
    const both = compromiseKey(one, "key-2", { since: at(5), now: at(12) });
    expect(currentKey(both.keys, at(12)).kid).toBe("key-3");
    expect(followKeyLog(both.log).doubtful).toEqual([2, 3, 4, 5]);
  });
});

test("changes are dated after the newest entry although the clock was set back", () => {
  const changed = compromiseKey(rotated, "key-2", { since: at(0), now: at(1) });
  expect(changed.log.at(-1)?.at).toBe(at(10).toISOString());
  expect(followKeyLog(changed.log).keys).toHaveLength(2);
});

describe("a key file", () => {
  const active = find(rotated, "key-2");

  test("is read as it was written", () => {
    const changed = compromiseKey(rotated, "key-1", { since: at(5), now: at(12) });
    expect(parseKeyring(serializeKeyring(changed))).toEqual(changed);
  });

  test("without a log gets the log that its keys imply, the same each time", () => {
    const old = { ...createSigningKey("key-1", start), retired_at: at(35).toISOString() };
    const keys = [createSigningKey("key-2", at(11)), old].map(({ compromised_since: _, ...key }) => key);
    const text = JSON.stringify({ version: 1, keys });
    const read = parseKeyring(text);
    expect(actionsOf(read)).toEqual(["1 add key-1", "2 retire key-1", "3 add key-2"]);
    expect(parseKeyring(text)).toEqual(read);
    expect(parseKeyring(serializeKeyring(read))).toEqual(read);
  });

  test("without a log, and with a time in which no key was in use, is refused", () => {
    const old = { ...createSigningKey("key-1", start), retired_at: at(5).toISOString() };
    const keys = [old, createSigningKey("key-2", at(11))];
    expect(() => parseKeyring(JSON.stringify({ version: 1, keys }))).toThrow(/No key of the file is in use/);
  });

  test.each<[string, unknown]>([
    ["another version", { version: 2, keys: [active] }],
    ["no keys", { version: 1, keys: [] }],
    ["a repeated kid", { version: 1, keys: [active, active] }],
    ["an unknown field", { version: 1, keys: [{ ...active, note: 1 }] }],
    ["a kid that could be another key's Multikey", { version: 1, keys: [{ ...active, kid: "a-mb" }] }],
    [
      "halves of two keys",
      { version: 1, keys: [{ ...active, jwk: { ...active.jwk, x: first.keys[0]?.jwk.x } }] },
    ],
    ["a log of other keys", { version: 1, keys: first.keys, log: createKeyring(start).log }],
    ["a window changed by hand", { version: 1, ...rotated, keys: [{ ...first.keys[0] }, active] }],
    ["a key taken out by hand", { version: 1, ...rotated, keys: [active] }],
    ["its log cut", { version: 1, ...rotated, log: rotated.log.slice(0, 2) }],
  ])("with %s is refused, and the error repeats no secret", (_what, content) => {
    const text = JSON.stringify(content);
    expect(() => parseKeyring(text)).toThrow();
    for (const { jwk } of rotated.keys) expect(() => parseKeyring(text)).not.toThrow(jwk.d);
  });

  test("that is malformed JSON is refused without repeating it", () => {
    expect(() => parseKeyring("secret")).toThrow(/not JSON/);
    expect(() => parseKeyring("secret")).not.toThrow(/secret/);
  });
});
