import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Address, type Hex, recoverAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { checkSignInText, fromBaseUnits, toBaseUnits, UntrustedTextError } from "../src/index.ts";
import * as protocol from "../src/settlement.ts";

/** The inputs of a vector's call or message. */
type Given = Record<string, string> & Record<"from" | "party", Address> & Record<HashName, Hex>;
type HashName =
  | "nonce"
  | "outputHash"
  | "workHash"
  | "reasonHash"
  | "rulingHash"
  | "signature"
  | "output_hash"
  | "work_hash"
  | "ruling_hash";
type Vectors = {
  wallet: { address: Address; private_key: Hex };
  canonical: { json: string; sha256: Hex }[];
  text_hashes: { text: string; sha256: Hex }[];
  agreements: {
    name: string;
    document: Record<string, unknown>;
    contents: Record<"input_schema" | "output_schema" | "input_payload", unknown>;
    terms: object;
    order_hash: Hex;
    payment_nonce: Hex;
    [derived: string]: unknown;
  }[];
  wrong_agreements: { name: string; document: object }[];
  calls: { function: string; to: Address; data: Hex; value: string; args: Given }[];
  typed_data: { kind: string; inputs: Given; typed_data: object; digest: Hex; signature: Hex }[];
  sign_in: {
    name: string;
    message: string;
    expected: {
      base_url: string;
      address: string;
      chain_id: number;
      nonce: string;
      account_id?: string;
      user_code?: string;
      now: string;
    };
    refused: string | null;
    signature: Hex | null;
  }[];
  amounts: { text: string; decimals: number; base_units: string | null; written: string | null }[];
};

const file = resolve(import.meta.dirname, "../../scenarios/protocol-vectors.json");
const vectors: Vectors = JSON.parse(readFileSync(file, "utf8"));
const wallet = privateKeyToAccount(vectors.wallet.private_key);
const agreed = protocol.deriveDeposit(vectors.agreements[0]?.document);

describe("what the protocol makes of", () => {
  test.each(vectors.canonical)("canonical JSON: $json", ({ json, sha256 }) => {
    expect(protocol.digestOf(JSON.parse(json))).toBe(sha256);
  });

  test.each(vectors.text_hashes)("a text: $text", ({ text, sha256 }) => {
    expect(protocol.hashOfText(text)).toBe(sha256);
  });

  test.each(vectors.agreements)(
    "an agreement: $name",
    ({ name: _, document, contents, terms, ...derived }) => {
      const { terms: found, ...rest } = protocol.deriveDeposit(document);
      expect({ ...found, amount: String(found.amount) }).toEqual(terms);
      expect({
        chain_id: rest.chainId,
        escrow_contract: rest.escrowContract,
        order_hash: found.orderHash,
        escrow_id: rest.escrowId,
        implementation: rest.implementation,
        deposit_address: rest.depositAddress,
        payment_nonce: protocol.paymentNonceOf(rest.escrowId),
      }).toEqual(derived);
      for (const name of ["input_schema", "output_schema"] as const) {
        expect(document[`${name}_digest`]).toBe(protocol.digestOrNull(contents[name]));
      }
      expect(document.input_digest).toBe(protocol.digestOrNull(contents.input_payload));
    },
  );

  test.each(vectors.wrong_agreements)("no agreement: $name", ({ document }) => {
    expect(() => protocol.deriveDeposit(document)).toThrow();
  });
});

