import { type Address, type Hex, zeroAddress, zeroHash } from "viem";
import {
  type Call,
  createEscrowCall,
  disputeCall,
  plainCall,
  recordDeliveryCall,
  returnDepositCall,
} from "./calls.ts";
import { type TypedData, typedDataOf } from "./signatures.ts";
import type { Terms } from "./terms.ts";

/** An escrow as the indexer has it. Times are unix seconds. */
export type EscrowState = {
  status: "funded" | "disputed" | "decided" | "released" | "refunded" | "split";
  deliveryDeadline: bigint;
  deliveryCount: number;
  autoReleaseAt: bigint | null;
  outputHash: Hex | null;
  decideBy: bigint | null;
  settleableAt: bigint | null;
};

export type Role = "buyer" | "provider" | "arbiter";

/** One exit of an escrow, or one way in: who may take it, whether the caller may now, and how. */
export type SettlementAction = {
  action: ActionName;
  available: boolean;
  /** who may; `party` is buyer or provider */
  who: Role | "party" | "anyone";
  /** why it is not available; null when it is */
  reason: string | null;
  /** RFC 3339; from when it is, where only time is missing */
  available_at: string | null;
  /** the contract's function */
  function: string;
  /** null where an argument is still the caller's to find */
  call: Call | null;
  /** what the caller may sign instead of sending the call */
  typed_data: TypedData | null;
};

type ActionName =
  | "fund"
  | "recordDelivery"
  | "release"
  | "refund"
  | "dispute"
  | "decideDispute"
  | "settleDispute"
  | "returnDeposit";

/** What the rules look at; nothing else decides. */
export type Situation = {
  chainId: number;
  escrowContract: Address;
  escrowId: Hex;
  terms: Terms;
  /** null before funding */
  escrow: EscrowState | null;
  /** of the latest delivery; null before any */
  outputHash: Hex | null;
  /** base units of the order's token at its deposit address; null when the chain could not be asked */
  depositBalance: bigint | null;
  /** unix seconds */
  now: bigint;
  roles: readonly Role[];
};

/** How long a signature given instead of a call stays good, in seconds. */
const signatureSeconds = 86_400n;

/** Whether somebody may take an exit now: who, or why nobody, and from when more (or any) may. */
type Verdict =
  | { open: true; who: SettlementAction["who"]; others?: { reason: string; from?: bigint | null } }
  | { open: false; who: SettlementAction["who"]; reason: string; from?: bigint | null };

/**
 * Every way into and out of an order's escrow, as the contract's own rules have it at this moment, each with the raw
 * call: nobody needs this service to reach their money.
 */
export function settlementOptions(situation: Situation): SettlementAction[] {
  const { outputHash } = situation;
  const deadline = signatureDeadline(situation.now);
  return [
    decide("fund", "createEscrow", fund(situation), createEscrowCall(situation)),
    decide(
      "recordDelivery",
      "recordDelivery",
      recordDelivery(situation),
      outputHash && recordDeliveryCall(situation, outputHash),
      "provider",
      () => recordDeliveryData(situation),
    ),
    decide("release", "release", release(situation), plainCall(situation, "release"), "buyer", () =>
      signedActData("release", situation, { deadline }),
    ),
    decide("refund", "refund", refund(situation), plainCall(situation, "refund"), "provider", () =>
      signedActData("refund", situation, { deadline }),
    ),
    // A dispute needs no reason on the chain; whoever has one puts its hash in.
    decide("dispute", "dispute", dispute(situation), disputeCall(situation, zeroHash), "party", () =>
      signedActData("dispute", situation, { deadline }),
    ),
    decide("decideDispute", "decideDispute", decideDispute(situation), null),
    decide("settleDispute", "settleDispute", settleDispute(situation), plainCall(situation, "settleDispute")),
    decide("returnDeposit", "returnDeposit", returnDeposit(situation), returnDepositCall(situation)),
  ];

  function decide(
    action: ActionName,
    functionName: string,
    verdict: Verdict,
    call: Call | null,
    signer?: "buyer" | "provider" | "party",
    typedData?: () => TypedData | null,
  ): SettlementAction {
    const available = verdict.open && isAmong(situation.roles, verdict.who);
    const refusal = verdict.open ? verdict.others : verdict;
    const signs = available && signer !== undefined && isAmong(situation.roles, signer);
    return {
      action,
      available,
      who: verdict.who,
      reason: available ? null : (refusal?.reason ?? `Only the ${nameOf(verdict.who)} can do this.`),
      available_at: available ? null : timeOf(refusal?.from),
      function: functionName,
      call,
      typed_data: signs ? (typedData?.() ?? null) : null,
    };
  }
}

