/**
 * The gas limits of relayed calls. A wallet can pass the simulation and then burn all its gas: the limit is the
 * service's largest loss.
 */
export const gasBounds = {
  /**
   * A signed act of a party. The contract uses 42,000 to 81,000 (contracts/gas/Escrow.json), and 17,000 more for a
   * payee new to the token. The rest is for a contract wallet's signature check (ERC-1271): 10,000 for each owner of
   * a multisig, 330,000 for a passkey without a precompile. A payout that the token refuses needs 500,000
   * (`DEFERRAL_GAS`): its party sends that call, or time opens it to anyone.
   */
  signedAct: 400_000,
  /** A payer's signed transfer into the escrow: 154,000, and the token's or Permit2's check of a contract wallet. */
  payment: 600_000,
  /** A payment by calls of a passkey account with its deployment: 219,000, and 233,000 more without the precompile for its curve. */
  accountPayment: 600_000,
  /** A transfer out of a passkey account with its deployment: 150,000, and 233,000 more without the precompile for its curve. */
  accountTransfer: 500_000,
  /** The deployment of a passkey account: 82,000. No code of a party runs. */
  accountDeployment: 120_000,
  /** The deployment of a payer's wallet by its factory (ERC-6492): 100,000 to 400,000. */
  deployment: 1_000_000,
  /** The creation of an escrow from its deposit, or the return of the deposit: 48,000 to 112,000. No party's code runs. */
  deposit: 300_000,
  /** The payment of a payout that a token refused before: 45,000, and what the token takes. No party's code runs. */
  withdrawal: 300_000,
  /** A call that the contract opens to anyone after a time: 49,000 to 61,000, and up to 4 million for payouts that a token refuses. No party's code runs. */
  due: 5_000_000,
  /** An anchor of the log: 24,000 (contracts/gas/Anchors.json), and on Arbitrum the data's cost on the parent chain. */
  anchor: 100_000,
  /** A batch of calls. */
  batch: 8_000_000,
  /** A transfer of zero from the relayer to itself. */
  transfer: 30_000,
} as const;
