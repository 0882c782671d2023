/** An exact amount with its currency. Zeros that say nothing are left out; no digit that says something ever is. */
export function Money({ amount, currency }: { amount: string; currency: string }) {
  return (
    <span className="money" title={`${amount} ${currency}`}>
      {`${moneyText(amount)} ${currency}`}
    </span>
  );
}

/** As in `2.50` of `2.500000`: at least two decimals. */
export function moneyText(amount: string): string {
  const [whole = "0", fraction = ""] = amount.split(".");
  return `${whole}.${fraction.replace(/0+$/, "").padEnd(2, "0")}`;
}
