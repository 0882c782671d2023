import { zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  amount,
  type OptionsBench,
  type Rights,
  randomHash,
  startOptionsBench,
  withoutArbiter,
} from "../harness/settlement-options.ts";

let bench: OptionsBench;

beforeAll(async () => {
  bench = await startOptionsBench();
});
afterAll(() => bench?.close());

const everybodyMay = (...actions: string[]): Rights => ({
  buyer: actions,
  provider: actions,
  arbiter: actions,
  outsider: actions,
});
const nobodyMay = everybodyMay();

/** Funds an escrow. Returns its terms and the time of its funding. */
async function fund(changes: Parameters<OptionsBench["newTerms"]>[0] = {}) {
  const terms = await bench.newTerms(changes);
  return { terms, fundedAt: await bench.call("buyer", "createEscrow", terms) };
}

describe("every available option succeeds on the chain, and the contract refuses every other", () => {
  test("before funding, in its last second and after", async () => {
    const terms = await bench.newTerms();
    expect(await bench.tryEverything(terms)).toEqual(everybodyMay("fund"));
    expect(await bench.tryEverything(terms, { at: BigInt(terms.fundBy) })).toEqual(everybodyMay("fund"));
    expect(await bench.tryEverything(terms, { at: BigInt(terms.fundBy) + 1n })).toEqual(nobodyMay);
  });

  test("money at the deposit address is the buyer's to take back first, and anyone's to return later", async () => {
    const terms = await bench.newTerms();
    await bench.deposit(terms, amount);
    const before = { ...everybodyMay("fund"), buyer: ["fund", "returnDeposit"] };
    expect(await bench.tryEverything(terms)).toEqual(before);
    expect(await bench.tryEverything(terms, { at: BigInt(terms.fundBy) })).toEqual(before);
    const after = { at: BigInt(terms.fundBy) + 1n };
    expect(await bench.tryEverything(terms, after)).toEqual(everybodyMay("returnDeposit"));
  });

  test("money that comes to the deposit address of a funded escrow is anyone's to return", async () => {
    const { terms } = await fund();
    await bench.deposit(terms, 1n);
    expect(await bench.tryEverything(terms)).toEqual({
      buyer: ["release", "dispute", "returnDeposit"],
      provider: ["recordDelivery", "refund", "dispute", "returnDeposit"],
      arbiter: ["returnDeposit"],
      outsider: ["returnDeposit"],
    });
    await bench.call("buyer", "release", terms);
    expect(await bench.tryEverything(terms)).toEqual(everybodyMay("returnDeposit"));
  });

  test("funded, with and without a delivery, to the deadline's last second: then anyone refunds", async () => {
    const { terms, fundedAt } = await fund();
    const deadline = fundedAt + BigInt(terms.deliveryWindow);
    const working = { ...nobodyMay, buyer: ["release", "dispute"], provider: ["refund", "dispute"] };
    const delivered = { ...working, provider: ["recordDelivery", "refund", "dispute"] };
    expect(await bench.tryEverything(terms, { outputHash: null })).toEqual(working);
    expect(await bench.tryEverything(terms)).toEqual(delivered);
    expect(await bench.tryEverything(terms, { at: deadline })).toEqual(delivered);
    expect(await bench.tryEverything(terms, { at: deadline + 1n })).toEqual({
      buyer: ["release", "refund", "dispute"],
      provider: ["refund", "dispute"],
      arbiter: ["refund"],
      outsider: ["refund"],
    });
    await bench.call("outsider", "refund", terms);
    expect(await bench.tryEverything(terms)).toEqual(nobodyMay);
  });

  test("recorded, past the delivery deadline and to the acceptance window's end: then anyone releases", async () => {
    const { terms, fundedAt } = await fund();
    const outputHash = randomHash();
    const deliveredAt = await bench.call("provider", "recordDelivery", terms, outputHash);
    const opens = deliveredAt + BigInt(terms.acceptanceWindow);
    const waiting = { ...nobodyMay, buyer: ["release", "dispute"], provider: ["refund", "dispute"] };
    expect(await bench.tryEverything(terms, { outputHash })).toEqual(waiting);
    // Another delivery, and its record, which replaces the hash and moves no window.
    const again = { ...waiting, provider: ["recordDelivery", "refund", "dispute"] };
    expect(await bench.tryEverything(terms)).toEqual(again);
    await bench.call("provider", "recordDelivery", terms, randomHash());
    const deadline = fundedAt + BigInt(terms.deliveryWindow);
    expect(await bench.tryEverything(terms, { at: deadline })).toEqual(again);
    expect(await bench.tryEverything(terms, { at: deadline + 1n })).toEqual(waiting);
    expect(await bench.tryEverything(terms, { at: opens - 1n })).toEqual(waiting);
    expect(await bench.tryEverything(terms, { at: opens })).toEqual({
      buyer: ["release", "dispute"],
      provider: ["release", "refund", "dispute"],
      arbiter: ["release"],
      outsider: ["release"],
    });
    await bench.call("outsider", "release", terms);
    expect(await bench.tryEverything(terms)).toEqual(nobodyMay);
  });

  test("disputed and decided: anyone settles after the appeal window, whatever the shares", async () => {
    for (const providerAmount of [0n, 1n, amount]) {
      const { terms } = await fund();
      await bench.call("buyer", "dispute", terms, zeroHash);
      expect(await bench.tryEverything(terms)).toEqual({
        ...nobodyMay,
        provider: ["recordDelivery"],
        arbiter: ["decideDispute"],
      });
      const decidedAt = await bench.call("arbiter", "decideDispute", terms, providerAmount, zeroHash);
      const opens = decidedAt + BigInt(terms.appealWindow);
      expect(await bench.tryEverything(terms)).toEqual(nobodyMay);
      expect(await bench.tryEverything(terms, { at: opens - 1n })).toEqual(nobodyMay);
      expect(await bench.tryEverything(terms, { at: opens })).toEqual(everybodyMay("settleDispute"));
      await bench.call("outsider", "settleDispute", terms);
      // Refunded, split and released.
      expect(await bench.tryEverything(terms)).toEqual(nobodyMay);
    }
  });

  test("disputed with a delivery recorded, before or during the dispute, and a silent arbiter", async () => {
    const { terms } = await fund();
    const outputHash = randomHash();
    await bench.call("provider", "recordDelivery", terms, outputHash);
    const disputedAt = await bench.call("provider", "dispute", terms, zeroHash);
    const decides = { ...nobodyMay, arbiter: ["decideDispute"] };
    expect(await bench.tryEverything(terms, { outputHash })).toEqual(decides);
    expect(await bench.tryEverything(terms)).toEqual({ ...decides, provider: ["recordDelivery"] });
    await bench.call("provider", "recordDelivery", terms, randomHash());
    const end = disputedAt + BigInt(terms.disputeWindow);
    expect(await bench.tryEverything(terms, { at: end })).toEqual(decides);
    expect(await bench.tryEverything(terms, { at: end + 1n })).toEqual(everybodyMay("settleDispute"));
  });

  test("disputed without a delivery and a silent arbiter, whose time ends before the provider's and after it", async () => {
    const short = await fund({ disputeWindow: 500 });
    const disputedAt = await bench.call("buyer", "dispute", short.terms, zeroHash);
    const end = disputedAt + BigInt(short.terms.disputeWindow);
    const deadline = short.fundedAt + BigInt(short.terms.deliveryWindow);
    const delivers = { ...nobodyMay, provider: ["recordDelivery"] };
    expect(await bench.tryEverything(short.terms, { at: end })).toEqual({
      ...delivers,
      arbiter: ["decideDispute"],
    });
    expect(await bench.tryEverything(short.terms, { at: end + 1n })).toEqual(delivers);
    expect(await bench.tryEverything(short.terms, { at: deadline })).toEqual(delivers);
    expect(await bench.tryEverything(short.terms, { at: deadline + 1n })).toEqual(
      everybodyMay("settleDispute"),
    );
    await bench.call("arbiter", "settleDispute", short.terms);
    expect(await bench.tryEverything(short.terms)).toEqual(nobodyMay);

    const long = await fund();
    const longEnd =
      (await bench.call("buyer", "dispute", long.terms, zeroHash)) + BigInt(long.terms.disputeWindow);
    expect(await bench.tryEverything(long.terms, { at: longEnd })).toEqual({
      ...nobodyMay,
      arbiter: ["decideDispute"],
    });
    expect(await bench.tryEverything(long.terms, { at: longEnd + 1n })).toEqual(
      everybodyMay("settleDispute"),
    );
  });

  test("without an arbiter no one decides, and a dispute ends by time", async () => {
    const { terms } = await fund(withoutArbiter);
    expect(await bench.tryEverything(terms, { outputHash: null })).toMatchObject({
      buyer: ["release", "dispute"],
      arbiter: [],
    });
    const disputedAt = await bench.call("buyer", "dispute", terms, zeroHash);
    const end = disputedAt + BigInt(terms.disputeWindow);
    expect(await bench.tryEverything(terms, { outputHash: null })).toEqual(nobodyMay);
    expect(await bench.tryEverything(terms, { at: end })).toEqual(nobodyMay);
    expect(await bench.tryEverything(terms, { at: end + 1n })).toEqual(everybodyMay("settleDispute"));
  });
});
