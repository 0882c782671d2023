import { type Address, getAddress, type Hex } from "viem";
import type { Database } from "../../db/client.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { refuseRecord, refuseSignedAct, type Situation } from "../../protocol/settlement/actions.ts";
import {
  type Call,
  type Decision,
  decideSignedDisputeCall,
  type EscrowOf,
  escrowCall,
  recordSignedDeliveryCall,
  signedActCall,
  voucherCall,
} from "../../protocol/settlement/calls.ts";
import { refuseDecision } from "../../protocol/settlement/dispute.ts";
import {
  decisionData,
  type EscrowName,
  recordDeliveryData,
  signedActData,
  type TypedData,
  voucherData,
} from "../../protocol/settlement/signatures.ts";
import { claimOfStage, type StageClaim } from "../../protocol/settlement/stages.ts";
import { termsOf } from "../../protocol/settlement/terms.ts";
import type { Role } from "../../protocol/settlement/vocabulary.ts";
import { findRelay, type RelayRow } from "../relay/relay-queue.ts";
import type { SharedOrder } from "./order-access.ts";

/** An order with its caller's role; for a release and a delivery record, with the hash of the delivery. */
export type Signable = SharedOrder & { outputHash?: Hex | null };

type Dated = { deadline: bigint };

/** The contents of each act. The hash of a text is signed. */
export type Contents = {
  release: Dated;
  refund: Dated;
  dispute: Dated & { reasonHash: Hex };
  decision: Dated & Decision;
  deliveryRecord: Record<never, never>;
};
export type ActName = keyof Contents;

export type Act<Content> = {
  /** the role that signs; `party` is buyer or provider */
  by: Role | "party";
  /** as in "Only the buyer can ..." */
  step: string;
  /** explains why the contract refuses the act now; null if it accepts it */
  refuse: (own: Signable, now: bigint) => string | null;
  /** builds the data to sign; null if `refuse` refuses */
  typedData: (escrow: EscrowName, own: Signable, content: Content) => TypedData | null;
  /** builds the call, unless `refuse` refuses */
  call: (escrow: EscrowOf, own: Signable, content: Content, signed: Signed) => Call;
  /** returns the relay key, so that the act is sent once */
  key: (own: Signable) => string;
  /** finds the relay that answers a repeated request, whatever its signature; by default one that has not failed */
  findExisting?: (db: Database, own: Signable, key: string) => Promise<RelayRow | null>;
  /** the arguments in which a repeated request must equal the queued call, and the refusal otherwise */
  agrees?: { on: readonly string[]; otherwise: (own: Signable) => string };
};
type Signed = { signer: Address; signature: Hex };