const makeCall: Record<string, (args: Given) => protocol.Call> = {
  approve: () => protocol.approveCall(agreed),
  createEscrow: () => protocol.createEscrowCall(agreed),
  createEscrowFromDeposit: () => protocol.createEscrowFromDepositCall(agreed),
  createEscrowWithAuthorization: ({ from, validAfter, validBefore, nonce, signature }) =>
    protocol.createEscrowWithAuthorizationCall(agreed, {
      from,
      validAfter: BigInt(String(validAfter)),
      validBefore: BigInt(String(validBefore)),
      nonce,
      signature,
    }),
  createEscrowWithReceiveAuthorization: ({ from, validBefore, signature }) =>
    protocol.createEscrowWithReceiveAuthorizationCall(agreed, {
      from,
      validBefore: BigInt(String(validBefore)),
      signature,
    }),
  release: () => protocol.plainCall(agreed, "release"),
  refund: () => protocol.plainCall(agreed, "refund"),
  settleDispute: () => protocol.plainCall(agreed, "settleDispute"),
  recordDelivery: ({ outputHash }) => protocol.recordDeliveryCall(agreed, outputHash),
  recordDeliveryWithSignature: ({ outputHash, signature, ...rest }) =>
    protocol.recordSignedDeliveryCall(agreed, {
      outputHash,
      deadline: BigInt(String(rest.deadline)),
      signature,
    }),
  recordPart: ({ workHash, earned }) => protocol.recordDeliveryCall(agreed, workHash, BigInt(String(earned))),
  recordPartWithSignature: ({ workHash, earned, deadline, signature }) =>
    protocol.recordSignedDeliveryCall(agreed, {
      outputHash: workHash,
      charge: BigInt(String(earned)),
      deadline: BigInt(String(deadline)),
      signature,
    }),
  useVoucher: ({ cumulativeAmount, workHash, signature }) =>
    protocol.voucherCall(agreed, {
      cumulativeAmount: BigInt(String(cumulativeAmount)),
      workHash,
      ...(signature === "0x" ? {} : { signature }),
    }),
  releasePart: () => protocol.plainCall(agreed, "releasePart"),
  dispute: ({ reasonHash }) => protocol.disputeCall(agreed, reasonHash),
  decideDispute: ({ providerAmount, rulingHash }) =>
    protocol.decideDisputeCall(agreed, { providerAmount: BigInt(String(providerAmount)), rulingHash }),
  decideDisputeWithSignature: ({ providerAmount, rulingHash, deadline, signature }) =>
    protocol.decideSignedDisputeCall(agreed, {
      providerAmount: BigInt(String(providerAmount)),
      rulingHash,
      deadline: BigInt(String(deadline)),
      signature,
    }),
  releaseWithSignature: ({ deadline, signature }) =>
    protocol.signedActCall(agreed, { act: "release", deadline: BigInt(String(deadline)), signature }),
  refundWithSignature: ({ deadline, signature }) =>
    protocol.signedActCall(agreed, { act: "refund", deadline: BigInt(String(deadline)), signature }),
  disputeWithSignature: ({ party, reasonHash, deadline, signature }) =>
    protocol.signedActCall(agreed, {
      act: "dispute",
      party,
      reasonHash,
      deadline: BigInt(String(deadline)),
      signature,
    }),
  returnDeposit: () => protocol.returnDepositCall(agreed),
};

test.each(vectors.calls)(
  "the call $function is written byte by byte",
  ({ function: name, to, data, value, args }) => {
    expect(makeCall[name]?.(args)).toMatchObject({ function: name, to, data, value });
  },
);

const { terms, ...escrow } = agreed;
/** Ten minutes before `validBefore` of the vectors. */
const now = 1_795_339_000n;

