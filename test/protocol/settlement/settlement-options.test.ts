import { type Hex, zeroAddress, zeroHash } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import {
  type EscrowState,
  refuseFunding,
  refuseRecord,
  refuseSignedAct,
  release,
  type Situation,
} from "../../../protocol/settlement/actions.ts";
import { decidableAmounts } from "../../../protocol/settlement/dispute.ts";
import { type SettlementAction, settlementOptions } from "../../../protocol/settlement/settlement-options.ts";
import { recordDeliveryData } from "../../../protocol/settlement/signatures.ts";
import type { Terms } from "../../../protocol/settlement/terms.ts";

const buyer = privateKeyToAccount(generatePrivateKey());
const provider = privateKeyToAccount(generatePrivateKey());
const arbiter = privateKeyToAccount(generatePrivateKey());

const escrow: EscrowState = {
  status: "funded",
  deliveryDeadline: 2000n,
  deliveryCount: 0,
  earnedAmount: 0n,
  paidAmount: 0n,
  claimAcceptedAt: null,
  acceptedAmount: null,
  autoReleaseAt: null,
  outputHash: null,
  decideBy: null,
  settleableAt: null,
};

const outputHash: Hex = `0x${"22".repeat(32)}`;
const situation: Situation = {
  chainId: 31_337,
  escrowContract: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
  escrowId: `0x${"11".repeat(32)}`,
  terms: {
    buyer: buyer.address,
    provider: provider.address,
    token: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    amount: 5_000_000n,
    fundBy: 1000,
    deliveryWindow: 1000,
    acceptanceWindow: 500,
    disputeWindow: 500,
    appealWindow: 500,
    arbiter: arbiter.address,
    orderHash: zeroHash,
  },
  escrow,
  outputHash,
  depositBalance: 0n,
  now: 1500n,
  roles: ["provider"],
};

describe("an arbiter of an order that is paid in parts", () => {
  // The dispute was opened at 2500.
  const disputed = { ...escrow, status: "disputed" as const, decideBy: 3000n, acceptedAmount: 0n };
  const claimed = { ...disputed, earnedAmount: 2_000_000n, paidAmount: 500_000n };

  test.each([
    ["anything without parts", disputed, 0n, 5_000_000n],
    ["what is paid, while the windows of all claims run", claimed, 500_000n, 5_000_000n],
    [
      "a claim that time accepted before, also if a later one waits",
      { ...claimed, acceptedAmount: 1_000_000n },
      1_000_000n,
      5_000_000n,
    ],
    [
      "what a voucher paid above the accepted claim",
      { ...claimed, acceptedAmount: 1_000_000n, paidAmount: 1_500_000n },
      1_500_000n,
      5_000_000n,
    ],
    ["at most a final claim", { ...claimed, autoReleaseAt: 2600n }, 500_000n, 2_000_000n],
    [
      "no other amount than an accepted final claim",
      { ...claimed, autoReleaseAt: 2400n, acceptedAmount: 2_000_000n },
      2_000_000n,
      2_000_000n,
    ],
  ])("may give the provider %s", (_, state, least, most) => {
    expect(decidableAmounts({ escrow: state, terms: situation.terms })).toEqual({ least, most });
  });
});

