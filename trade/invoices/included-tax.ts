/** A paid amount that includes a tax. All amounts are base units, and `net + tax` is the total. */
export type TaxedAmount = { total: bigint; net: bigint; tax: bigint };

/** One hundred percent, in hundredths of a percent. */
const whole = 10_000n;

/**
 * Splits a paid amount into its net amount and the tax that it includes. The net amount is rounded to the nearest base unit.
 *
 * @param rate percent by `taxRatePattern`
 */
export function splitTax(total: bigint, rate: string): TaxedAmount {
  const [percent = "", fraction = ""] = rate.split(".");
  const divisor = whole + BigInt(percent + fraction.padEnd(2, "0"));
  const net = (2n * total * whole + divisor) / (2n * divisor);
  return { total, net, tax: total - net };
}