const makeTypedData: Record<string, (inputs: Given) => protocol.TypedData | null> = {
  release: ({ deadline }) =>
    protocol.signedActData("release", escrow, { deadline: BigInt(String(deadline)) }),
  refund: ({ deadline }) => protocol.signedActData("refund", escrow, { deadline: BigInt(String(deadline)) }),
  dispute: ({ deadline, reason_hash }) =>
    protocol.signedActData("dispute", escrow, {
      deadline: BigInt(String(deadline)),
      reasonHash: reason_hash as Hex,
    }),
  record_delivery: ({ output_hash, number, deadline }) =>
    protocol.recordDeliveryData({
      ...escrow,
      escrow: { deliveryCount: Number(number) - 1, deliveryDeadline: BigInt(String(deadline)) },
      outputHash: output_hash,
    }),
  record_part: ({ earned, work_hash, is_final, number, deadline }) => {
    const numbered = { number: Number(number), deadline: BigInt(String(deadline)) };
    if (is_final)
      return protocol.recordDeliveryData({
        ...escrow,
        escrow: { deliveryCount: numbered.number - 1, deliveryDeadline: numbered.deadline },
        outputHash: work_hash,
        charge: BigInt(String(earned)),
      });
    const part = { earned: BigInt(String(earned)), workHash: work_hash, isFinal: false };
    return protocol.typedDataOf(escrow, "RecordPart", { escrowId: escrow.escrowId, ...part, ...numbered });
  },
  voucher: ({ cumulative_amount, work_hash }) =>
    protocol.voucherData(escrow, {
      cumulativeAmount: BigInt(String(cumulative_amount)),
      workHash: work_hash,
    }),
  close: ({ provider_amount, deadline }) =>
    protocol.typedDataOf(escrow, "Close", {
      escrowId: escrow.escrowId,
      providerAmount: BigInt(String(provider_amount)),
      deadline: BigInt(String(deadline)),
    }),
  decide_dispute: ({ provider_amount, ruling_hash, deadline }) =>
    protocol.decisionData(escrow, {
      providerAmount: BigInt(String(provider_amount)),
      rulingHash: ruling_hash,
      deadline: BigInt(String(deadline)),
    }),
  transfer_with_authorization: ({ token_name, token_version, from, nonce }) =>
    protocol.authorizationData(payableBy(String(token_name), String(token_version)), from, nonce, now),
  receive_with_authorization: ({ token_name, token_version, from }) =>
    protocol.receiveAuthorizationData(
      payableBy(String(token_name), String(token_version)),
      agreed,
      from,
      now,
    ),
  permit2: ({ nonce }) => protocol.permitData(payableBy("Test USD", "1"), BigInt(nonce), now),
};

function payableBy(name: string, version: string): protocol.Payable {
  const token = { address: terms.token, name, version };
  return { ...escrow, token, amount: terms.amount, fundBy: terms.fundBy };
}

test.each(vectors.typed_data)(
  "what is signed for $kind has this digest",
  async ({ kind, inputs, ...made }) => {
    const data = makeTypedData[kind]?.(inputs) as protocol.TypedData;
    expect(data).toEqual(made.typed_data);
    expect(protocol.digestToSign(data)).toBe(made.digest);
    const { domain, types, primaryType, message } = data;
    expect(await wallet.signTypedData({ domain, types, primaryType, message })).toBe(made.signature);
    expect(await recoverAddress({ hash: made.digest, signature: made.signature })).toBe(
      vectors.wallet.address,
    );
  },
);

test.each(vectors.sign_in)("a text to sign in: $name", async ({ message, expected, refused, signature }) => {
  const check = () =>
    checkSignInText(message, {
      host: new URL(expected.base_url).host,
      address: expected.address,
      chainId: expected.chain_id,
      nonce: expected.nonce,
      ...(expected.account_id === undefined ? {} : { accountId: expected.account_id }),
      ...(expected.user_code === undefined ? {} : { userCode: expected.user_code }),
      now: new Date(expected.now),
    });
  if (refused !== null) return expect(check).toThrow(UntrustedTextError);
  check();
  expect(await wallet.signMessage({ message })).toBe(signature);
});

test.each(vectors.amounts)(
  "the amount $text with $decimals decimals",
  ({ text, decimals, base_units, written }) => {
    if (base_units === null) return expect(() => toBaseUnits(text, decimals)).toThrow(TypeError);
    expect(toBaseUnits(text, decimals)).toBe(BigInt(base_units));
    expect(fromBaseUnits(BigInt(base_units), decimals)).toBe(written);
  },
);
