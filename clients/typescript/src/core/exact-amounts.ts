import { formatAmount, parseAmount } from "../../../../protocol/settlement/money.ts";
import type { Exact } from "./call.ts";

/**
 * Writes the fields that hold money, or whole numbers of contracts, as the exact text that the service takes.
 *
 * @throws TypeError for a number, which may have been rounded before it came here; for a bigint where a decimal amount is
 *   meant; and for a text that is no plain decimal
 */
export function writeExact(fields: Exact, values: object): Record<string, unknown> {
  const written: Record<string, unknown> = { ...values };
  for (const [name, kind] of Object.entries(fields)) {
    const value = written[name];
    if (value === undefined || value === null) continue;
    if (typeof kind === "object") {
      if (typeof value === "object") written[name] = writeExact(kind, value);
    } else if (kind === "uint256" && typeof value === "bigint" && value >= 0n) {
      written[name] = String(value);
    } else if (typeof value !== "string" || !shapes[kind].test(value)) {
      throw new TypeError(`${name} is ${describe(value)}: ${remedies[kind]}`);
    }
  }
  return written;
}

const shapes = {
  amount: /^(0|[1-9][0-9]{0,59})(?:\.([0-9]{1,60}))?$/,
  uint256: /^(0|[1-9][0-9]{0,77})$/,
};

const remedies = {
  amount: 'an amount is an exact decimal in text, as in "12.50". fromBaseUnits() writes one.',
  uint256: "it is a whole number, as a bigint or in text.",
};

function describe(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : `a ${typeof value}`;
}

/**
 * Reads an exact decimal amount, as in `"12.50"`, into the token's smallest unit.
 *
 * @throws TypeError for anything but a plain decimal in text that is no finer than the token
 */
export function toBaseUnits(amount: string, decimals: number): bigint {
  const units = typeof amount === "string" ? parseAmount(amount, decimals) : null;
  if (units === null) {
    throw new TypeError(
      `${describe(amount)} is no amount of a token with ${decimals} decimals: ${remedies.amount}`,
    );
  }
  return units;
}

/**
 * Writes base units as an exact decimal with all of the token's decimals, as in `"12.500000"`.
 *
 * @throws TypeError for anything but a bigint that is not negative
 */
export function fromBaseUnits(units: bigint, decimals: number): string {
  if (typeof units !== "bigint" || units < 0n) throw new TypeError("Base units are a bigint, not negative.");
  return formatAmount(units, decimals);
}
