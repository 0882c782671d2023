import type { RecordStatement } from "../../../receipts/record-statement.ts";
import { type Case, casesOf } from "./case.ts";
import { addressesOf, foreign, issuedAt, keys, market, placesOf, shop } from "./issuers.ts";
import { buyer, hash, jws, offerPayload, provider, signed, statement, text } from "./make.ts";

const { good, bad } = casesOf("record_statement");
const receipts = casesOf("settlement_document");

const { did } = placesOf(market);
const usual = addressesOf(market);
const keyId = `${market}#key-3-mb`;

const month = {
  orders: 3,
  volume: [
    { currency: "EUR", amount: "2.000000000000000001" },
    { currency: "USD", amount: "7.5" },
  ],
  counterparties: 2,
  delivered_on_time: 2,
  delivered_late: 1,
  not_delivered: 0,
  seconds_promised: { median: 86_400, p90: 172_800 },
  seconds_taken: { median: 3_600, p90: 93_600 },
  refunds: 0,
  declined: 0,
  disputes: { provider: 0, buyer: 0, split: 1, lapsed: 0 },
  repeat_counterparties: 1,
  apart: { orders: 1, volume: [{ currency: "USD", amount: "2.5" }] },
};
const nothing = {
  orders: 0,
  volume: [],
  counterparties: 0,
  delivered_on_time: 0,
  delivered_late: 0,
  not_delivered: 0,
  seconds_promised: { median: null, p90: null },
  seconds_taken: { median: null, p90: null },
  refunds: 0,
  declined: 0,
  disputes: { provider: 0, buyer: 0, split: 0, lapsed: 0 },
  repeat_counterparties: 0,
  apart: { orders: 0, volume: [] },
};

const usd = (amount: string) => [{ currency: "USD", amount }];

/** Makes the market's statement about an agent; `fields` replace its own. */
function record(fields: Record<string, unknown> = {}): RecordStatement {
  return {
    $schema: "https://market.example/api/v1/schemas/agent-record-statement-1.json",
    id: "https://market.example/api/v1/agents/translator/record/statement",
    type: "AgentRecordStatement",
    version: 1,
    issuer: market,
    issued_at: issuedAt,
    valid_until: "2026-12-20T12:00:00.000Z",
    agent: {
      id: "agt_01kah7w8zqf3d9v2t5b6n7m8xa",
      slug: "translator",
      name: "Übersetzer 译 \u{1f30d}",
      wallets: [provider],
    },
    as_of: "2026-11-20T11:59:30.000Z",
    score: { formula: "earnest-score-1", value: 412, upper: 905, share: 871, evidence: 1_730 },
    ever: {
      ...month,
      orders: 5,
      volume: [{ currency: "USD", amount: "12.5" }],
      counterparties: 3,
      refunds: 1,
      declined: 1,
    },
    days_90: month,
    days_30: month,
    outcomes_root: hash("66"),
    ...fields,
  } as RecordStatement;
}

const document = signed(record());
const whole = text(document);
const says = ({ agent, score, ever, outcomes_root } = record()) => ({ agent, score, ever, outcomes_root });
const newcomer = record({
  agent: { id: "agt_1", slug: "a", name: "a", wallets: [] },
  score: { formula: "earnest-score-1", value: 0, upper: 1000, share: null, evidence: 0 },
  ever: nothing,
  days_90: nothing,
  days_30: nothing,
});

const goodOnes: Case[] = [
  good("a statement", whole, keyId, says()),
  good("a statement with spaces and line breaks", JSON.stringify(document, null, 2), keyId, says()),
  good("the agent that the caller knows, by its slug", whole, keyId, says(), {
    options: { agent: "translator" },
  }),
  good("the agent that the caller knows, by its id", whole, keyId, says(), {
    options: { agent: record().agent.id },
  }),
  good("an agent of whom nothing is settled", text(signed(newcomer)), keyId, says(newcomer)),
  good(
    "a name of 100 characters, each a pair of surrogates",
    text(signed(record({ agent: { ...record().agent, name: "\u{1f30d}".repeat(100) } }))),
    keyId,
    { score: record().score },
  ),
  good("a pair of surrogates in escapes", whole.replace("\u{1f30d}", "\\ud83c\\udf0d"), keyId, says()),
  good(
    "a name that only looks like half of a pair",
    text(signed(record({ agent: { ...record().agent, name: "\\ud83c" } }))),
    keyId,
    { agent: { ...record().agent, name: "\\ud83c" } },
  ),
  good("the last moment that it stands", whole, keyId, says(), { now: "2026-12-20T12:00:00.000Z" }),
  good("no list of the revoked: statements are on none", whole, keyId, says(), {
    addresses: { [did]: "did" },
  }),
  good(
    "a key retired since, in its time",
    text(signed(record({ issued_at: "2026-11-12T00:00:00.000Z" }), keys.retired)),
    `${market}#key-2-mb`,
    says(),
  ),
  good(
    "an issuer under a path",
    text(signed(record({ issuer: shop }), keys.shop)),
    `${shop}#key-1-mb`,
    says(),
    { issuer: shop },
  ),
];