/** What a party may do by a signature that somebody else sends, besides the record of a delivery. */
export type SignedAct = "release" | "refund" | "dispute";

/** Whether the contract takes a party's signed act now, whose it may be aside; null if so, else why not. */
export function refuseSignedAct(act: SignedAct, situation: Pick<Situation, "escrow" | "now">): string | null {
  const verdict = { release, refund, dispute }[act](situation);
  return verdict.open ? null : verdict.reason;
}

/** What a party signs for an act. `deadline` is unix seconds; the reason's hash is a dispute's alone. */
export function signedActData(
  act: SignedAct,
  situation: Pick<Situation, "chainId" | "escrowContract" | "escrowId">,
  { deadline, reasonHash = zeroHash }: { deadline: bigint; reasonHash?: Hex },
): TypedData {
  const { escrowId } = situation;
  if (act === "dispute") return typedDataOf(situation, "Dispute", { escrowId, reasonHash, deadline });
  return typedDataOf(situation, act === "release" ? "Release" : "Refund", { escrowId, deadline });
}

/** Until when a signature given now is asked to be good, in unix seconds. */
export function signatureDeadline(now: bigint): bigint {
  return now + signatureSeconds;
}

/** What the contract opens to anyone now because time passed; null when nothing. */
export function findDue(
  situation: Pick<Situation, "escrow" | "now">,
): "release" | "refund" | "settleDispute" | null {
  const due = Object.entries({ release, refund, settleDispute } as const).find(([, rule]) => {
    const verdict = rule(situation);
    return verdict.open && verdict.who === "anyone";
  });
  return (due?.[0] as "release" | "refund" | "settleDispute" | undefined) ?? null;
}

/** Whether an order can be funded, which needs no caller's role; null if it can, else why not. */
export function refuseFunding(situation: Pick<Situation, "escrow" | "terms" | "now">): string | null {
  const verdict = fund(situation);
  return verdict.open ? null : verdict.reason;
}

/** Whether the provider can record the latest delivery; null if so, else why not. */
export function refuseRecord(situation: Pick<Situation, "escrow" | "outputHash" | "now">): string | null {
  const verdict = recordDelivery(situation);
  return verdict.open ? null : verdict.reason;
}

/** What the provider signs to have a delivery recorded: good until the delivery deadline and for this number only. */
export function recordDeliveryData({
  chainId,
  escrowContract,
  escrowId,
  escrow,
  outputHash,
}: Pick<Situation, "chainId" | "escrowContract" | "escrowId" | "escrow" | "outputHash">): TypedData | null {
  if (!escrow || !outputHash) return null;
  return typedDataOf({ chainId, escrowContract }, "RecordDelivery", {
    escrowId,
    outputHash,
    number: escrow.deliveryCount + 1,
    deadline: escrow.deliveryDeadline,
  });
}

function fund({ escrow, terms, now }: Pick<Situation, "escrow" | "terms" | "now">): Verdict {
  const who = "anyone";
  if (escrow) return { open: false, who, reason: "The escrow is funded already." };
  if (now > BigInt(terms.fundBy)) {
    return { open: false, who, reason: `The funding window ended at ${timeOf(BigInt(terms.fundBy))}.` };
  }
  return { open: true, who };
}

function recordDelivery({
  escrow,
  outputHash,
  now,
}: Pick<Situation, "escrow" | "outputHash" | "now">): Verdict {
  const closed = (reason: string): Verdict => ({ open: false, who: "provider", reason });
  if (!escrow) return closed(notFunded);
  if (escrow.status !== "funded" && escrow.status !== "disputed") return closed(ended(escrow));
  if (now > escrow.deliveryDeadline) {
    return closed(`The delivery deadline was ${timeOf(escrow.deliveryDeadline)}.`);
  }
  if (!outputHash) return closed("Nothing was delivered yet: deliver the output first.");
  if (escrow.outputHash === outputHash) return closed("The latest delivery is recorded already.");
  return { open: true, who: "provider" };
}

function release({ escrow, now }: Pick<Situation, "escrow" | "now">): Verdict {
  if (!escrow) return { open: false, who: "buyer", reason: notFunded };
  if (escrow.status !== "funded") return { open: false, who: "buyer", reason: ended(escrow) };
  const from = escrow.autoReleaseAt;
  if (from !== null && now >= from) return { open: true, who: "anyone" };
  const later = from
    ? `Only the buyer can release before ${timeOf(from)}; from then on anyone can.`
    : "Only the buyer can release while no delivery is recorded on the chain.";
  return { open: true, who: "buyer", others: { reason: later, from } };
}

