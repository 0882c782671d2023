import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Config, ConfigError } from "./config.ts";
import { issuerOf } from "./receipts/issuer.ts";
import { createSigningKey, parseKeyFile, type SigningKey, serializeKeyFile } from "./receipts/keys.ts";

/** Who signs receipts: our did:web name and its keys, retired ones too. */
export type Signer = { issuer: string; keys: SigningKey[] };

/**
 * Reads the keys that sign receipts. A missing file is an error and never makes a new key: receipts signed with a key
 * that nobody knew before could not be told from a forger's.
 *
 * @throws ConfigError saying what to do
 */
export function readSigner(config: Pick<Config, "signingKeyFile" | "publicUrl">): Signer {
  const file = config.signingKeyFile;
  let text: string;
  try {
    const mode = statSync(file).mode & 0o777;
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      throw new ConfigError(
        `${file} holds private keys and others may read it (mode ${mode.toString(8)}): run \`chmod 600 ${file}\`.`,
      );
    }
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw asConfigError(error, file);
    throw new ConfigError(
      `There is no signing key at ${file}. If this service has signed receipts before, restore the file from its copy. ` +
        `Otherwise make one: \`npm start\` does on a fresh state, \`node jobs/signing-key.ts\` does anywhere.`,
    );
  }
  try {
    return { issuer: issuerOf(config.publicUrl), keys: parseKeyFile(text) };
  } catch (error) {
    throw asConfigError(error, file);
  }
}

/** Makes a key file with one fresh key, readable by its owner only. Refuses to write over one that is there. */
export function createKeyFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, serializeKeyFile([createSigningKey()]), { flag: "wx", mode: 0o600 });
}

function asConfigError(error: unknown, file: string): ConfigError {
  if (error instanceof ConfigError) return error;
  return new ConfigError(`The signing key at ${file} cannot be used: ${(error as Error).message}`);
}
