/** What a call of another escrow costs, by its authors, and as a receipt where we took one. */
type Figure = {
  of: string;
  call: string;
  /** as its authors publish it */
  gas: number;
  /** as we measured it: a transaction on anvil with Test USD and no fee, all balances non-zero */
  receipt?: number;
  /** our calls that do the same together */
  like: string[];
  source: string;
};

const commercePayments = {
  of: "commerce-payments",
  source:
    "github.com/base/commerce-payments at 3f77761, .gas-snapshot-benchmarks (2025-04-22); receipts of that commit, built by its deploy profile",
};
const x402r = { of: "x402r", source: "docs.x402r.org/contracts/gas-costs (2026-05-20); no receipts" };
const authorize = { gas: 155_657, receipt: 122_407 };
const capture = { gas: 69_915, receipt: 57_484 };

/** What is known of peers, by the calls that do the same as ours: both take a `receiveWithAuthorization` whose nonce is a hash. */
export const published: readonly Figure[] = [
  { ...commercePayments, call: "authorize", ...authorize, like: ["createEscrowWithReceiveAuthorization"] },
  { ...x402r, call: "authorize", gas: 182_440, like: ["createEscrowWithReceiveAuthorization"] },
  { ...commercePayments, call: "capture", ...capture, like: ["release by the buyer"] },
  { ...x402r, call: "capture", gas: 150_049, like: ["release by anyone"] },
  { ...commercePayments, call: "void", gas: 55_079, receipt: 55_015, like: ["refund by the provider"] },
  { ...commercePayments, call: "reclaim", gas: 55_217, receipt: 55_095, like: ["refund by anyone"] },
  {
    ...commercePayments,
    call: "authorize + capture",
    gas: authorize.gas + capture.gas,
    receipt: authorize.receipt + capture.receipt,
    like: ["createEscrowWithReceiveAuthorization", "release by the buyer"],
  },
  {
    ...x402r,
    call: "authorize + capture",
    gas: 182_440 + 150_049,
    like: ["createEscrowWithReceiveAuthorization", "release by anyone"],
  },
];
