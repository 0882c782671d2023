import { describe, expect, test } from "vitest";
import { defaultOutcome, disputeStage, hashOfText } from "../../../protocol/settlement/dispute.ts";

const disputed = { status: "disputed" as const, disputedAt: 1000n, decideBy: 2000n, settleableAt: null };
const decided = { ...disputed, status: "decided" as const, settleableAt: 3000n };

describe("the stage of a dispute", () => {
  test("is none or an intent until the chain has a dispute, also after an end without one", () => {
    const never = { ...disputed, status: "funded" as const, disputedAt: null, decideBy: null };
    for (const escrow of [null, never, { ...never, status: "released" as const }]) {
      expect(disputeStage(escrow, false, 5000n)).toBe("none");
      expect(disputeStage(escrow, true, 5000n)).toBe("intent");
    }
  });

  test("changes in the very second in which the contract's windows do", () => {
    expect(disputeStage(disputed, true, 2000n)).toBe("open");
    expect(disputeStage(disputed, true, 2001n)).toBe("silent");
    expect(disputeStage(decided, false, 2999n)).toBe("decided");
    expect(disputeStage(decided, false, 3000n)).toBe("settleable");
    for (const status of ["released", "refunded", "split"] as const) {
      expect(disputeStage({ ...decided, status }, true, 0n)).toBe("settled");
    }
  });
});

describe("the default outcome", () => {
  const waiting = { ...disputed, autoReleaseAt: null, earnedAmount: 0n, deliveryDeadline: 5000n };

  test("is the buyer's once the provider's time is over, and the provider's once a delivery is recorded", () => {
    expect(defaultOutcome(waiting)).toEqual({ providerAmount: 0n, from: 5001n });
    expect(defaultOutcome({ ...waiting, deliveryDeadline: 1500n })).toEqual({
      providerAmount: 0n,
      from: 2001n,
    });
    expect(defaultOutcome({ ...waiting, autoReleaseAt: 1900n, earnedAmount: 7n })).toEqual({
      providerAmount: 7n,
      from: 2001n,
    });
  });

  test("is null where no dispute waits for a decision", () => {
    expect(defaultOutcome(null)).toBeNull();
    for (const status of ["funded", "decided", "released", "refunded", "split"] as const) {
      expect(defaultOutcome({ ...waiting, status })).toBeNull();
    }
  });
});

test("a text's hash is the SHA-256 of its UTF-8 bytes, as of sha256sum", () => {
  expect(hashOfText("Grüße")).toBe("0xf83e039796c6453a10f5519e39fd113901572316a1a8ea07cb525d2801dfd074");
});
