import { createHmac } from "node:crypto";
import { base64urlnopad } from "@scure/base";
import { type Case, casesOf } from "./case.ts";
import { addressesOf, keys, local, market, placesOf, shop } from "./issuers.ts";
import {
  buyer,
  encode,
  envelope,
  hash,
  jws,
  offerPayload,
  receiptPayload,
  signed,
  text,
  withPart,
} from "./make.ts";

const receipts = casesOf("x402_receipt");
const offers = casesOf("x402_offer");
const { bad } = receipts;

const receipt = jws();
const offer = jws(offerPayload());
const kid = `${market}#key-3`;
const saysReceipt = ({ resourceUrl, payer, transaction, network } = receiptPayload()) => ({
  resourceUrl,
  payer,
  transaction,
  network,
});
const saysOffer = ({ resourceUrl, payTo, amount, asset } = offerPayload()) => ({
  resourceUrl,
  payTo,
  amount,
  asset,
});

/** A receipt that the revocation list has, by its hash. */
export const revokedReceipt = jws(receiptPayload({ transaction: hash("77") }));

const seconds = (time: string) => Date.parse(time) / 1000;
const { did, status } = placesOf(market);
const usual = addressesOf(market);
const atShop = (resourceUrl: string) =>
  jws(receiptPayload({ resourceUrl }), keys.shop, { alg: "EdDSA", kid: `${shop}#key-1` });

const goodOnes: Case[] = [
  receipts.good("a receipt", receipt, kid, saysReceipt()),
  receipts.good("a receipt in its envelope", envelope(receipt), kid, saysReceipt()),
  receipts.good("a payload that is not canonical JSON", jws(text(receiptPayload())), kid, saysReceipt()),
  receipts.good("fields that the caller knows", receipt, kid, saysReceipt(), {
    options: { resourceUrl: receiptPayload().resourceUrl, transaction: hash("33"), payer: buyer },
  }),
  receipts.good(
    "a key retired since, in its time",
    jws(receiptPayload({ issuedAt: seconds("2026-11-12T00:00:00Z") }), keys.retired),
    `${market}#key-2`,
    saysReceipt(),
  ),
  receipts.good(
    "an issuer under a path",
    atShop("https://hosting.example/shop/orders/1"),
    `${shop}#key-1`,
    {
      ...saysReceipt(),
      resourceUrl: "https://hosting.example/shop/orders/1",
    },
    { issuer: shop },
  ),
  receipts.good(
    "an issuer on localhost, with a port and without https",
    jws(receiptPayload({ resourceUrl: "http://localhost:3000/orders/1" }), keys.local, {
      alg: "EdDSA",
      kid: `${local}#key-1`,
    }),
    `${local}#key-1`,
    { ...saysReceipt(), resourceUrl: "http://localhost:3000/orders/1" },
    { issuer: local },
  ),
  receipts.good("list of the revoked is not there", receipt, kid, saysReceipt(), {
    addresses: { ...usual, [status]: "nothing there" },
    status: "unknown",
  }),
  offers.good("an offer", offer, kid, saysOffer()),
  offers.good("an offer in its envelope", envelope(offer, { acceptIndex: 0 }), kid, saysOffer()),
  offers.good("an offer at the last moment that it stands", offer, kid, saysOffer(), {
    now: "2026-11-20T12:10:00.000Z",
  }),
];

const payload = receiptPayload();
const changed = (fields: object) => withPart(receipt, 1, () => encode(text({ ...payload, ...fields })));

