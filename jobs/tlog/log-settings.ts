import { type Config, ConfigError } from "../../config/config.ts";
import { findLogSigner, logOrigin } from "../../config/keys/log-key.ts";
import type { Database } from "../../db/client.ts";
import { logHead } from "../../db/schema.ts";
import { formatVerifierKey, type NoteSigner, parseVerifierKey } from "../../protocol/tlog/note.ts";
import { type Policy, parsePolicy } from "../../protocol/tlog/policy.ts";

export type LogSettings = {
  signer: NoteSigner;
  /** the file with the last checkpoint */
  memoryFile: string;
  policy: Policy;
  /** the policy as published */
  policyText: string;
};

type LogConfig = Pick<Config, "publicUrl" | "logKey" | "logKeyFile" | "logMemoryFile" | "witnessPolicy">;

/**
 * Reads the settings of a worker that adds to the log. The log keeps its first name, wherever it is served.
 *
 * @returns null if this worker has no key
 * @throws ConfigError if the key differs from the log's first key, or a setting is invalid
 */
export async function readLogSettings(db: Database, config: LogConfig): Promise<LogSettings | null> {
  const [head] = await db.select({ vkey: logHead.vkey }).from(logHead);
  const origin = head ? parseVerifierKey(head.vkey).name : logOrigin(config.publicUrl);
  const signer = findLogSigner(config, origin);
  if (!signer) return null;
  const vkey = formatVerifierKey(signer.key);
  if (head && head.vkey !== vkey) {
    throw new ConfigError(
      `The log key differs from the key of the existing log (${head.vkey}): restore it from its backup. Another key makes another log.`,
    );
  }
  const { policy, text } = readPolicy(config.witnessPolicy, vkey, config.publicUrl);
  return { signer, memoryFile: config.logMemoryFile, policy, policyText: text };
}

/** Builds the published policy: our log and the configured witnesses. */
function readPolicy(text: string | null, vkey: string, publicUrl: string): { policy: Policy; text: string } {
  const witnesses = (text ?? "quorum none")
    .split(/\r?\n/)
    .filter((line) => !/^\s*(log\s|#|$)/.test(line))
    .join("\n");
  const published = `log ${vkey} ${publicUrl}/log\n${witnesses}\n`;
  try {
    return { policy: parsePolicy(published), text: published };
  } catch (error) {
    throw new ConfigError(`The witness policy of the log is invalid: ${(error as Error).message}`);
  }
}
