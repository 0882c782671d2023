import { type Address, getAddress, isAddress } from "viem";
import { z } from "zod";
import { parseAmount } from "../protocol/settlement/money.ts";
import { bytes32Pattern } from "../protocol/settlement/shapes.ts";

export type Environment = Record<string, string | undefined>;

/** Thrown with one line for each wrong setting. Every program prints it and exits with 1. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

export const address = z
  .string()
  .refine((value) => isAddress(value, { strict: false }), "is not a 20-byte 0x address")
  .transform((value): Address => getAddress(value));

export const key = z.string().regex(bytes32Pattern, "must be a 32-byte 0x hex key");
export const seconds = z.coerce.number().int().positive();
export const port = z.coerce.number().int().min(0).max(65_535);
export const chainUrl = z.url({ protocol: /^(http|ws)s?$/ });

/** Reads the settings of a program. @throws ConfigError with one line for each wrong setting */
export function readEnvironment<T extends z.ZodType>(shape: T, env: Environment): z.infer<T> {
  // An empty line in an .env file means "not set".
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const parsed = shape.safeParse(set);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  throw new ConfigError(`These settings are wrong:\n${lines.join("\n")}`);
}

/** Reads a chain's setting that is a whole number from 1. */
export function wholeNumber(env: Environment, name: string, otherwise: number): number {
  const value = env[name];
  if (!value) return otherwise;
  if (!/^[1-9]\d*$/.test(value))
    throw new ConfigError(`${name} is "${value}": it takes a whole number from 1.`);
  return Number(value);
}

/** Reads a chain's setting that is a decimal number, in units of its last decimal. */
export function decimal(
  env: Environment,
  name: string,
  { decimals, least, otherwise }: { decimals: number; least: bigint; otherwise: string },
): bigint {
  const text = env[name] || otherwise;
  const value = parseAmount(text, decimals);
  if (value === null || value < least) {
    const bound = least > 0n ? ", above 0" : "";
    throw new ConfigError(
      `${name} is "${text}": it takes a decimal number with at most ${decimals} decimals${bound}.`,
    );
  }
  return value;
}
