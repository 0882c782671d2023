import { readFileSync } from "node:fs";
import { ConfigError } from "./environment.ts";

/** The text of the policy that says which witnesses sign the log: WITNESS_POLICY, or else the file's; null for neither. */
export function readWitnessPolicy(values: {
  WITNESS_POLICY?: string | undefined;
  WITNESS_POLICY_FILE?: string | undefined;
}): string | null {
  const { WITNESS_POLICY: text, WITNESS_POLICY_FILE: file } = values;
  if (text !== undefined || file === undefined) return text ?? null;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(
      `WITNESS_POLICY_FILE is ${file}, which cannot be read: ${(error as Error).message}`,
    );
  }
}
