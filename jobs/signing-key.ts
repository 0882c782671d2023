import { fileURLToPath } from "node:url";
import { eq } from "drizzle-orm";
import { ConfigError, readConfig } from "../config.ts";
import type { Database } from "../db/client.ts";
import { signingKey } from "../db/schema.ts";
import { createKeyFile, type Signer } from "../signer.ts";

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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { signingKeyFile } = readConfig();
  createKeyFile(signingKeyFile);
  console.log(`${signingKeyFile} made. Keep a copy where only you can read it.`);
}
