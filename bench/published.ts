/** A figure that others publish of their own escrow's gas. */
type Figure = {
  of: string;
  call: string;
  gas: number;
  /** our calls that do the same together */
  like: string[];
  source: string;
};

const commercePayments = {
  of: "commerce-payments",
  source: "github.com/base/commerce-payments at 3f77761, .gas-snapshot-benchmarks (2025-04-22)",
};
const x402r = { of: "x402r", source: "docs.x402r.org/contracts/gas-costs (2026-05-20)" };

/** What is known of peers, by the calls that do the same as ours. */
export const published: readonly Figure[] = [
  { ...commercePayments, call: "authorize", gas: 155_657, like: ["createEscrowWithAuthorization"] },
  { ...x402r, call: "authorize", gas: 182_440, like: ["createEscrowWithAuthorization"] },
  { ...commercePayments, call: "capture", gas: 69_915, like: ["release by the buyer"] },
  { ...x402r, call: "capture", gas: 150_049, like: ["release by anyone"] },
  { ...commercePayments, call: "void", gas: 55_079, like: ["refund by the provider"] },
  { ...commercePayments, call: "reclaim", gas: 55_217, like: ["refund by anyone"] },
  {
    ...commercePayments,
    call: "authorize + capture",
    gas: 155_657 + 69_915,
    like: ["createEscrowWithAuthorization", "release by the buyer"],
  },
  {
    ...x402r,
    call: "authorize + capture",
    gas: 182_440 + 150_049,
    like: ["createEscrowWithAuthorization", "release by anyone"],
  },
];
