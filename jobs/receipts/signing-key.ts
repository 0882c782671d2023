import { asc, eq, sql } from "drizzle-orm";
import type { Logger } from "pino";
import { type Config, ConfigError } from "../../config/config.ts";
import type { ReceiptSigner } from "../../config/keys/signing-key.ts";
import { createReceiptSignerReader } from "../../config/keys/signing-key.ts";
import type { Database } from "../../db/client.ts";
import { queueLogEntry } from "../../db/log-queue.ts";
import { keyLog, signingKey } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { hashEntry, keyLogEntrySchema } from "../../receipts/keylog.ts";

/** Any number that nobody else locks: "keys" read as bytes. */
const publishingLock = 0x6b65_7973;

const remedy =
  "Restore the key file of this database from its newest copy; keys are changed with `npm run keys` only.";

/**
 * Publishes the public halves and the log of them, from which the API serves its key documents. The published log is
 * only ever added to.
 *
 * @throws ConfigError when the log that is published already is not the beginning of this one, or a key's name is
 * published with another key
 */
export async function publishKeys(db: Database, signer: ReceiptSigner): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${publishingLock}::bigint)`);
    const published = await tx.select().from(keyLog).orderBy(asc(keyLog.seq));
    for (const { seq, entry } of published) {
      const ours = signer.log[seq - 1];
      if (!ours) {
        throw new ConfigError(
          `The key file's log ends with entry ${signer.log.length}, and ${published.length} entries are published. ${remedy}`,
        );
      }
      if (hashEntry(ours) !== hashEntry(keyLogEntrySchema.parse(entry))) {
        throw new ConfigError(
          `Entry ${seq} of the key file's log is not the one that was published. ${remedy}`,
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
          `The signing key ${kid} is not the one that was published under this name. ${remedy}`,
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
 * Makes rounds that take up changed keys, published before they sign anything: whoever holds `signer` signs with them
 * from then on. A file that cannot be used changes nothing; what was read before goes on.
 *
 * @param options.changed told when they are taken up
 */
export function createKeyRounds(
  db: Database,
  config: Config,
  signer: ReceiptSigner,
  { log, changed }: { log: Logger; changed?: () => void },
): () => Promise<void> {
  const read = createReceiptSignerReader(config);
  let refused = "";
  return async () => {
    try {
      const found = read();
      if (!found) throw new ConfigError(`The signing key at ${config.signingKeyFile} is gone.`);
      const head = found.log.at(-1);
      if (head?.proof.proofValue !== signer.log.at(-1)?.proof.proofValue) {
        await publishKeys(db, found);
        Object.assign(signer, found);
        changed?.();
        log.info(
          { keys: found.keys.map(({ kid }) => kid), entry: head?.seq },
          "changed signing keys taken up",
        );
      }
      refused = "";
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (error.message !== refused) {
        log.error(
          { alert: "signing_keys_unusable", reason: error.message },
          "the signing keys changed and cannot be used; the worker goes on with those it has",
        );
      }
      refused = error.message;
    }
  };
}
