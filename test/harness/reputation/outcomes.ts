import fc from "fast-check";
import { type Outcome, outcomeSchema } from "../../../protocol/reputation/public-outcome.ts";

export const day = 86_400_000;
/** The start of the tests' time. */
export const start = new Date("2026-01-01T00:00:00Z");
/** Returns the RFC 3339 time of this many days after the start. */
export const at = (days: number) => new Date(start.getTime() + Math.round(days * day)).toISOString();

/** Returns the address of a numbered wallet. */
export const walletOf = (number: number) => `0x${number.toString(16).padStart(40, "0")}`;

export type Deal = {
  number: number;
  buyer?: string;
  /** The wallet that counts as the buyer's. */
  wallet?: string;
  counterparty?: string;
  provider?: string;
  /** Whole tokens, and the released part of them. */
  tokens?: number;
  released?: number;
  /** Days after the start: funded, promised from then, delivered, settled. */
  day?: number;
  promised?: number;
  delivered?: number | null;
  settled?: number;
} & Partial<
  Pick<Outcome, "ended" | "dispute" | "disputed_by" | "disputed_at" | "apart" | "service" | "currency">
>;

/** Returns an outcome in the API's form: by default released, on time, of 64 tokens. */
export function makeOutcome(deal: Deal): Outcome {
  const { number, tokens = 64, day: funded = 0, promised = 1, ended = "released", dispute = null } = deal;
  const delivered = deal.delivered === undefined ? funded + promised / 2 : deal.delivered;
  const settled = deal.settled ?? funded + promised * 0.75;
  const released = deal.released ?? (ended === "released" ? tokens : 0);
  const base = (whole: number) => BigInt(Math.round(whole * 1e6));
  return outcomeSchema.parse({
    order_id: `ord_${number}`,
    service: deal.service ?? "translation",
    chain: "eip155:31337",
    contract: walletOf(1),
    escrow_id: `0x${number.toString(16).padStart(64, "0")}`,
    provider: deal.provider ?? walletOf(2),
    buyer: deal.buyer ?? walletOf(1000 + number),
    wallet: deal.wallet ?? deal.buyer ?? walletOf(1000 + number),
    token: walletOf(3),
    token_decimals: 6,
    currency: deal.currency ?? "USD",
    amount: base(tokens).toString(),
    released: base(released).toString(),
    refunded: (base(tokens) - base(released)).toString(),
    receipts: [],
    funded_at: at(funded),
    settled_at: at(settled),
    recorded_at: at(settled),
    promised_seconds: Math.round(promised * 86_400),
    delivered_at: delivered === null ? null : at(delivered),
    ended,
    dispute,
    disputed_by: deal.disputed_by ?? (dispute ? "buyer" : null),
    disputed_at: deal.disputed_at ?? (dispute ? at(funded + promised / 2) : null),
    counterparty: deal.counterparty ?? `c${number + 1}`,
    apart: deal.apart ?? null,
    unchecked: false,
  });
}

/** The decimals of the tokens of arbitrary outcomes. */
const decimalsOf = { USD: 6, JPY: 3, EUR: 18, GOLD: 18 };

/** Arbitrary outcomes of an agent over two years, with few counterparties, so that they repeat. */
export const anyOutcomes = (most = 40): fc.Arbitrary<Outcome[]> =>
  fc
    .array(
      fc.record({
        party: fc.integer({ min: 1, max: 12 }),
        tokens: fc.constantFrom(0.000001, 0.5, 1, 7, 64, 1000),
        day: fc.integer({ min: 0, max: 700 }),
        delivered: fc.option(fc.double({ min: 0, max: 2, noNaN: true }), { nil: null }),
        waited: fc.double({ min: 0.1, max: 3, noNaN: true }),
        ended: fc.constantFrom(
          "released",
          "released",
          "released",
          "refunded",
          "declined",
          "split",
          "metered",
        ),
        dispute: fc.constantFrom(null, null, "provider", "buyer", "lapsed"),
        apart: fc.constantFrom(null, null, null, "same_party", "money_from_provider"),
        currency: fc.constantFrom("USD", "USD", "USD", "JPY", "EUR", "GOLD"),
      }),
      { maxLength: most },
    )
    .map((deals) =>
      deals.map((deal, number) => {
        const dispute = deal.ended === "split" ? "split" : deal.ended === "declined" ? null : deal.dispute;
        const outcome = makeOutcome({
          number,
          counterparty: `c${deal.party}`,
          tokens: deal.tokens,
          day: deal.day,
          ended: deal.ended as Outcome["ended"],
          dispute: dispute as Outcome["dispute"],
          apart: deal.apart as Outcome["apart"],
          currency: deal.currency,
          delivered: deal.delivered === null ? null : deal.day + deal.delivered,
          settled: deal.day + deal.waited,
          ...(deal.ended === "split" ? { released: deal.tokens / 2 } : {}),
        });
        return { ...outcome, token_decimals: decimalsOf[deal.currency as keyof typeof decimalsOf] };
      }),
    );

/** Further data on the counterparties c1 to c12. */
export const anyCounterparties = fc
  .array(
    fc.record({
      since: fc.option(fc.integer({ min: -400, max: 0 }), { nil: null }),
      others: fc.integer({ min: 0, max: 6 }),
    }),
    { minLength: 12, maxLength: 12 },
  )
  .map((facts) =>
    facts.map(({ since, others }, index) => ({
      counterparty: `c${index + 1}`,
      wallet_since: since === null ? null : at(since),
      other_providers: others,
    })),
  );