const tampered: Case[] = [
  ...(
    [
      ["version", 2, "invalid_shape"],
      ["network", "eip155:1", "invalid_signature"],
      ["resourceUrl", `${payload.resourceUrl}0`, "invalid_signature"],
      ["payer", "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC", "invalid_signature"],
      ["issuedAt", payload.issuedAt - 1, "invalid_signature"],
      ["transaction", hash("34"), "invalid_signature"],
    ] as const
  ).map(([field, value, code]) => bad(`tampered with: ${field}`, code, changed({ [field]: value }))),
  offers.bad(
    "tampered with: amount",
    "invalid_signature",
    withPart(offer, 1, () => encode(text(offerPayload({ amount: "1" })))),
  ),
  offers.bad(
    "tampered with: payTo",
    "invalid_signature",
    withPart(offer, 1, () => encode(text(offerPayload({ payTo: buyer })))),
  ),
  offers.bad(
    "tampered with: validUntil",
    "invalid_signature",
    withPart(offer, 1, () => encode(text(offerPayload({ validUntil: 1_800_000_000 })))),
  ),
  bad(
    "the payload of one and the signature of another",
    "invalid_signature",
    withPart(receipt, 2, () => jws(receiptPayload({ transaction: hash("34") })).split(".")[2] ?? ""),
  ),
  bad("another resource than the caller knows", "unexpected_value", receipt, {
    options: { resourceUrl: `${payload.resourceUrl}0` },
  }),
  bad("another transaction than the caller knows", "unexpected_value", receipt, {
    options: { transaction: hash("34") },
  }),
  offers.bad("another amount than the caller knows", "unexpected_value", offer, {
    options: { amount: "2500001" },
  }),
];

const kinds: Case[] = [
  bad("an offer", "wrong_kind", offer),
  bad("an offer in its envelope", "wrong_kind", envelope(offer, { acceptIndex: 0 })),
  offers.bad("a receipt", "wrong_kind", receipt),
  bad("a settlement document", "wrong_kind", text(signed())),
  offers.bad("a settlement document", "wrong_kind", text(signed())),
  bad("a receipt with an offer's field", "wrong_kind", jws(receiptPayload({ payTo: buyer }))),
  bad("a payload of some other thing", "wrong_kind", jws({ iss: market, sub: "x" })),
  bad("a payload that is a list", "wrong_kind", jws("[]")),
  bad(
    "the JSON form of a JWS",
    "wrong_kind",
    text({
      protected: receipt.split(".")[0],
      payload: receipt.split(".")[1],
      signature: receipt.split(".")[2],
    }),
  ),
];

/** Makes a JWS with the given header, signed by the market's key, so that only the header is wrong. */
const headed = (header: object | string) => jws(receiptPayload(), keys.current, header);
const hs256 = () => {
  const input = `${encode(text({ alg: "HS256", kid }))}.${receipt.split(".")[1]}`;
  const secret = base64urlnopad.decode(keys.current.jwk.x);
  return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
};

const headers: Case[] = [
  bad(
    "alg none, with no signature",
    "unsupported_algorithm",
    `${encode(text({ alg: "none", kid }))}.${receipt.split(".")[1]}.`,
  ),
  bad("alg none, signed", "unsupported_algorithm", headed({ alg: "none", kid })),
  bad("HS256 with the public key for a secret", "unsupported_algorithm", hs256()),
  ...["eddsa", "Ed25519", "ES256", "RS256", ""].map((alg) =>
    bad(`alg ${alg || "of no name"}`, "unsupported_algorithm", headed({ alg, kid })),
  ),
  bad("no alg", "unsupported_algorithm", headed({ kid })),
  bad("an unknown crit", "unsupported_critical_header", headed({ alg: "EdDSA", kid, crit: ["exp"], exp: 1 })),
  bad(
    "crit for a payload that is not encoded",
    "unsupported_critical_header",
    headed({ alg: "EdDSA", kid, crit: ["b64"], b64: false }),
  ),
  bad("an empty crit", "unsupported_critical_header", headed({ alg: "EdDSA", kid, crit: [] })),
  bad(
    "a key in the receipt",
    "invalid_shape",
    jws(receiptPayload(), keys.foreign, {
      alg: "EdDSA",
      kid,
      jwk: { kty: "OKP", crv: "Ed25519", x: keys.foreign.jwk.x },
    }),
  ),
  bad(
    "an address of keys in the receipt",
    "invalid_shape",
    headed({ alg: "EdDSA", kid, jku: "https://evil.example/jwks.json" }),
  ),
  bad("a certificate in the receipt", "invalid_shape", headed({ alg: "EdDSA", kid, x5c: [] })),
  bad("a type", "invalid_shape", headed({ alg: "EdDSA", kid, typ: "JWT" })),
  bad("no kid", "invalid_shape", headed({ alg: "EdDSA" })),
  bad(
    "a member of the header twice",
    "duplicate_member",
    headed(`{"alg":"EdDSA","kid":"${market}#key-2","kid":"${kid}"}`),
  ),
  bad(
    "a member of the payload twice",
    "duplicate_member",
    jws(text(payload).replace("{", `{"payer":"${buyer}",`)),
  ),
  bad("a header that is a list", "unsupported_algorithm", headed("[]")),
  ...(
    [
      ["a forger's key, named as its own", "did:web:evil.example#key-3", "foreign_key"],
      ["a forger's key under the market's name", kid, "invalid_signature"],
      ["a did:jwk", "did:jwk:eyJrdHkiOiJPS1AifQ#0", "foreign_key"],
      ["no issuer", "key-3", "foreign_key"],
      ["an issuer without a fragment", market, "foreign_key"],
      ["a longer host", `${market}.evil.example#key-3`, "foreign_key"],
      ["a path below the host", `${market}:evil#key-3`, "foreign_key"],
      ["two fragments", `${market}#key-3#key-3`, "unknown_key"],
      ["the Multikey form", `${market}#key-3-mb`, "unknown_key"],
      ["a key nobody listed", `${market}#key-9`, "unknown_key"],
    ] as const
  ).map(([what, name, code]) =>
    bad(`kid: ${what}`, code, jws(receiptPayload(), keys.foreign, { alg: "EdDSA", kid: name })),
  ),
];

