import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cosign, openCosignature } from "../../../protocol/tlog/cosignature.ts";
import {
  assertSignedBy,
  findSignature,
  formatNote,
  formatSignature,
  formatVerifierKey,
  keyTypes,
  noteKey,
  parseNote,
  parseSignatures,
  parseVerifierKey,
  signNote,
} from "../../../protocol/tlog/note.ts";
import { createSigner } from "../../../protocol/tlog/note-signer.ts";

const code = (name: string) => expect.objectContaining({ code: name });
const seed = (byte: number) => new Uint8Array(32).fill(byte);
const log = createSigner("log.example/log", keyTypes.ed25519, seed(1));
const witness = createSigner("witness.example", keyTypes.cosignature, seed(2));
const utf8 = (text: string) => new TextEncoder().encode(text);

/** The example of c2sp.org/signed-note. */
const vkey = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
const note = `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`;

describe("a signed note", () => {
  test("of the standard is read, verified and written", () => {
    const read = parseNote(note);
    const key = parseVerifierKey(vkey);
    expect(read.text).toBe("This is an example message.\n");
    const signature = findSignature(read, key) ?? expect.fail("unsigned");
    assertSignedBy(key, signature.bytes, utf8(read.text));
    expect(() => assertSignedBy(key, signature.bytes, utf8(`${read.text} `))).toThrow(
      code("invalid_signature"),
    );
    expect(formatNote(read)).toBe(note);
    expect(formatVerifierKey(key)).toBe(vkey);
    expect(parseNote(utf8(note))).toEqual(read);
  });

  test("keeps blank lines of its text, and the last one separates the signatures", () => {
    const text = "one\n\n— not a signature\n\ntwo\n";
    const signed = formatNote({ text, signatures: [signNote(text, log)] });
    expect(parseNote(signed).text).toBe(text);
  });

  test("is read back, whatever its text and its signers' names", () => {
    const texts = fc.string({ unit: "grapheme" }).map((text) => text.replace(/\p{Cc}/gu, ""));
    const names = fc
      .string({ minLength: 1, unit: "grapheme" })
      .filter((name) => !/[\s\p{White_Space}\p{Cc}+]/u.test(name));
    fc.assert(
      fc.property(
        fc.array(texts, { minLength: 1 }),
        fc.array(names, { minLength: 1, maxLength: 5 }),
        (lines, signers) => {
          const text = `${lines.join("\n")}\n`;
          const signatures = signers.map((name, i) => ({ name, id: i * 0x1fffffff, bytes: seed(i) }));
          expect(parseNote(formatNote({ text, signatures }))).toEqual({ text, signatures });
        },
      ),
      { numRuns: 50 },
    );
  });

  test("is refused in any other form", () => {
    const [text = "", line = ""] = note.split("\n\n");
    const signature = line.split(" ")[2]?.trim() ?? "";
    for (const bad of [
      "",
      "\n",
      "\n\n",
      text,
      `${text}\n\n`,
      `${text}\n\n\n`,
      `${text}\n${line}`,
      note.slice(0, -1),
      `${note}\n`,
      `${note} `,
      note.replace("— ", "- "),
      note.replace("— ", "—  "),
      note.replace("— ", " — "),
      note.replace("example.com/foo ", " "),
      note.replace("example.com/foo ", "example+com "),
      note.replace("example.com/foo ", "example\u00a0com "),
      note.replace("example.com/foo ", "example\u0085com "),
      note.replace(signature, `${signature} more`),
      note.replace(signature, ""),
      note.replace(signature, "AAAA"),
      note.replace(signature, "AAAAAA=="),
      // Base64 with excess bits, without padding, and of the other alphabet.
      note.replace(signature, signature.replace("QM=", "QN=")),
      note.replace("=\n", "\n"),
      note.replace(signature, "____AAAAAAAA"),
      note.replace("This", "This\t"),
      note.replace("This", "This\r\n"),
      note.replace("This", "\0This"),
      note.replace("This", "\ud800This"),
      note.replaceAll("\n", "\r\n"),
    ]) {
      expect(() => parseNote(bad), JSON.stringify(bad)).toThrow(code("malformed"));
    }
    expect(() => parseNote(Uint8Array.of(0xff, ...utf8(note)))).toThrow(code("malformed"));
    expect(parseNote(Uint8Array.of(0xef, 0xbb, 0xbf, ...utf8(note))).text.charCodeAt(0)).toBe(0xfeff);
  });

  test("has up to 64 signatures, and unknown ones are kept", () => {
    const line = formatSignature({ name: "outsider", id: 7, bytes: new Uint8Array(5000) });
    expect(parseNote(note + line.repeat(16)).signatures).toHaveLength(17);
    const short = formatSignature({ name: "outsider", id: 7, bytes: Uint8Array.of(1) });
    expect(parseSignatures(short.repeat(64))).toHaveLength(64);
    expect(() => parseSignatures(short.repeat(65))).toThrow(code("too_large"));
    expect(() => parseNote("x".repeat(131_073))).toThrow(code("too_large"));
  });
});

