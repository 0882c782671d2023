import type { Logger } from "pino";
import { type Config, ConfigError } from "../../config/config.ts";
import type { ReceiptSigner } from "../../config/keys/signing-key.ts";
import { createReceiptSignerReader } from "../../config/keys/signing-key.ts";
import type { Database } from "../../db/client.ts";
import { asc, eq, sql } from "../../db/drizzle.ts";
import { queueLogEntry } from "../../db/log-queue.ts";
import { keyLog, signingKey } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { hashEntry, keyLogEntrySchema } from "../../receipts/key-log.ts";

/** An advisory lock of its own: "keys" as bytes. */
const publishingLock = 0x6b65_7973;

const remedy =
  "Restore this database's key file from its newest backup. Change keys with `npm run keys` only.";

/**
 * Publishes the public keys and the key log, from which the API serves its key documents. The published log only grows.
 *
 * @throws ConfigError if the published log is not a prefix of this one, or another key is published under a key's name
 */
export async function publishKeys(db: Database, signer: ReceiptSigner): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${publishingLock}::bigint)`);
    const published = await tx.select().from(keyLog).orderBy(asc(keyLog.seq));
    for (const { seq, entry } of published) {
      const ours = signer.log[seq - 1];
      if (!ours) {
        throw new ConfigError(
          `The key file's log ends with entry ${signer.log.length}, but ${published.length} entries are published. ${remedy}`,
        );
      }
      if (hashEntry(ours) !== hashEntry(keyLogEntrySchema.parse(entry))) {
        throw new ConfigError(
          `Entry ${seq} of the key file's log differs from the published entry. ${remedy}`,
        );
      }
    }
    for (const entry of signer.log.slice(published.length)) {
      await tx.insert(keyLog).values({ seq: entry.seq, entry });
      await queueLogEntry(tx, "key", String(entry.seq));
    }

    for (const { kid, jwk, ...window } of signer.keys) {
      const retiredAt = timeOf(window.retired_at);
      const compromisedSince = timeOf(window.compromised_since);
      await tx
        .insert(signingKey)
        .values({
          kid,
          publicJwk: { kty: jwk.kty, crv: jwk.crv, x: jwk.x },
          notBefore: new Date(window.not_before),
        })
        .onConflictDoNothing();
      const [row] = await tx.select().from(signingKey).where(eq(signingKey.kid, kid)).for("update");
      if (row?.publicJwk.x !== jwk.x) {
        throw new ConfigError(
          `The signing key ${kid} differs from the key published under this name. ${remedy}`,
        );
      }
      await tx.update(signingKey).set({ retiredAt, compromisedSince }).where(eq(signingKey.kid, kid));
    }
  });
}

function timeOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

/**
 * Returns a function that loads changed keys and publishes them before they sign. The holder of `signer` then signs
 * with the new keys. An unusable file changes nothing.
 *
 * @param options.changed is called when new keys are in use
 */
export function createKeyPublication(
  db: Database,
  config: Config,
  signer: ReceiptSigner,
  { log, changed }: { log: Logger; changed?: () => void },
): () => Promise<void> {
  const read = createReceiptSignerReader(config);
  let lastRefusal = "";
  return async () => {
    try {
      const loaded = read();
      if (!loaded) throw new ConfigError(`The signing key file ${config.signingKeyFile} is missing.`);
      const head = loaded.log.at(-1);
      if (head?.proof.proofValue !== signer.log.at(-1)?.proof.proofValue) {
        await publishKeys(db, loaded);
        Object.assign(signer, loaded);
        changed?.();
        log.info(
          { keys: loaded.keys.map(({ kid }) => kid), entry: head?.seq },
          "changed signing keys are in use",
        );
      }
      lastRefusal = "";
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (error.message !== lastRefusal) {
        log.error(
          { alert: "signing_keys_unusable", reason: error.message },
          "the signing keys changed and are unusable: the worker continues with the loaded keys",
        );
      }
      lastRefusal = error.message;
    }
  };
}
