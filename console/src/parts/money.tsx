/** An exact amount with its currency, without trailing zeros. */
export function Money({ amount, currency }: { amount: string; currency: string }) {
  return (
    <span className="money" title={`${amount} ${currency}`}>
      {`${moneyText(amount)} ${currency}`}
    </span>
  );
}

/** Drops trailing zeros but keeps two decimals: `2.500000` is `2.50`. */
export function moneyText(amount: string): string {
  const [whole = "0", fraction = ""] = amount.split(".");
  return `${whole}.${fraction.replace(/0+$/, "").padEnd(2, "0")}`;
}
