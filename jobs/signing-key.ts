import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { eq } from "drizzle-orm";
import { type Config, ConfigError, readConfig } from "../config.ts";
import type { Database } from "../db/client.ts";
import { signingKey } from "../db/schema.ts";
import { issuerOf } from "../receipts/issuer.ts";
import { createSigningKey, parseKeyFile, type SigningKey, serializeKeyFile } from "../receipts/keys.ts";

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

/**
 * Publishes the public halves, from which the API serves its key documents, and retirements.
 *
 * @throws ConfigError when a key's name is already published with another key
 */
export async function publishKeys(db: Database, signer: Signer): Promise<void> {
  await db.transaction(async (tx) => {
    for (const { kid, jwk, not_before, retired_at } of signer.keys) {
      const retiredAt = retired_at === null ? null : new Date(retired_at);
      await tx
        .insert(signingKey)
        .values({
          kid,
          publicJwk: { kty: jwk.kty, crv: jwk.crv, x: jwk.x },
          createdAt: new Date(not_before),
          retiredAt,
        })
        .onConflictDoNothing();
      const [published] = await tx.select().from(signingKey).where(eq(signingKey.kid, kid)).for("update");
      if (published?.publicJwk.x !== jwk.x) {
        throw new ConfigError(
          `The signing key ${kid} is not the one that was published under this name. Restore the key file of this database from its copy; a new key needs a new name beside the old one.`,
        );
      }
      await tx.update(signingKey).set({ retiredAt }).where(eq(signingKey.kid, kid));
    }
  });
}

function asConfigError(error: unknown, file: string): ConfigError {
  if (error instanceof ConfigError) return error;
  return new ConfigError(`The signing key at ${file} cannot be used: ${(error as Error).message}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { signingKeyFile } = readConfig();
  createKeyFile(signingKeyFile);
  console.log(`${signingKeyFile} made. Keep a copy where only you can read it.`);
}
