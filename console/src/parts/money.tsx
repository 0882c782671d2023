import { locale } from "../text/language.ts";

/** The decimals that any token of the service has at most. */
const mostDecimals = 36;

/** An exact amount with its currency, without trailing zeros. The tooltip has the amount as the service sends it. */
export function Money({ amount, currency }: { amount: string; currency: string }) {
  return (
    <span className="money" title={`${amount} ${currency}`}>
      {`${moneyText(amount)} ${currency}`}
    </span>
  );
}

/** Formats amounts of several currencies, which are never added. */
export function volumeText(volume: readonly { amount: string; currency: string }[]): string {
  return volume.map(({ amount, currency }) => `${moneyText(amount)} ${currency}`).join(" · ") || "–";
}

/** Formats an exact decimal in the reader's locale with at least two decimals: `1250.500000` is `1,250.50`. */
export function moneyText(amount: string): string {
  return new Intl.NumberFormat(locale(), {
    minimumFractionDigits: 2,
    maximumFractionDigits: mostDecimals,
  }).format(amount as `${number}`);
}
