import type { Hex } from "viem";
import { createAgreement } from "../../../protocol/settlement/agreement.ts";
import * as calls from "../../../protocol/settlement/calls.ts";
import { deriveDeposit } from "../../../protocol/settlement/deposit.ts";
import {
  decisionData,
  recordDeliveryData,
  signedActData,
  type TypedData,
  typedDataOf,
  voucherData,
} from "../../../protocol/settlement/signatures.ts";
import {
  authorizationData,
  paymentNonceOf,
  permitData,
  receiveAuthorizationData,
} from "../../../protocol/settlement/x402.ts";
import { baseAgreement } from "./agreements.ts";
import { hash, provider, wallet } from "./parties.ts";

export const agreed = createAgreement(baseAgreement);
const derived = deriveDeposit(agreed);
const escrow = {
  chainId: derived.chainId,
  escrowContract: derived.escrowContract,
  escrowId: derived.escrowId,
};
const deadline = 1_795_426_200n;
/** A signature of no key, which is recognised in calls. Its bytes end in the middle of a word. */
const signature: Hex = `0x${"5a".repeat(64)}1b`;

export const describeDerived = ({ terms, ...rest }: typeof derived) => ({
  chain_id: rest.chainId,
  escrow_contract: rest.escrowContract,
  terms: { ...terms, amount: terms.amount.toString() },
  order_hash: terms.orderHash,
  escrow_id: rest.escrowId,
  implementation: rest.implementation,
  deposit_address: rest.depositAddress,
  payment_nonce: paymentNonceOf(rest.escrowId),
});

/** Every call that a party or a relayer makes for the first agreement's escrow. */
export const describedCalls = [
  calls.approveCall(derived),
  calls.createEscrowCall(derived),
  calls.createEscrowFromDepositCall(derived),
  calls.createEscrowWithAuthorizationCall(derived, {
    from: wallet.address,
    validAfter: 0n,
    validBefore: 1_795_340_000n,
    nonce: hash("9"),
    signature,
  }),
  calls.createEscrowWithReceiveAuthorizationCall(derived, {
    from: wallet.address,
    validBefore: 1_795_340_000n,
    signature,
  }),
  calls.plainCall(derived, "release"),
  calls.plainCall(derived, "refund"),
  calls.plainCall(derived, "settleDispute"),
  calls.recordDeliveryCall(derived, hash("1")),
  calls.recordSignedDeliveryCall(derived, { outputHash: hash("1"), deadline, signature }),
  calls.recordDeliveryCall(derived, hash("1"), 750_000n),
  calls.recordSignedDeliveryCall(derived, { outputHash: hash("1"), charge: 750_000n, deadline, signature }),
  calls.voucherCall(derived, { cumulativeAmount: 750_000n, workHash: hash("1"), signature }),
  calls.voucherCall(derived, { cumulativeAmount: 750_000n, workHash: hash("1") }),
  calls.plainCall(derived, "releasePart"),
  calls.disputeCall(derived, hash("0")),
  calls.decideDisputeCall(derived, { providerAmount: 1_250_000n, rulingHash: hash("2") }),
  calls.decideSignedDisputeCall(derived, {
    providerAmount: 1_250_000n,
    rulingHash: hash("2"),
    deadline,
    signature,
  }),
  calls.signedActCall(derived, { act: "release", deadline, signature }),
  calls.signedActCall(derived, { act: "refund", deadline, signature: `${signature}ff` }),
  calls.signedActCall(derived, {
    act: "dispute",
    party: provider,
    reasonHash: hash("3"),
    deadline,
    signature,
  }),
  calls.returnDepositCall(derived),
];

const payable = {
  chainId: derived.chainId,
  token: { address: derived.terms.token, name: "Test USD", version: "1" },
  amount: derived.terms.amount,
  depositAddress: derived.depositAddress,
  fundBy: derived.terms.fundBy,
};

/** The typed data of the first agreement's escrow. `inputs` has the values that the agreement lacks. */
export const typedData: { kind: string; inputs: Record<string, unknown>; data: TypedData | null }[] = [
  {
    kind: "release",
    inputs: { deadline: `${deadline}` },
    data: signedActData("release", escrow, { deadline }),
  },
  {
    kind: "refund",
    inputs: { deadline: `${deadline}` },
    data: signedActData("refund", escrow, { deadline }),
  },
  {
    kind: "dispute",
    inputs: { reason_hash: hash("3"), deadline: `${deadline}` },
    data: signedActData("dispute", escrow, { reasonHash: hash("3"), deadline }),
  },
  {
    kind: "record_delivery",
    inputs: { output_hash: hash("1"), number: 2, deadline: `${deadline}` },
    data: recordDeliveryData({
      ...escrow,
      escrow: { deliveryCount: 1, deliveryDeadline: deadline },
      outputHash: hash("1"),
    }),
  },
  {
    kind: "record_part",
    inputs: { earned: "750000", work_hash: hash("1"), is_final: true, number: 2, deadline: `${deadline}` },
    data: recordDeliveryData({
      ...escrow,
      escrow: { deliveryCount: 1, deliveryDeadline: deadline },
      outputHash: hash("1"),
      charge: 750_000n,
    }),
  },
  {
    kind: "record_part",
    inputs: { earned: "500000", work_hash: hash("1"), is_final: false, number: 1, deadline: `${deadline}` },
    data: typedDataOf(escrow, "RecordPart", {
      escrowId: escrow.escrowId,
      earned: 500_000n,
      workHash: hash("1"),
      isFinal: false,
      number: 1,
      deadline,
    }),
  },
  {
    kind: "voucher",
    inputs: { cumulative_amount: "750000", work_hash: hash("1") },
    data: voucherData(escrow, { cumulativeAmount: 750_000n, workHash: hash("1") }),
  },
  {
    kind: "close",
    inputs: { provider_amount: "750000", deadline: `${deadline}` },
    data: typedDataOf(escrow, "Close", { escrowId: escrow.escrowId, providerAmount: 750_000n, deadline }),
  },
  {
    kind: "decide_dispute",
    inputs: { provider_amount: "1250000", ruling_hash: hash("2"), deadline: `${deadline}` },
    data: decisionData(escrow, { providerAmount: 1_250_000n, rulingHash: hash("2"), deadline }),
  },
  {
    kind: "transfer_with_authorization",
    inputs: {
      token_name: payable.token.name,
      token_version: payable.token.version,
      from: wallet.address,
      valid_before: "1795339600",
      nonce: hash("9"),
    },
    data: authorizationData(payable, wallet.address, hash("9"), 1_795_339_000n),
  },
  {
    kind: "receive_with_authorization",
    inputs: {
      token_name: payable.token.name,
      token_version: payable.token.version,
      from: wallet.address,
      valid_before: "1795339600",
    },
    data: receiveAuthorizationData(payable, escrow, wallet.address, 1_795_339_000n),
  },
  {
    kind: "permit2",
    inputs: { nonce: (2n ** 256n - 1n).toString(), deadline: "1795339600" },
    data: permitData(payable, 2n ** 256n - 1n, 1_795_339_000n),
  },
];
