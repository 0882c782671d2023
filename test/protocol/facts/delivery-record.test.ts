import { type Hex, zeroAddress, zeroHash } from "viem";
import { describe, expect, test } from "vitest";
import { deliveryRecordOf, isDelivered } from "../../../protocol/facts/delivery-record.ts";
import { findDueCall } from "../../../protocol/facts/due-settlement.ts";
import type { Fact, FactType } from "../../../protocol/facts/fact.ts";
import { foldFacts, isAnnounced } from "../../../protocol/facts/lifecycle.ts";
import { type RecordKnown, warnOfRecord } from "../../../protocol/facts/record-warnings.ts";
import type { EscrowState, Situation } from "../../../protocol/settlement/actions.ts";

const hour = 3_600_000;
const start = Date.parse("2026-01-01T00:00:00Z");
const iso = (hours: number) => new Date(start + hours * hour).toISOString();

/**
 * A ledger of steps with the hour of each, in the order of recording. The acceptance window is 24 hours.
 */
function ledger(...steps: [type: FactType, hours: number, output?: string][]): Fact[] {
  const firstRecord = steps.find(([type]) => type === "delivery.recorded")?.[1] ?? 0;
  const funded: [FactType, number][] = [
    ["order.created", 0],
    ["order.funded", 0],
  ];
  return [...funded, ...steps].map(([type, hours, output], seq) => ({
    id: `${type}-${seq}`,
    seq,
    type,
    occurredAt: new Date(iso(hours)),
    data: {
      ...(output ? { output_hash: output } : {}),
      ...(type === "delivery.recorded"
        ? { delivered_at: iso(firstRecord), auto_release_at: iso(firstRecord + 24) }
        : {}),
    },
  }));
}

describe("the time from which the service releases", () => {
  test.each<[string, number | null, [FactType, number, string?][]]>([
    ["not before a delivery is recorded", null, [["order.delivered", 1, "A"]]],
    ["not on a record of nothing delivered", null, [["delivery.recorded", 1, "A"]]],
    [
      "not on a record of something else than was delivered",
      null,
      [
        ["order.delivered", 1, "A"],
        ["delivery.recorded", 2, "B"],
      ],
    ],
    [
      "at the escrow's own time, where the delivery came first",
      26,
      [
        ["order.delivered", 1, "A"],
        ["delivery.recorded", 2, "A"],
      ],
    ],
    [
      "at the escrow's own time, where the clocks of chain and service differ",
      26,
      [
        ["order.delivered", 2.1, "A"],
        ["delivery.recorded", 2, "A"],
      ],
    ],
    [
      "a whole window after a delivery that came after its record",
      44,
      [
        ["delivery.recorded", 1, "A"],
        ["order.delivered", 20, "A"],
      ],
    ],
    [
      "a whole window after the first true record, not after the junk that started the contract's clock",
      45,
      [
        ["delivery.recorded", 1, "junk"],
        ["order.delivered", 20, "A"],
        ["delivery.recorded", 21, "A"],
      ],
    ],
    [
      "at the escrow's own time still, after a revision, a second delivery and its record",
      26,
      [
        ["order.delivered", 1, "A"],
        ["delivery.recorded", 2, "A"],
        ["order.revision_requested", 3],
        ["order.delivered", 20, "B"],
        ["delivery.recorded", 21, "B"],
      ],
    ],
    [
      "at the escrow's own time still, after junk that was recorded later",
      26,
      [
        ["order.delivered", 1, "A"],
        ["delivery.recorded", 2, "A"],
        ["delivery.recorded", 3, "junk"],
      ],
    ],
  ])("%s", (_, due, steps) => {
    const state = foldFacts(ledger(...steps));
    expect(state.releaseDueAt?.toISOString()).toBe(due === null ? undefined : iso(due));
    const records = steps.some(([type]) => type === "delivery.recorded");
    expect(deliveryRecordOf(state)).toBe(!records ? "none" : due === null ? "unmatched" : "matched");
  });

  test("ends when the matching record leaves the chain", () => {
    const facts = ledger(["order.delivered", 1, "A"], ["delivery.recorded", 2, "A"]);
    const reverted = { ...facts[3], id: "r", seq: 4, type: "fact.reverted", data: { fact_id: facts[3]?.id } };
    expect(foldFacts([...facts, reverted as Fact]).releaseDueAt).toBeNull();
  });
});

describe("an order that is paid and delivered", () => {
  test.each<[boolean, string, [FactType, number, string?][]]>([
    [false, "nothing was delivered", []],
    [false, "the provider claims a delivery on the chain alone", [["delivery.recorded", 1, "A"]]],
    [true, "it was delivered here, and the buyer released without a record", [["order.delivered", 1, "A"]]],
    [
      false,
      "the record is of something else",
      [
        ["order.delivered", 1, "A"],
        ["delivery.recorded", 2, "B"],
      ],
    ],
    [
      true,
      "one of two records is of it",
      [
        ["order.delivered", 1, "A"],
        ["delivery.recorded", 2, "B"],
        ["delivery.recorded", 3, "A"],
      ],
    ],
  ])("%s: %s", (expected, _, steps) => {
    expect(isDelivered(ledger(...steps))).toBe(expected);
  });
});

