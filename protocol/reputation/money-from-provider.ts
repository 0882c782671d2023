/**
 * Whether a buyer's money counts as the provider's: the provider's wallets sent the buyer half of what the buyer paid, or more.
 *
 * @param sent what the provider's wallets sent the buyer's wallets, in base units of the orders' token
 * @param paid what the buyer's orders paid the provider, in base units of the token
 */
export function isMoneyFromProvider({ sent, paid }: { sent: bigint; paid: bigint }): boolean {
  return paid > 0n && 2n * sent >= paid;
}