const tampered: Case[] = [
  ...(
    [
      ["the score", { score: { ...record().score, value: 905 } }],
      ["the orders", { ever: { ...record().ever, orders: 50 } }],
      ["a currency", { days_30: { ...month, volume: [{ currency: "EUR", amount: "7.5" }] } }],
      ["the volume of a month", { days_30: { ...month, volume: [{ currency: "USD", amount: "75" }] } }],
      ["the median of hours", { days_90: { ...month, seconds_taken: { median: 60, p90: 93_600 } } }],
      ["what stands apart", { ever: { ...record().ever, apart: { orders: 0, volume: [] } } }],
      ["the agent's slug", { agent: { ...record().agent, slug: "forger" } }],
      ["the agent's name", { agent: { ...record().agent, name: "Translator" } }],
      ["the wallets", { agent: { ...record().agent, wallets: [provider, buyer] } }],
      ["the end", { valid_until: "2036-11-20T12:00:00.000Z" }],
      ["the outcomes", { outcomes_root: hash("67") }],
    ] as const
  ).map(([what, fields]) =>
    bad(`tampered with: ${what}`, "invalid_signature", text({ ...document, ...fields })),
  ),
  bad("the proof of a receipt", "invalid_signature", text({ ...record(), proof: signed(statement()).proof })),
];

const names: Case[] = [
  bad(
    "a forger's signature under the market's key name",
    "invalid_signature",
    text(signed(record(), keys.foreign)),
  ),
  bad(
    "a forger's key, named as its own",
    "foreign_key",
    text(signed(record(), keys.foreign, { verificationMethod: `${foreign}#key-3-mb` })),
  ),
  bad(
    "another issuer's good statement",
    "foreign_issuer",
    text(signed(record({ issuer: foreign }), keys.foreign)),
  ),
  bad(
    "a key nobody listed",
    "unknown_key",
    text(signed(record(), keys.current, { verificationMethod: `${market}#key-9-mb` })),
  ),
  bad("at the DID document's address: did with the keys of another", "unknown_key", whole, {
    addresses: { ...usual, [did]: "did with the keys of another" },
  }),
  bad("at the DID document's address: nothing there", "keys_unavailable", whole, {
    addresses: { ...usual, [did]: "nothing there" },
  }),
  bad("an expected issuer that is an address", "invalid_issuer", whole, { issuer: "https://market.example" }),
  bad("another agent than the caller knows", "unexpected_value", whole, { options: { agent: "forger" } }),
  bad("an agent that the caller knows by its name", "unexpected_value", whole, {
    options: { agent: record().agent.name },
  }),
];

const times: Case[] = [
  bad("past its end", "statement_expired", whole, { now: "2026-12-20T12:00:00.001Z" }),
  bad("in the future", "issued_in_future", whole, { now: "2026-11-20T11:58:59.999Z" }),
  bad("a retired key that signs today", "key_retired", text(signed(record(), keys.retired))),
  bad(
    "a retired key whose proof is dated back",
    "key_retired",
    text(signed(record(), keys.retired, { created: "2026-11-12T00:00:00.000Z" })),
  ),
  bad("a key of the future", "key_not_yet_valid", text(signed(record(), keys.coming))),
  bad(
    "a compromised key, dated before",
    "key_compromised",
    text(signed(record({ issued_at: "2026-08-15T00:00:00.000Z" }), keys.compromised)),
  ),
];

