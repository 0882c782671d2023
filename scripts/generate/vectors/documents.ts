import { base58 } from "@scure/base";
import { type Case, casesOf } from "./case.ts";
import { addressesOf, foreign, keys, local, market, placesOf, revokedDocument, shop } from "./issuers.ts";
import { buyer, hash, provider, signed, statement, text } from "./make.ts";

const { good, bad } = casesOf("settlement_document");

/** The key ids of the market in the form of proofs. */
const keyId = (kid: string) => `${market}#${kid}-mb`;
/** Returns the values of a document that a reader has to return. */
const saysOf = (document: Record<string, unknown>) => {
  const { claim, order_id, transaction, amount, released_so_far, terms } = document;
  return { claim, order_id, transaction, amount, ...(terms === undefined ? {} : { released_so_far, terms }) };
};
const isGood = (name: string, document: ReturnType<typeof signed>, rest: Parameters<typeof good>[4] = {}) =>
  good(name, text(document), String(document.proof.verificationMethod), saysOf(document), rest);

const document = signed();
const whole = text(document);
const { $schema: _schema, terms: _terms, released_so_far: _sum, ...fields } = statement();
const part = { claim: "part_released", amount: "1000000", released_so_far: "1500000" };
const version1 = { ...fields, version: 1 };
const at = (issued_at: string) => statement({ issued_at });

const goodOnes: Case[] = [
  isGood("a release", document),
  ...(["funded", "refunded"] as const).map((claim) => isGood(claim, signed(statement({ claim })))),
  isGood("a part", signed(statement(part))),
  isGood("nothing delivered", signed(statement({ output_hash: null }))),
  isGood("version 1", signed(version1)),
  isGood(
    "the largest numbers",
    signed(
      statement({
        block_number: Number.MAX_SAFE_INTEGER,
        log_index: Number.MAX_SAFE_INTEGER,
        amount: String(2n ** 128n - 1n),
        chain: "eip155:9999999999999999",
      }),
    ),
  ),
  good(
    "laid out otherwise, members in another order",
    JSON.stringify(Object.fromEntries(Object.entries(document).reverse()), null, "\t"),
    keyId("key-3"),
    saysOf(document),
  ),
  good(
    "letters written as escapes",
    whole.replace('"amount"', '"\\u0061mount"').replace('"released"', '"\\u0072eleased"'),
    keyId("key-3"),
    saysOf(document),
  ),
  isGood("a key retired since, in its time", signed(at("2026-11-12T00:00:00.000Z"), keys.retired)),
  isGood(
    "a key retired since, at the first moment of its time",
    signed(at("2026-10-01T00:00:00.000Z"), keys.retired),
  ),
  isGood(
    "a key retired since, at the last moment of its time",
    signed(at("2026-11-13T00:00:00.000Z"), keys.retired),
  ),
  isGood("a time with an offset", signed(at("2026-11-20T13:00:00+01:00"))),
  isGood("a minute ahead of the reader's clock, and so is the list of the revoked", document, {
    now: "2026-11-20T11:59:00.000Z",
    status: "unknown",
  }),
  isGood("an issuer under a path", signed(statement({ issuer: shop }), keys.shop), { issuer: shop }),
  isGood(
    "an issuer on localhost, with a port and without https",
    signed(statement({ issuer: local }), keys.local),
    {
      issuer: local,
    },
  ),
];

const { status } = placesOf(market);
const usual = addressesOf(market);

const statuses: Case[] = [
  bad("taken back", "receipt_revoked", text(signed(statement({ id: revokedDocument })))),
  isGood("list of the revoked is not there", document, {
    addresses: { ...usual, [status]: "nothing there" },
    status: "unknown",
  }),
  isGood("list of the revoked redirects", document, {
    addresses: { ...usual, [status]: "a redirect" },
    status: "unknown",
  }),
  isGood("list of the revoked has expired", document, {
    addresses: { ...usual, [status]: "status that has expired" },
    status: "unknown",
  }),
  isGood(
    "list of the revoked had a name struck from it after it was signed: nothing is known",
    signed(statement({ id: revokedDocument })),
    { addresses: { ...usual, [status]: "status with nobody on it" }, status: "unknown" },
  ),
  isGood("list of the revoked is signed by another", document, {
    addresses: { ...usual, [status]: "status signed by another" },
    status: "unknown",
  }),
  ...(
    [
      ["nothing there", "status_unavailable"],
      ["status that has expired", "status_expired"],
      ["status signed by another", "status_invalid"],
      ["status with nobody on it", "status_invalid"],
      ["status that is no JSON", "status_invalid"],
    ] as const
  ).map(([page, code]) =>
    bad(`list of the revoked is required, and it is ${page}`, code, whole, {
      addresses: { ...usual, [status]: page },
      options: { status: "require" },
    }),
  ),
  isGood("list of the revoked is not to be asked", document, {
    options: { status: "skip" },
    status: "unknown",
  }),
];

