import { type Case, casesOf } from "./case.ts";
import { addressesOf, foreign, issuedAt, keys, local, market, placesOf } from "./issuers.ts";
import { arbiter, buyer, hash, jws, offerPayload, signed, statement, text } from "./make.ts";

const { bad } = casesOf("settlement_document");

const keyId = (kid: string) => `${market}#${kid}-mb`;
const { did } = placesOf(market);
const usual = addressesOf(market);
const document = signed();
const whole = text(document);
const at = (issued_at: string) => statement({ issued_at });

const names: Case[] = [
  bad(
    "a forger's signature under the market's key name",
    "invalid_signature",
    text(signed(statement(), keys.foreign)),
  ),
  bad(
    "a forger's key, named as its own",
    "foreign_key",
    text(signed(statement(), keys.foreign, { verificationMethod: `${foreign}#key-3-mb` })),
  ),
  bad(
    "another issuer's good document",
    "foreign_issuer",
    text(signed(statement({ issuer: foreign }), keys.foreign)),
  ),
  ...(
    [
      ["a longer host", `${market}.evil.example#key-3-mb`, "foreign_key"],
      ["a path below the host", `${market}:evil#key-3-mb`, "foreign_key"],
      ["an escaped slash behind the host", `${market}%2Fevil#key-3-mb`, "foreign_key"],
      ["an escaped default port", `${market}%3A443#key-3-mb`, "foreign_key"],
      ["capitals in the host", "did:web:MARKET.example#key-3-mb", "foreign_key"],
      ["a query", `${market}?versionId=1#key-3-mb`, "foreign_key"],
      ["no issuer", "#key-3-mb", "foreign_key"],
      [
        "a did:key",
        "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK#z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK",
        "foreign_key",
      ],
      ["a key nobody listed", keyId("key-9"), "unknown_key"],
      ["the JWK form of the key", `${market}#key-3`, "unknown_key"],
      ["capitals in the fragment", `${market}#KEY-3-mb`, "unknown_key"],
      ["an escape in the fragment", `${market}#key%2D3-mb`, "unknown_key"],
    ] as const
  ).map(([what, verificationMethod, code]) =>
    bad(`a key id with ${what}`, code, text(signed(statement(), keys.current, { verificationMethod }))),
  ),
  ...[
    ["capitals", "did:web:MARKET.example"],
    ["the default port", "did:web:market.example%3A443"],
    ["a port that is not escaped and no number", "did:web:market.example:"],
    ["a small letter in the escape", "did:web:localhost%3a3000"],
    ["an escape that is not needed", "did:web:market%2Eexample"],
    ["an escaped slash", "did:web:market.example%2Fshop"],
    ["dots for a path", "did:web:market.example:.."],
    ["an escaped path of dots", "did:web:market.example:%2E%2E"],
    ["an empty path", "did:web:hosting.example::shop"],
    ["a user", "did:web:user@market.example"],
    ["a fragment", `${market}#key-3`],
    ["a query", `${market}?x=1`],
    ["a dot behind the host", "did:web:market.example."],
    ["a space", " did:web:market.example"],
    ["another method", "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"],
    ["letters that only look like the host's", "did:web:m\u0430rket.example"],
    ["an address instead of a name", "https://market.example"],
    ["nothing", ""],
  ].map(([what, issuer]) => bad(`an expected issuer with ${what}`, "invalid_issuer", whole, { issuer })),
  bad(
    "a port written as a path: another issuer",
    "foreign_issuer",
    text(signed(statement({ issuer: local }), keys.local)),
    {
      issuer: "did:web:localhost:3000",
    },
  ),
];

const times: Case[] = [
  bad("before its key's time", "key_not_yet_valid", text(signed(at("2026-11-12T23:59:59.999Z")))),
  bad("after its key's time", "key_retired", text(signed(at("2026-11-13T00:00:00.001Z"), keys.retired))),
  bad("a retired key that signs today", "key_retired", text(signed(statement(), keys.retired))),
  bad(
    "a retired key whose proof is dated back",
    "key_retired",
    text(signed(statement(), keys.retired, { created: "2026-11-12T00:00:00.000Z" })),
  ),
  bad(
    "a retired key whose document is dated back",
    "key_retired",
    text(signed(at("2026-11-12T00:00:00.000Z"), keys.retired, { created: issuedAt })),
  ),
  bad("a key of the future", "key_not_yet_valid", text(signed(statement(), keys.coming))),
  bad("in the future", "issued_in_future", whole, { now: "2026-11-20T11:58:59.999Z" }),
  bad(
    "a compromised key, dated since",
    "key_compromised",
    text(signed(at("2026-09-02T00:00:00.000Z"), keys.compromised)),
  ),
  bad(
    "a compromised key, dated before, no chain to bear it out",
    "key_compromised",
    text(signed(at("2026-08-15T00:00:00.000Z"), keys.compromised)),
  ),
];

const keyDocuments: Case[] = (
  [
    ["nothing there", "keys_unavailable"],
    ["a redirect", "keys_unavailable"],
    ["did of another", "invalid_key_document"],
    ["did with the keys of another", "unknown_key"],
    ["did that is no JSON", "invalid_key_document"],
    ["did without methods", "invalid_key_document"],
    ["did with a method twice", "invalid_key_document"],
    ["did with a member twice", "invalid_key_document"],
    ["did with methods of another's control", "unknown_key"],
    ["did with methods for no assertion", "unknown_key"],
    ["did with methods of another type", "unknown_key"],
    ["did with a key cut short", "invalid_key_document"],
  ] as const
).map(([page, code]) =>
  bad(`at the DID document's address: ${page}`, code, whole, { addresses: { ...usual, [did]: page } }),
);

