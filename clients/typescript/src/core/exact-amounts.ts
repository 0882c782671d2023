import { formatAmount, parseAmount } from "../../../../protocol/settlement/money.ts";
import type { Exact } from "./call.ts";

/**
 * Writes money and uint256 fields as exact text.
 *
 * @throws TypeError for a number, which may already be rounded; for a bigint as a decimal amount; and for a text that is not
 *   a plain decimal
 */
export function writeExact(fields: Exact, values: object): Record<string, unknown> {
  const written: Record<string, unknown> = { ...values };
  for (const [name, kind] of Object.entries(fields)) {
    const value = written[name];
    if (value === undefined || value === null) continue;
    if (typeof kind === "object") {
      if (Array.isArray(value)) written[name] = value.map((one: unknown) => writeWithin(kind, one));
      else written[name] = writeWithin(kind, value);
    } else if (kind === "uint256" && typeof value === "bigint" && value >= 0n) {
      written[name] = String(value);
    } else if (typeof value !== "string" || !shapes[kind].test(value)) {
      throw new TypeError(`${name} is ${describe(value)}: ${remedies[kind]}`);
    }
  }
  return written;
}

function writeWithin(fields: Exact, value: unknown): unknown {
  return typeof value === "object" && value !== null ? writeExact(fields, value) : value;
}

const shapes = {
  amount: /^(0|[1-9][0-9]{0,59})(?:\.([0-9]{1,60}))?$/,
  uint256: /^(0|[1-9][0-9]{0,77})$/,
};

const remedies = {
  amount: 'use an exact decimal as text, for example "12.50", or fromBaseUnits().',
  uint256: "use a whole number, as a bigint or as text.",
};

function describe(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : `a ${typeof value}`;
}

/**
 * Converts an exact decimal amount, such as `"12.50"`, to base units.
 *
 * @throws TypeError unless it is a plain decimal text with at most the token's decimals
 */
export function toBaseUnits(amount: string, decimals: number): bigint {
  const units = typeof amount === "string" ? parseAmount(amount, decimals) : null;
  if (units === null) {
    throw new TypeError(
      `${describe(amount)} is not an amount with at most ${decimals} decimals: ${remedies.amount}`,
    );
  }
  return units;
}

/**
 * Converts base units to an exact decimal with all of the token's decimals, such as `"12.500000"`.
 *
 * @throws TypeError unless it is a bigint that is not negative
 */
export function fromBaseUnits(units: bigint, decimals: number): string {
  if (typeof units !== "bigint" || units < 0n)
    throw new TypeError("Base units have to be a bigint that is not negative.");
  return formatAmount(units, decimals);
}