const resources: Case[] = [
  ...[
    "https://evil.example/api/v1/orders/ord_1",
    "https://market.example.evil.example/orders/1",
    "https://market.example:8443/orders/1",
    "http://market.example/orders/1",
    "https://market.example@evil.example/orders/1",
    "https://market.example",
    "https://MARKET.example/orders/1",
  ].map((resourceUrl) =>
    bad(`about ${resourceUrl}`, "foreign_resource", jws(receiptPayload({ resourceUrl }))),
  ),
  bad(
    "about a URL with a backslash, which readers take apart in two ways",
    "invalid_shape",
    jws(receiptPayload({ resourceUrl: "https://evil.example\\@market.example/" })),
  ),
  ...[
    "https://hosting.example/orders/1",
    "https://hosting.example/shopping/orders/1",
    "https://hosting.example/shop/../orders/1",
    "https://hosting.example/shop/%2e%2E/orders/1",
    "https://hosting.example/shop",
  ].map((resourceUrl) =>
    bad(`of an issuer under /shop, about ${resourceUrl}`, "foreign_resource", atShop(resourceUrl), {
      issuer: shop,
    }),
  ),
];

const times: Case[] = [
  bad(
    "before its key's time",
    "key_not_yet_valid",
    jws(receiptPayload({ issuedAt: seconds("2026-11-12T23:59:59Z") })),
  ),
  bad("a retired key that signs today", "key_retired", jws(receiptPayload(), keys.retired)),
  bad(
    "after its key's time",
    "key_retired",
    jws(receiptPayload({ issuedAt: seconds("2026-11-13T00:00:01Z") }), keys.retired),
  ),
  bad("in the future", "issued_in_future", receipt, { now: "2026-11-20T11:58:59.999Z" }),
  bad(
    "a compromised key, dated before",
    "key_compromised",
    jws(receiptPayload({ issuedAt: seconds("2026-08-15T00:00:00Z") }), keys.compromised),
  ),
  offers.bad("an offer that no longer stands", "offer_expired", offer, { now: "2026-11-20T12:10:00.001Z" }),
  offers.bad("an offer of a retired key", "key_retired", jws(offerPayload(), keys.retired)),
  offers.bad("an offer of a key of the future", "key_not_yet_valid", jws(offerPayload(), keys.coming)),
  bad("taken back", "receipt_revoked", revokedReceipt),
  bad("list of the revoked is required, and it is not there", "status_unavailable", receipt, {
    addresses: { ...usual, [status]: "nothing there" },
    options: { status: "require" },
  }),
  bad("at the DID document's address: did with the keys of another", "unknown_key", receipt, {
    addresses: { ...usual, [did]: "did with the keys of another" },
  }),
  bad("an expected issuer with a small letter in the escape", "invalid_issuer", receipt, {
    issuer: "did:web:localhost%3a3000",
  }),
];

/** Makes the cases of good receipts and offers, of changed ones, and of those with a wrong kind, header, resource or time. */
export const x402Cases: Case[] = [...goodOnes, ...tampered, ...kinds, ...headers, ...resources, ...times];
