import { type Config, ConfigError } from "../../config/config.ts";
import { findLogSigner, logOrigin } from "../../config/keys/log-key.ts";
import type { Database } from "../../db/client.ts";
import { logHead } from "../../db/schema.ts";
import { formatVerifierKey, type NoteSigner, parseVerifierKey } from "../../protocol/tlog/note.ts";
import { type Policy, parsePolicy } from "../../protocol/tlog/policy.ts";

export type LogSettings = {
  signer: NoteSigner;
  /** which file remembers the last checkpoint */
  memoryFile: string;
  policy: Policy;
  /** the same, as it is published */
  policyText: string;
};

type LogConfig = Pick<Config, "publicUrl" | "logKey" | "logKeyFile" | "logMemoryFile" | "witnessPolicy">;

/**
 * What a worker needs to add to the log. The log keeps the name that it began with, wherever it is served later.
 *
 * @returns null where this worker has no key
 * @throws ConfigError where the key is not the one that the log began with, or a setting cannot be read
 */
export async function readLogSettings(db: Database, config: LogConfig): Promise<LogSettings | null> {
  const [head] = await db.select({ vkey: logHead.vkey }).from(logHead);
  const origin = head ? parseVerifierKey(head.vkey).name : logOrigin(config.publicUrl);
  const signer = findLogSigner(config, origin);
  if (!signer) return null;
  const vkey = formatVerifierKey(signer.key);
  if (head && head.vkey !== vkey) {
    throw new ConfigError(
      `The log key is not the one that the log began with (${head.vkey}): restore it from its copy. Another key is another log.`,
    );
  }
  const { policy, text } = readPolicy(config.witnessPolicy, vkey, config.publicUrl);
  return { signer, memoryFile: config.logMemoryFile, policy, policyText: text };
}

/** The policy as it is published: our log, and the witnesses that are set. */
function readPolicy(text: string | null, vkey: string, publicUrl: string): { policy: Policy; text: string } {
  const witnesses = (text ?? "quorum none")
    .split(/\r?\n/)
    .filter((line) => !/^\s*(log\s|#|$)/.test(line))
    .join("\n");
  const published = `log ${vkey} ${publicUrl}/log\n${witnesses}\n`;
  try {
    return { policy: parsePolicy(published), text: published };
  } catch (error) {
    throw new ConfigError(`The policy of the log's witnesses cannot be used: ${(error as Error).message}`);
  }
}