describe("a record without a delivery", () => {
  const outputHash: Hex = `0x${"22".repeat(32)}`;
  const escrow: EscrowState = {
    status: "funded",
    deliveryDeadline: 2000n,
    deliveryCount: 1,
    earnedAmount: 0n,
    paidAmount: 0n,
    claimAcceptedAt: null,
    acceptedAmount: null,
    autoReleaseAt: 1500n,
    outputHash,
    decideBy: null,
    settleableAt: null,
  };
  const situation: Situation = {
    chainId: 31_337,
    escrowContract: zeroAddress,
    escrowId: zeroHash,
    terms: {
      buyer: zeroAddress,
      provider: zeroAddress,
      token: zeroAddress,
      amount: 1n,
      fundBy: 1000,
      deliveryWindow: 1000,
      acceptanceWindow: 500,
      disputeWindow: 500,
      appealWindow: 500,
      arbiter: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
      orderHash: zeroHash,
    },
    escrow,
    outputHash: null,
    depositBalance: 0n,
    now: 1600n,
    roles: ["buyer"],
  };
  const unmatched: RecordKnown = { deliveryRecord: "unmatched", releaseDueAt: null };
  const disputed = { ...escrow, status: "disputed" as const, decideBy: 1550n };

  test("does not let the service release, or settle a dispute for the provider", () => {
    expect(findDueCall({ ...situation, releaseDueAt: null })).toBeNull();
    expect(findDueCall({ ...situation, releaseDueAt: 1500n })).toBe("release");
    expect(findDueCall({ ...situation, releaseDueAt: 1601n })).toBeNull();
    expect(findDueCall({ ...situation, escrow: disputed, releaseDueAt: null })).toBeNull();
    expect(findDueCall({ ...situation, escrow: disputed, releaseDueAt: 9999n })).toBe("settleDispute");
    // An arbiter's decision needs no record.
    const decided = { ...escrow, status: "decided" as const, settleableAt: 1600n };
    expect(findDueCall({ ...situation, escrow: decided, releaseDueAt: null })).toBe("settleDispute");
    const undelivered = { ...disputed, deliveryCount: 0, autoReleaseAt: null };
    expect(findDueCall({ ...situation, escrow: undelivered, now: 2001n, releaseDueAt: null })).toBe(
      "settleDispute",
    );
  });

  test("is named in the options, with the acts that the contract still allows", () => {
    expect(warnOfRecord("release", situation, unmatched)).toMatch(
      /bare claim\. The contract lets anyone release on it from 1970/,
    );
    expect(warnOfRecord("dispute", situation, unmatched)).toContain("If the arbiter does not decide");
    const alone = { ...situation, terms: { ...situation.terms, arbiter: zeroAddress } };
    expect(warnOfRecord("dispute", alone, unmatched)).toContain("This order names no arbiter");
    expect(warnOfRecord("settleDispute", { ...situation, escrow: disputed }, unmatched)).toContain(
      "does not send that",
    );
    expect(warnOfRecord("refund", situation, unmatched)).toBeNull();
    expect(warnOfRecord("release", situation, { deliveryRecord: "matched", releaseDueAt: 1500n })).toBeNull();
    expect(warnOfRecord("release", situation, { deliveryRecord: "matched", releaseDueAt: 1700n })).toContain(
      "this service does so from 1970-01-01T00:28:20.000Z",
    );
  });

  test("sends events for an order's first ten records, so that cheap records cannot flood anyone", () => {
    const recordOf = (number: number) => ({
      id: `fct_${number}`,
      type: "delivery.recorded" as const,
      data: { number },
    });
    const steps = [1, 10, 11].map(recordOf);
    expect(steps.map((step) => isAnnounced(step, steps))).toEqual([true, true, false]);
    // Parts share the numbers, and may not hide the record that claims everything.
    expect(isAnnounced(recordOf(17), [recordOf(17), recordOf(18)])).toBe(true);
    expect(isAnnounced(recordOf(18), [recordOf(17), recordOf(18)])).toBe(false);
  });

  test("in parts is not paid out by the service, which waits for an arbiter or the provider", () => {
    const undelivered = { ...escrow, autoReleaseAt: null, earnedAmount: 1n, claimAcceptedAt: 1500n };
    const late = { ...situation, now: 2001n, releaseDueAt: null };
    expect(findDueCall({ ...late, escrow: undelivered })).toBeNull();
    expect(findDueCall({ ...late, escrow: { ...undelivered, paidAmount: 1n } })).toBe("refund");
    const inDispute = { ...undelivered, status: "disputed" as const, decideBy: 1550n };
    expect(findDueCall({ ...late, escrow: inDispute })).toBeNull();
    expect(findDueCall({ ...late, escrow: { ...inDispute, paidAmount: 1n } })).toBe("settleDispute");
  });
});