/** Another valid value for each field, which only the signature reveals, or the code of a check that fails earlier. */
const changes: Record<keyof ReturnType<typeof statement>, [unknown, Parameters<typeof bad>[1]?]> = {
  $schema: ["https://market.example/other.json"],
  id: ["https://market.example/api/v1/receipts/rcp_01kah7w8zqf3d9v2t5b6n7m8x1"],
  type: ["ReceiptStatusList", "wrong_kind"],
  version: [1, "invalid_shape"],
  issuer: [foreign, "foreign_issuer"],
  issued_at: ["2026-11-20T11:59:59.999Z"],
  order_id: ["ord_01kah7w8zqf3d9v2t5b6n7m8x8"],
  agreement_hash: [hash("12")],
  claim: ["refunded"],
  chain: ["eip155:1"],
  contract: [buyer],
  escrow_id: [hash("23")],
  transaction: [hash("34")],
  block_number: [43],
  block_hash: [hash("45")],
  log_index: [4],
  buyer: [provider],
  provider: [buyer],
  token: [provider],
  amount: ["2500001"],
  output_hash: [null],
  released_so_far: ["2500000", "invalid_shape"],
  terms: [{ ...statement().terms, arbiter: buyer }],
};

const tampered: Case[] = [
  ...Object.entries(changes).map(([field, [value, code = "invalid_signature"]]) =>
    bad(`tampered with: ${field}`, code, text({ ...document, [field]: value })),
  ),
  ...Object.keys(document.proof)
    .filter((field) => field !== "proofValue")
    .map((field) => {
      const [value, code] = (
        {
          type: ["Ed25519Signature2020", "unsupported_cryptosuite"],
          cryptosuite: ["eddsa-rdfc-2022", "unsupported_cryptosuite"],
          created: ["2026-11-20T11:59:59.000Z", "invalid_signature"],
          verificationMethod: [keyId("key-2"), "invalid_signature"],
          proofPurpose: ["authentication", "wrong_proof_purpose"],
        } as const
      )[field as "type"];
      return bad(
        `tampered with: proof.${field}`,
        code,
        text({ ...document, proof: { ...document.proof, [field]: value } }),
      );
    }),
  bad("a field left out", "invalid_shape", text({ ...document, buyer: undefined })),
  bad("a field more", "invalid_shape", whole.replace("{", '{"note":"paid twice",')),
  bad(
    "a field more, with a name that programs trip over",
    "invalid_shape",
    whole.replace("{", '{"__proto__":{},'),
  ),
  bad(
    "version 1 with version 2's terms, signed",
    "invalid_shape",
    text(signed({ ...version1, terms: statement().terms })),
  ),
  bad(
    "a part without the sum of the parts, signed",
    "invalid_shape",
    text(signed(statement({ ...part, released_so_far: null }))),
  ),
  bad(
    "a release with a sum of parts, signed",
    "invalid_shape",
    text(signed(statement({ released_so_far: "1500000" }))),
  ),
  bad("a part in version 1, signed", "invalid_shape", text(signed({ ...version1, claim: "part_released" }))),
  bad("version 2 without terms, signed", "invalid_shape", text(signed({ ...version1, version: 2 }))),
  bad("a version to come, signed", "invalid_shape", text(signed(statement({ version: 3 })))),
];

const proofValue = String(document.proof.proofValue);
const signature = base58.decode(proofValue.slice(1));
const withProof = (proof: unknown) => text({ ...document, proof });
const withValue = (value: string) => withProof({ ...document.proof, proofValue: value });
/** Returns the malleable signature, which a lax verifier accepts: S plus the order of the group. */
const malleated = () => {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const scalar = BigInt(`0x${Buffer.from(signature.slice(32)).reverse().toString("hex")}`) + order;
  const bytes = Buffer.from(signature);
  Buffer.from(scalar.toString(16).padStart(64, "0"), "hex").reverse().copy(bytes, 32);
  return base58.encode(bytes);
};

const proofs: Case[] = [
  bad("no proof", "missing_proof", text(statement())),
  bad("null for a proof", "missing_proof", withProof(null)),
  bad("a list of proofs", "invalid_proof", withProof([document.proof])),
  bad("a proof with a member more", "invalid_proof", withProof({ ...document.proof, nonce: "x" })),
  bad(
    "a proof with a key of its own",
    "invalid_proof",
    withProof({ ...document.proof, publicKeyMultibase: "z6Mk" }),
  ),
  bad("a proof without a time", "invalid_proof", withProof({ ...document.proof, created: undefined })),
  bad(
    "another's signature",
    "invalid_signature",
    withValue(String(signed(statement({ amount: "1" })).proof.proofValue)),
  ),
  bad(
    "a signature of nothing but zeros",
    "invalid_signature",
    withValue(`z${base58.encode(new Uint8Array(64))}`),
  ),
  bad(
    "a signature whose S was raised by the group's order",
    "invalid_signature",
    withValue(`z${malleated()}`),
  ),
  bad(
    "a signature one byte short",
    "invalid_encoding",
    withValue(`z${base58.encode(signature.slice(0, 63))}`),
  ),
  bad("a signature without its multibase letter", "invalid_encoding", withValue(proofValue.slice(1))),
  bad(
    "a signature in base64url",
    "invalid_encoding",
    withValue(`u${Buffer.from(signature).toString("base64url")}`),
  ),
  bad(
    "a signature with a letter that base58 has not",
    "invalid_encoding",
    withValue(`${proofValue.slice(0, -1)}0`),
  ),
  bad("a signature with a space behind it", "invalid_encoding", withValue(`${proofValue} `)),
];

/** Makes the cases of good documents, of their revocation, and of changes in them. */
export const documentCases: Case[] = [...goodOnes, ...statuses, ...tampered, ...proofs];
