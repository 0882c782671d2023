import { etag } from "hono/etag";
import { asc, eq } from "../../db/drizzle.ts";
import { keyLog, receiptStatusList, signingKey } from "../../db/schema.ts";
import { directoryOf, directoryPath, directoryType } from "../../protocol/execution/bot-signature.ts";
import { issuerOf, keyLogPath, statusPath } from "../../receipts/issuer.ts";
import { didDocumentOf, jwksOf, type PublicKey } from "../../receipts/signing-keys.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import type { App } from "../variables.ts";

/** The time is short, so that verifiers find new keys and revoked receipts soon. */
const cacheControl = "public, max-age=60";

/**
 * Adds the documents of the issuer for verifiers: the keys, the log of keys, and the list of revoked receipts. The keys have
 * the paths of did:web, JWKS and Web Bot Auth. The worker signs the log and the list.
 */
export function addReceiptKeys(app: App, context: Context): void {
  const { db } = context;
  const { publicUrl } = context.config;
  const issuer = issuerOf(publicUrl);
  // did:web puts the document at `<path>/did.json` for an issuer with a path. A proxy removes that path.
  const documentPath = new URL(publicUrl).pathname === "/" ? "/.well-known/did.json" : "/did.json";

  serve("/.well-known/jwks.json", "application/jwk-set+json", async () => jwksOf(issuer, await readKeys()));
  serve(directoryPath, directoryType, async () => directoryOf(await readKeys()));
  serve(documentPath, "application/did+json", async () => didDocumentOf(issuer, await readKeys()));
  serve(keyLogPath, "application/json", async () => {
    const rows = await db.select({ entry: keyLog.entry }).from(keyLog).orderBy(asc(keyLog.seq));
    if (rows.length === 0)
      throw new ApiError("not_found", "No worker has published the keys yet. Try again later.");
    return { type: "KeyLog", version: 1, issuer, entries: rows.map(({ entry }) => entry) };
  });
  serve(statusPath, "application/json", async () => {
    const [list] = await db.select().from(receiptStatusList).where(eq(receiptStatusList.issuer, issuer));
    if (!list)
      throw new ApiError(
        "not_found",
        "No worker has signed the list of revoked receipts yet. Try again later.",
      );
    return list.document;
  });

  function serve(path: string, type: string, read: () => Promise<object>): void {
    app.get(path, etag(), async (c) =>
      c.body(JSON.stringify(await read()), 200, {
        "Content-Type": type,
        "Cache-Control": cacheControl,
        // A verifier may run in a page of another origin.
        "Access-Control-Allow-Origin": "*",
      }),
    );
  }

  async function readKeys(): Promise<PublicKey[]> {
    const rows = await db.select().from(signingKey).orderBy(asc(signingKey.notBefore), asc(signingKey.kid));
    return rows.map((row) => ({
      kid: row.kid,
      jwk: row.publicJwk,
      not_before: row.notBefore.toISOString(),
      retired_at: row.retiredAt?.toISOString() ?? null,
      compromised_since: row.compromisedSince?.toISOString() ?? null,
    }));
  }
}