const shapes: Case[] = [
  ["a block number of 2^53", { block_number: 2 ** 53 }, "invalid_number"],
  ["a block number below zero", { block_number: -1 }, "invalid_shape"],
  ["a block number that is text", { block_number: "42" }, "invalid_shape"],
  ["an amount that is a number", { amount: 2500000 }, "invalid_shape"],
  ["an amount of 2^128", { amount: String(2n ** 128n) }, "invalid_shape"],
  ["an amount with a zero in front", { amount: "02500000" }, "invalid_shape"],
  ["an amount with a point", { amount: "2.5" }, "invalid_shape"],
  ["an amount below zero", { amount: "-1" }, "invalid_shape"],
  ["an amount in digits of another script", { amount: "\u0662" }, "invalid_shape"],
  ["an amount with a line break behind it", { amount: "2500000\n" }, "invalid_shape"],
  ["an address without its checksum", { buyer: buyer.toLowerCase() }, "invalid_shape"],
  ["an address with a wrong checksum", { buyer: buyer.replace("C51", "c51") }, "invalid_shape"],
  ["a hash in capitals", { transaction: hash("AB") }, "invalid_shape"],
  ["a hash one digit short", { transaction: hash("33").slice(0, -1) }, "invalid_shape"],
  ["a time without an offset", { issued_at: "2026-11-20T12:00:00.000" }, "invalid_shape"],
  ["a day that is not", { issued_at: "2026-02-30T12:00:00.000Z" }, "invalid_shape"],
  ["an order id with a letter that only looks right", { order_id: "ord_01k\u0430h7" }, "invalid_shape"],
  ["a URL with a space in front", { id: " https://market.example/api/v1/receipts/rcp_1" }, "invalid_shape"],
  ["a URL with a control character", { id: "https://market.example/\u0000" }, "invalid_shape"],
  ["a URL that is not ASCII", { id: "https://market.example/\u00e9" }, "invalid_shape"],
  ["a URL of another scheme", { id: "javascript:alert(1)" }, "invalid_shape"],
  ["a chain of another kind", { chain: "solana:mainnet" }, "invalid_shape"],
  ["a claim that is none", { claim: "paid" }, "invalid_shape"],
  ["terms with a term more", { terms: { ...statement().terms, fee: "1" } }, "invalid_shape"],
  [
    "terms with an arbiter without checksum",
    { terms: { ...statement().terms, arbiter: arbiter.toLowerCase() } },
    "invalid_shape",
  ],
].map(([what, fields, code]) =>
  bad(
    `signed, with ${what}`,
    code as "invalid_shape",
    text(signed(statement(fields as Record<string, unknown>))),
  ),
);

const texts: Case[] = [
  ...(
    [
      ["a member twice", whole.replace('"amount":', '"amount":"1","amount":'), "duplicate_member"],
      [
        "a member twice, once in escapes",
        whole.replace('"amount":', '"\\u0061mount":"1","amount":'),
        "duplicate_member",
      ],
      [
        "a member of the proof twice",
        whole.replace('"created":', '"created":"","created":'),
        "duplicate_member",
      ],
      [
        "a member of the terms twice",
        whole.replace('"fund_by":', '"fund_by":1,"fund_by":'),
        "duplicate_member",
      ],
      [
        "a number with a fraction of nothing",
        whole.replace('"block_number":42', '"block_number":42.0'),
        "invalid_number",
      ],
      [
        "a number with an exponent",
        whole.replace('"block_number":42', '"block_number":4.2e1'),
        "invalid_number",
      ],
      [
        "a number that only rounds to what was signed",
        whole.replace('"block_number":42', '"block_number":42.00000000000000000001'),
        "invalid_number",
      ],
      [
        "a number beyond 2^53",
        whole.replace('"block_number":42', '"block_number":9007199254740993'),
        "invalid_number",
      ],
      ["a zero with a sign", whole.replace('"log_index":3', '"log_index":-0'), "invalid_number"],
      ["its end cut off", whole.slice(0, -1), "malformed"],
      ["half of it cut off", whole.slice(0, whole.length / 2), "malformed"],
      ["something behind it", `${whole}{}`, "malformed"],
      ["a byte order mark in front", `\ufeff${whole}`, "malformed"],
      ["a comma too many", whole.replace(/}$/, ",}"), "malformed"],
      ["a raw control character in a string", whole.replace('"released"', '"rel\u0001eased"'), "malformed"],
      ["nothing at all", "", "malformed"],
      ["a list around it", `[${whole}]`, "wrong_kind"],
      ["null", "null", "wrong_kind"],
      ["an answer of the API around it", text({ id: "rcp_1", claim: "released", document }), "wrong_kind"],
      ["an x402 receipt", jws(), "wrong_kind"],
      ["an x402 receipt in its envelope", text({ format: "jws", signature: jws() }), "wrong_kind"],
      ["an x402 offer", jws(offerPayload()), "wrong_kind"],
    ] as const
  ).map(([what, input, code]) => bad(`text: ${what}`, code, input)),
];

/** Makes the cases of documents with a wrong name, time, key, form or text. */
export const documentFormCases: Case[] = [...names, ...times, ...keyDocuments, ...shapes, ...texts];