/** Makes the cases of valid documents of another kind, and of signed documents with a false type. */
const confused: Case[] = [
  bad("a receipt", "wrong_kind", text(signed())),
  receipts.bad("a statement of an agent's record", "wrong_kind", whole),
  bad(
    "a receipt that calls itself a statement",
    "invalid_shape",
    text(signed(statement({ type: "AgentRecordStatement" }))),
  ),
  receipts.bad(
    "a statement that calls itself a receipt",
    "invalid_shape",
    text(signed(record({ type: "SettlementDocument" }))),
  ),
  casesOf("x402_receipt").bad("a statement of an agent's record", "wrong_kind", whole),
  casesOf("x402_offer").bad("a statement of an agent's record", "wrong_kind", whole),
  bad("an x402 receipt", "wrong_kind", jws()),
  bad("an x402 offer", "wrong_kind", jws(offerPayload())),
  bad("the statement as the payload of a JWS", "wrong_kind", jws(record())),
  bad("a type of another case", "wrong_kind", text(signed(record({ type: "agentRecordStatement" })))),
  bad("two types", "wrong_kind", text(signed(record({ type: ["AgentRecordStatement"] })))),
];

const shapes: Case[] = [
  ...(
    [
      ["a field more", { note: "the best" }],
      ["a field more of the agent", { agent: { ...record().agent, rating: 5 } }],
      ["a field more of the record", { ever: { ...month, rating: 5 } }],
      ["a field more of the score", { score: { ...record().score, rank: 1 } }],
      ["no score", { score: undefined }],
      ["no month", { days_30: undefined }],
      ["another version", { version: 2 }],
      ["a score beyond 1000", { score: { ...record().score, value: 1001 } }],
      ["a score that is text", { score: { ...record().score, value: "412" } }],
      ["orders below zero", { ever: { ...month, orders: -1 } }],
      ["a volume that is a number", { ever: { ...month, volume: 7 } }],
      ["a volume with a zero in front", { ever: { ...month, volume: usd("07.5") } }],
      ["a volume without currency", { ever: { ...month, volume: "7.5" } }],
      ["a volume of an unnamed currency", { ever: { ...month, volume: [{ currency: "", amount: "7.5" }] } }],
      ["a volume with a zero behind", { ever: { ...month, volume: usd("7.50") } }],
      ["a volume of 65 currencies", { ever: { ...month, volume: Array(65).fill(usd("1")[0]) } }],
      ["a volume with a member more", { ever: { ...month, volume: [{ ...usd("1")[0], chain: 1 }] } }],
      ["a volume with a line break behind it", { ever: { ...month, volume: usd("7.5\n") } }],
      ["another's formula", { score: { ...record().score, formula: "stars-1" } }],
      ["a record without percentiles", { ever: { ...month, seconds_taken: null } }],
      ["a median alone", { ever: { ...month, seconds_taken: { median: 1 } } }],
      ["a wallet without its checksum", { agent: { ...record().agent, wallets: [provider.toLowerCase()] } }],
      ["one wallet that is no list", { agent: { ...record().agent, wallets: provider } }],
      ["a name of 101 characters", { agent: { ...record().agent, name: "a".repeat(101) } }],
      ["a name of 101 pairs", { agent: { ...record().agent, name: "\u{1f30d}".repeat(101) } }],
      ["no name", { agent: { ...record().agent, name: "" } }],
      ["a slug in capitals", { agent: { ...record().agent, slug: "Translator" } }],
      ["an end that is no time", { valid_until: "never" }],
      ["a root in capitals", { outcomes_root: hash("AB") }],
    ] as const
  ).map(([what, fields]) => bad(`signed, with ${what}`, "invalid_shape", text(signed(record(fields))))),
  bad("no proof", "missing_proof", text(record())),
  bad("a list of proofs", "invalid_proof", text({ ...record(), proof: [document.proof] })),
  bad("text: a member twice", "duplicate_member", whole.replace('"score":', '"score":{},"score":')),
  bad(
    "text: a score with a fraction of nothing",
    "invalid_number",
    whole.replace('"value":412', '"value":412.0'),
  ),
  bad("text: half a pair of surrogates in the name", "malformed", whole.replace("\u{1f30d}", "\\ud83c")),
  bad("text: the other half alone", "malformed", whole.replace("\u{1f30d}", "\\udf0d\\ud83c")),
  bad("text: its end cut off", "malformed", whole.slice(0, -1)),
  bad("text: larger than any statement", "too_large", `${whole}${" ".repeat(65_536)}`),
];

/** Makes the cases of statements: good ones, changed ones, and those with a wrong kind, name, time or form. */
export const recordCases: Case[] = [...goodOnes, ...tampered, ...names, ...times, ...confused, ...shapes];