describe("a verifier key", () => {
  test("is refused with another id, kind, length or name", () => {
    for (const [bad, why] of [
      ["", "malformed_key"],
      ["a+b", "malformed_key"],
      [vkey.replace("530d903a", "530d903b"), "malformed_key"],
      [vkey.replace("530d903a", "530D903A"), "malformed_key"],
      [vkey.replace("example.com/foo", "example.com/bar"), "malformed_key"],
      [vkey.replace("example.com/foo", "example com"), "malformed_key"],
      [vkey.replace("AekyeR", "AuyyeR"), "unsupported_key"],
      [`${vkey}AAAA`, "malformed_key"],
      [vkey.slice(0, -4), "malformed_key"],
      [`${vkey} `, "malformed_key"],
      [`x+00000000+${"A".repeat(2000)}`, "malformed_key"],
    ] as const) {
      expect(() => parseVerifierKey(bad), bad).toThrow(code(why));
    }
  });

  test("of small order, under which anybody can sign anything, is refused", () => {
    expect(() => noteKey("log", keyTypes.ed25519, new Uint8Array(32))).toThrow(code("malformed_key"));
  });

  test("is read as it was written, also with a plus in its base64", () => {
    let plus = 0;
    for (let byte = 0; byte < 40; byte++) {
      const { key } = createSigner("log.example/log", keyTypes.cosignature, seed(byte));
      const text = formatVerifierKey(key);
      if (text.split("+").length > 3) plus++;
      expect(parseVerifierKey(text)).toEqual(key);
    }
    expect(plus).toBeGreaterThan(0);
  });
});

describe("a cosignature", () => {
  const text = "log.example/log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n";
  const signature = cosign(text, witness, 1_679_315_147);

  test("has the time of its making", () => {
    const [line] = parseSignatures(formatSignature(signature));
    expect(openCosignature(text, line ?? expect.fail("no line"), witness.key)).toBe(1_679_315_147);
  });

  test("is refused for another text, time, length, key or name", () => {
    const open = (over: Partial<typeof signature>, of = text) =>
      openCosignature(of, { ...signature, ...over }, witness.key);
    expect(() => open({}, text.replace("0", "1"))).toThrow(code("invalid_signature"));
    const { bytes } = signature;
    for (const [i] of bytes.entries()) {
      const changed = bytes.with(i, (bytes[i] as number) ^ 1);
      expect(() => open({ bytes: changed }), `byte ${i}`).toThrow(code("invalid_signature"));
    }
    expect(() => open({ bytes: bytes.slice(1) })).toThrow(code("invalid_signature"));
    expect(() => open({ id: 7 })).toThrow(code("invalid_signature"));
    expect(() => open({ name: "other" })).toThrow(code("invalid_signature"));
    const own = createSigner("witness.example", keyTypes.ed25519, seed(2)).key;
    expect(() => openCosignature(text, { ...signature, id: own.id }, own)).toThrow(code("invalid_signature"));
  });

  test("is never valid as a log's signature, or the reverse", () => {
    expect(() => cosign(text, log, 1)).toThrow(TypeError);
    expect(() => signNote(text, witness)).toThrow(TypeError);
  });
});