describe("settlement options", () => {
  function option(action: SettlementAction["action"], changes: Partial<Situation> = {}): SettlementAction {
    const found = settlementOptions({ ...situation, ...changes }).find((one) => one.action === action);
    if (!found) throw new Error(`There is no ${action}.`);
    return found;
  }

  test("give the time from which they are available, where only time is missing", () => {
    const delivered: EscrowState = { ...escrow, deliveryCount: 1, autoReleaseAt: 1800n };
    expect(option("release", { escrow: delivered })).toMatchObject({
      available: false,
      who: "buyer",
      reason: "Only the buyer can release before 1970-01-01T00:30:00.000Z; from then on anyone can.",
      available_at: "1970-01-01T00:30:00.000Z",
    });
    expect(option("refund", { roles: ["buyer"] }).available_at).toBe("1970-01-01T00:33:21.000Z");
    expect(option("refund", { roles: ["buyer"], escrow: delivered }).available_at).toBeNull();
  });

  test("offer the record of a delivery only where the chain lacks it", () => {
    expect(option("recordDelivery")).toMatchObject({ available: true, reason: null });
    expect(option("recordDelivery", { outputHash: null })).toMatchObject({
      available: false,
      call: null,
      typed_data: null,
      reason: "There is no delivery: deliver the output first.",
    });
    const recorded: EscrowState = { ...escrow, deliveryCount: 1, outputHash };
    expect(option("recordDelivery", { escrow: recorded })).toMatchObject({
      available: false,
      reason: "The latest delivery is recorded already.",
    });
    expect(refuseRecord({ escrow: recorded, outputHash, now: 1500n })).toContain("recorded already");
    expect(refuseRecord({ escrow, outputHash, now: 2001n })).toContain("deadline");
  });

  test("give the record the number it will have and the escrow's own deadline", () => {
    const once: EscrowState = { ...escrow, deliveryCount: 1, outputHash: zeroHash };
    expect(recordDeliveryData({ ...situation, escrow: once })?.message).toEqual({
      escrowId: situation.escrowId,
      outputHash,
      number: 2,
      deadline: "2000",
    });
  });

  test("offer each role only its own signature", () => {
    for (const action of settlementOptions({ ...situation, roles: ["buyer"] })) {
      if (action.typed_data) expect(["Release", "Dispute"]).toContain(action.typed_data.primaryType);
    }
    expect(option("release", { roles: ["buyer"] }).typed_data?.primaryType).toBe("Release");
    expect(option("release", { roles: ["provider"] }).typed_data).toBeNull();
  });

  test("offer no decision where no arbiter is named", () => {
    const terms: Terms = { ...situation.terms, arbiter: zeroAddress };
    const disputed: EscrowState = { ...escrow, status: "disputed", decideBy: 3000n };
    expect(option("decideDispute", { terms, escrow: disputed, roles: ["arbiter"] })).toMatchObject({
      available: false,
      reason: "This order names no arbiter: a dispute ends by time.",
    });
  });

  test("give the arbiter both ends of a decision, and only the arbiter a signature", () => {
    const disputed: EscrowState = { ...escrow, status: "disputed", decideBy: 3000n };
    const choices = (roles: Situation["roles"]) => {
      const { call, choices: ends } = option("decideDispute", { escrow: disputed, roles });
      expect(call).toBeNull();
      return ends.map(({ choice, call: { args }, typed_data }) => [
        choice,
        args.providerAmount,
        typed_data?.message.providerAmount,
      ]);
    };
    expect(choices(["arbiter"])).toEqual([
      ["all_to_provider", "5000000", "5000000"],
      ["all_to_buyer", "0", "0"],
    ]);
    expect(choices(["buyer"])).toEqual([
      ["all_to_provider", "5000000", undefined],
      ["all_to_buyer", "0", undefined],
    ]);
  });

  test("leave the provider its time to deliver when a dispute has no decision", () => {
    const disputed: EscrowState = { ...escrow, status: "disputed", decideBy: 1500n };
    const settle = (state: EscrowState, now: bigint) => option("settleDispute", { escrow: state, now });
    expect(settle(disputed, 1600n)).toMatchObject({
      available: false,
      available_at: new Date(2001 * 1000).toISOString(),
      reason: expect.stringContaining("provider can deliver until"),
    });
    expect(settle(disputed, 2001n).available).toBe(true);
    expect(settle({ ...disputed, deliveryCount: 1, autoReleaseAt: 1500n }, 1600n).available).toBe(true);
  });

  test("treat an unreadable deposit as a possible one", () => {
    expect(option("returnDeposit", { depositBalance: null }).available).toBe(true);
    expect(option("returnDeposit", { depositBalance: 0n }).available).toBe(false);
  });

  test("refuse to fund what is funded or too late", () => {
    expect(refuseFunding({ ...situation, escrow: null, now: 1000n })).toBeNull();
    expect(refuseFunding({ ...situation, escrow: null, now: 1001n })).toContain("funding window ended");
    expect(refuseFunding({ ...situation, escrow: { ...escrow, status: "refunded" } })).toContain(
      "funded already",
    );
  });
});

describe("the release of a metered order", () => {
  const at = (changes: Partial<EscrowState>, charge: bigint | null) =>
    release({ escrow: { ...escrow, ...changes }, now: 1600n, metered: { charge } });
  const recorded = { deliveryCount: 1, autoReleaseAt: 1800n };

  test("waits for the delivery and its record, and pays the charge once", () => {
    expect(at({}, null)).toMatchObject({ open: false, reason: expect.stringContaining("not delivered") });
    expect(at({}, 5n)).toMatchObject({ open: false, reason: expect.stringContaining("not on the chain") });
    expect(at({ ...recorded, earnedAmount: 5n }, 5n)).toMatchObject({ open: true, who: "buyer" });
    const paid = at({ earnedAmount: 5n, paidAmount: 5n }, 5n);
    expect(paid).toMatchObject({ open: false, reason: expect.stringContaining("The charge is paid.") });
  });

  test.each([
    ["more than the charge", { ...recorded, earnedAmount: 6n }, 5n],
    ["more than the paid charge", { ...recorded, earnedAmount: 6n, paidAmount: 5n }, 5n],
    ["something without a delivery", { ...recorded, earnedAmount: 1n }, null],
  ])("is refused after a record that claims %s", (_, changes, charge) => {
    const reason = expect.stringContaining("claims more than the delivery's charge");
    expect(at(changes, charge)).toMatchObject({ open: false, who: "anyone", reason, from: 1800n });
  });

  test("is open to anyone after the window of a claim of too much, and no buyer signs it", () => {
    const claimed = { escrow: { ...escrow, ...recorded, earnedAmount: 6n }, metered: { charge: 5n } };
    expect(release({ ...claimed, now: 1800n })).toEqual({ open: true, who: "anyone" });
    expect(refuseSignedAct("release", { ...claimed, now: 1800n })).toContain("claims more");
    const options = settlementOptions({ ...situation, ...claimed, now: 1800n, roles: ["buyer"] });
    expect(options.find(({ action }) => action === "release")).toMatchObject({
      available: true,
      who: "anyone",
      function: "release",
      typed_data: null,
    });
  });
});