function refund({ escrow, now }: Pick<Situation, "escrow" | "now">): Verdict {
  if (!escrow) return { open: false, who: "provider", reason: notFunded };
  if (escrow.status !== "funded") return { open: false, who: "provider", reason: ended(escrow) };
  if (escrow.deliveryCount > 0) {
    const reason = "Only the provider can refund: a delivery is recorded on the chain.";
    return { open: true, who: "provider", others: { reason } };
  }
  const from = escrow.deliveryDeadline + 1n;
  if (now >= from) return { open: true, who: "anyone" };
  const reason = `Only the provider can refund before ${timeOf(from)}; from then on anyone can, if no delivery is recorded.`;
  return { open: true, who: "provider", others: { reason, from } };
}

function dispute({ escrow }: Pick<Situation, "escrow">): Verdict {
  if (!escrow) return { open: false, who: "party", reason: notFunded };
  if (escrow.status !== "funded") return { open: false, who: "party", reason: ended(escrow) };
  return { open: true, who: "party" };
}

function decideDispute({ escrow, terms, now }: Situation): Verdict {
  const closed = (reason: string): Verdict => ({ open: false, who: "arbiter", reason });
  if (terms.arbiter === zeroAddress) return closed("This order names no arbiter: a dispute ends by time.");
  if (!escrow) return closed(notFunded);
  if (escrow.status === "decided") return closed("The dispute is decided already.");
  if (escrow.status !== "disputed" || escrow.decideBy === null) return closed("No dispute is open.");
  if (now > escrow.decideBy) return closed(`The arbiter had until ${timeOf(escrow.decideBy)}.`);
  return { open: true, who: "arbiter" };
}

function settleDispute({ escrow, now }: Pick<Situation, "escrow" | "now">): Verdict {
  const who = "anyone";
  if (!escrow) return { open: false, who, reason: notFunded };
  if (escrow.status === "decided" && escrow.settleableAt !== null) {
    const from = escrow.settleableAt;
    if (now >= from) return { open: true, who };
    return { open: false, who, reason: `The decision can be settled from ${timeOf(from)} on.`, from };
  }
  if (escrow.status === "disputed" && escrow.decideBy !== null) {
    // Nothing goes back to the buyer while the provider may still deliver.
    const delivers = escrow.deliveryCount === 0 && escrow.deliveryDeadline > escrow.decideBy;
    const from = (delivers ? escrow.deliveryDeadline : escrow.decideBy) + 1n;
    if (now >= from) return { open: true, who };
    const reason =
      delivers && now > escrow.decideBy
        ? `Nothing was decided, and the provider has until ${timeOf(escrow.deliveryDeadline)} to deliver.`
        : `The arbiter has until ${timeOf(escrow.decideBy)} to decide.`;
    return { open: false, who, reason, from };
  }
  return { open: false, who, reason: "No dispute is open." };
}

function returnDeposit({ escrow, terms, now, depositBalance }: Situation): Verdict {
  const awaitsEscrow = !escrow && now <= BigInt(terms.fundBy);
  const who = awaitsEscrow ? "buyer" : "anyone";
  if (depositBalance === 0n) {
    return { open: false, who, reason: "The deposit address holds nothing of the order's token." };
  }
  if (!awaitsEscrow) return { open: true, who };
  const from = BigInt(terms.fundBy) + 1n;
  const reason = `Only the buyer can take a deposit back before ${timeOf(from)}; from then on anyone can send it to the buyer.`;
  return { open: true, who, others: { reason, from } };
}

const notFunded = "The escrow is not funded.";

function ended({ status }: EscrowState): string {
  if (status === "disputed" || status === "decided") return "A dispute is open; it has to be settled.";
  return `The escrow has ended: it is ${status}.`;
}

function isAmong(roles: readonly Role[], who: SettlementAction["who"]): boolean {
  if (who === "anyone") return true;
  return who === "party" ? roles.some((role) => role !== "arbiter") : roles.includes(who);
}

function nameOf(who: SettlementAction["who"]): string {
  return who === "party" ? "buyer or the provider" : who;
}

function timeOf(unix: bigint | null | undefined): string | null {
  return unix === null || unix === undefined ? null : new Date(Number(unix) * 1000).toISOString();
}
