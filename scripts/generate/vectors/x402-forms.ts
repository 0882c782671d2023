import { type Case, casesOf } from "./case.ts";
import { keys } from "./issuers.ts";
import { buyer, encode, envelope, jws, receiptPayload, text, withPart } from "./make.ts";

const { bad } = casesOf("x402_receipt");

const receipt = jws();
const payload = receiptPayload();
const [header = "", body = "", signature = ""] = receipt.split(".");
/** Returns the base64url text with unused trailing bits set; the bytes stay the same. */
const looseEnd = (part: string) => {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return part.slice(0, -1) + letters[letters.indexOf(part.at(-1) ?? "") | 1];
};

/** Makes the cases of receipts with a wrong encoding, and with payloads of another form. */
export const x402FormCases: Case[] = [
  ...(
    [
      ["a padded signature", `${header}.${body}.${signature}==`, "invalid_encoding"],
      [
        "a padded header",
        withPart(receipt, 0, (part) => `${part}${"=".repeat((4 - (part.length % 4)) % 4 || 4)}`),
        "invalid_encoding",
      ],
      [
        "letters of plain base64",
        `${header}.${body}.${Buffer.from(signature, "base64url").fill(0xff).toString("base64").replace(/=+$/, "")}`,
        "invalid_encoding",
      ],
      ["bits behind the signature's end", `${header}.${body}.${looseEnd(signature)}`, "invalid_encoding"],
      [
        "a signature one byte short",
        `${header}.${body}.${Buffer.from(signature, "base64url").subarray(0, 63).toString("base64url")}`,
        "invalid_encoding",
      ],
      ["no signature", `${header}.${body}.`, "invalid_encoding"],
      ["a payload kept back", `${header}..${signature}`, "malformed"],
      [
        "a line break within",
        `${header}.${body}.${signature.slice(0, 40)}\n${signature.slice(40)}`,
        "invalid_encoding",
      ],
      ["a line break behind", `${receipt}\n`, "invalid_encoding"],
      ["a space in front", ` ${receipt}`, "invalid_encoding"],
      ["four parts", `${receipt}.`, "malformed"],
      ["two parts", `${header}.${body}`, "malformed"],
      ["nothing at all", "", "malformed"],
      ["its end cut off", receipt.slice(0, -10), "invalid_encoding"],
      ["a header that is no JSON", jws(payload, keys.current, "{"), "malformed"],
      ["a payload that is no JSON", jws("x"), "malformed"],
      [
        "a payload that is no UTF-8",
        withPart(receipt, 1, () => encode(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d))),
        "malformed",
      ],
      ["a payload with a byte order mark", jws(`\ufeff${text(payload)}`), "malformed"],
      [
        "a number beyond 2^53",
        jws(text(payload).replace(/"issuedAt":\d+/, '"issuedAt":9007199254740993')),
        "invalid_number",
      ],
      [
        "a number with a fraction of nothing",
        jws(text(payload).replace(/"issuedAt":(\d+)/, '"issuedAt":$1.0')),
        "invalid_number",
      ],
      [
        "a time in milliseconds",
        jws(receiptPayload({ issuedAt: Date.parse("2026-11-20T12:00:00Z") })),
        "invalid_shape",
      ],
      ["a time that is text", jws(receiptPayload({ issuedAt: "2026-11-20T12:00:00Z" })), "invalid_shape"],
      ["no transaction", jws(text({ ...payload, transaction: undefined })), "invalid_shape"],
      ["a field more", jws(receiptPayload({ amount: "1" })), "invalid_shape"],
      ["a payer without a checksum", jws(receiptPayload({ payer: buyer.toLowerCase() })), "invalid_shape"],
    ] as const
  ).map(([what, input, code]) => bad(`text: ${what}`, code, input)),
  bad("an envelope with a member more", "wrong_kind", envelope(receipt, { payload })),
  bad("an envelope of another format", "wrong_kind", text({ format: "eip712", signature: receipt })),
];