/** The acts that a party or the arbiter can sign. The service sends them and pays the gas. */
export const acts: { [Name in ActName]: Act<Contents[Name]> } = {
  release: {
    by: "buyer",
    step: "sign a release",
    refuse: ({ row, escrow }, now) => refuseSignedAct("release", { escrow, now, ...partsOf(row) }),
    typedData: (escrow, own, content) => {
      const voucher = voucherOf(own);
      return voucher ? voucherData(escrow, voucher) : signedActData("release", escrow, content);
    },
    call: (escrow, own, { deadline }, { signature }) => {
      const voucher = voucherOf(own);
      return voucher
        ? voucherCall(escrow, { ...voucher, signature })
        : signedActCall(escrow, { act: "release", deadline, signature });
    },
    key: ({ row }) =>
      row.deliveredStage === null
        ? `${row.escrowId}:release`
        : `${row.escrowId}:release:${row.deliveredStage}`,
  },
  refund: {
    by: "provider",
    step: "sign a refund",
    refuse: ({ escrow }, now) => refuseSignedAct("refund", { escrow, now }),
    typedData: (escrow, _own, content) => signedActData("refund", escrow, content),
    call: (escrow, _own, { deadline }, { signature }) =>
      signedActCall(escrow, { act: "refund", deadline, signature }),
    key: ({ row }) => `${row.escrowId}:refund`,
  },
  dispute: {
    by: "party",
    step: "dispute the order",
    refuse: ({ row, escrow }, now) => refuseSignedAct("dispute", { escrow, now, ...partsOf(row) }),
    typedData: (escrow, _own, content) => signedActData("dispute", escrow, content),
    call: (escrow, _own, { reasonHash, deadline }, { signer, signature }) =>
      signedActCall(escrow, { act: "dispute", party: signer, reasonHash, deadline, signature }),
    // Each party has a relay of its own, so that a failed one of one party does not block the other.
    key: ({ row, role }) => `${row.escrowId}:dispute:${role}`,
    agrees: {
      on: ["reasonHash"],
      otherwise: () => "Your dispute is already queued or recorded, with another reason_hash.",
    },
  },
  decision: {
    by: "arbiter",
    step: "decide the dispute",
    refuse: ({ row, escrow }, now) => refuseDecision({ escrow, terms: termsOf(row), now }),
    typedData: (escrow, _own, { providerAmount, rulingHash, deadline }) =>
      decisionData(escrow, { providerAmount, rulingHash, deadline }),
    call: (escrow, _own, content, { signature }) =>
      decideSignedDisputeCall(escrow, { ...content, signature }),
    key: ({ row }) => `${row.escrowId}:decideDispute`,
    agrees: {
      on: ["providerAmount", "rulingHash"],
      otherwise: () => "Your decision is already queued or recorded, with another amount or ruling.",
    },
  },
  deliveryRecord: {
    by: "provider",
    step: "record a delivery",
    refuse: ({ row, escrow, outputHash = null }, now) =>
      refuseRecord({ escrow, outputHash, now, ...partsOf(row) }),
    typedData: (name, { row, escrow, outputHash = null }) =>
      recordDeliveryData({ ...name, escrow, outputHash, ...recordedPart(row) }),
    call: (name, { row, escrow, outputHash }, _content, { signature }) => {
      if (!escrow || !outputHash) throw new Error("Only a delivery of a funded order is recorded.");
      const deadline = escrow.deliveryDeadline;
      return recordSignedDeliveryCall(name, { outputHash, ...recordedPart(row), deadline, signature });
    },
    // A number is valid for one output only.
    key: (own) => recordKey(own, nextNumber(own)),
    findExisting: findRecorded,
    agrees: {
      on: ["outputHash", "workHash", "earned"],
      otherwise: (own) =>
        `The record of another delivery is queued as number ${nextNumber(own)}. Record this delivery when the trail shows that record.`,
    },
  },
};

type InParts = Pick<OrderRow, "pricingModel" | "charge" | "stages" | "deliveredStage">;

/** Returns what the rules need of an order that is paid in parts. */
export function partsOf(row: InParts): Pick<Situation, "metered" | "staged"> {
  return { metered: meteredOf(row), staged: row.stages ? { claim: claimOf(row) } : null };
}

function meteredOf({ pricingModel, charge }: InParts): Situation["metered"] {
  if (pricingModel === "per_call") return { charge: null, isSession: true };
  return pricingModel === "metered" ? { charge } : null;
}

/** Returns the part of the amount that the last delivery claims; null for the whole amount, or before a delivery. */
export function claimOf({
  charge,
  stages,
  deliveredStage,
}: Omit<InParts, "pricingModel">): StageClaim | null {
  if (stages && deliveredStage !== null) return claimOfStage(stages, deliveredStage);
  return charge === null ? null : { sum: charge, isFinal: true };
}

function recordedPart(row: InParts): { charge: bigint | null; isFinal: boolean } {
  const claim = claimOf(row);
  return { charge: claim?.sum ?? null, isFinal: claim?.isFinal ?? true };
}

/** Returns the voucher that pays what the last delivery claims; null for an order that is not paid in parts. */
function voucherOf({ row, outputHash }: Signable) {
  const claim = claimOf(row);
  return claim === null || !outputHash ? null : { cumulativeAmount: claim.sum, workHash: outputHash };
}

/** Decodes the call of a relay. */
export function callOf({ row }: Signable, relay: RelayRow): Call {
  return escrowCall(getAddress(row.escrowContract), relay.data);
}

/** Finds the relay that recorded exactly this delivery. Queueing finds a pending relay. */
async function findRecorded(db: Database, own: Signable): Promise<RelayRow | null> {
  const { escrow, outputHash } = own;
  if (!escrow || escrow.deliveryCount === 0 || escrow.outputHash !== outputHash) return null;
  const relay = await findRelay(db, recordKey(own, escrow.deliveryCount));
  if (!relay) return null;
  const { args } = callOf(own, relay);
  const claim = claimOf(own.row);
  const isSame = (args.outputHash ?? args.workHash) === outputHash;
  return isSame && (!claim || args.earned === claim.sum.toString()) ? relay : null;
}

function recordKey({ row }: Signable, number: number): string {
  return `${row.escrowId}:recordDelivery:${number}`;
}

/** Returns the number of the next record. */
function nextNumber({ escrow }: Signable): number {
  return (escrow?.deliveryCount ?? 0) + 1;
}
