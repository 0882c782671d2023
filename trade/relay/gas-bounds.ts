/**
 * The most gas that a relayed call may take, by what it runs. A wallet can behave while its call is tried and burn all
 * it is given once it is mined: then this is what it costs us.
 */
export const gasBounds = {
  /**
   * A signed act of a party. The contract takes 42,000 to 65,000 (contracts/gas/Escrow.json), and 17,000 more for a payee new
   * to the token. The rest is for a contract wallet's signature check (ERC-1271). The check takes 10,000 for each owner of a wallet of
   * several, 330,000 for a passkey where the chain has no precompile for its curve. A payout that the token refuses needs
   * 500,000 (`DEFERRAL_GAS`): its party sends that call, or time opens it to anyone.
   */
  signedAct: 400_000,
  /** A payer's signed transfer into the escrow: 154,000, the token's own check of a contract wallet, and Permit2's. */
  payment: 600_000,
  /** A payer's wallet by its factory (ERC-6492): 100,000 to 400,000, by its owners and modules. */
  deployment: 1_000_000,
  /** An escrow from its deposit, or the money back: 48,000 to 112,000. No party's code runs. */
  deposit: 300_000,
  /** A call that the contract opens to anyone after a time: 49,000 to 61,000, and up to 4 million for payouts that a token refuses. No party's code runs. */
  due: 5_000_000,
  /** A tree of the log: 24,000 (contracts/gas/Anchors.json), and on Arbitrum what its data costs on the parent chain. */
  anchor: 100_000,
  /** Calls made together. */
  batch: 8_000_000,
  /** A transfer of nothing to ourselves. */
  transfer: 30_000,
} as const;
