import { asc } from "drizzle-orm";
import { etag } from "hono/etag";
import { signingKey } from "../db/schema.ts";
import { issuerOf } from "../receipts/issuer.ts";
import { didDocumentOf, jwksOf, type PublicKey } from "../receipts/keys.ts";
import type { App, Context } from "./context.ts";

/** Short, since a new key must be found soon after it starts to sign. */
const cacheControl = "public, max-age=60";

/** The keys that sign receipts, at the root, where did:web and JWKS clients look. */
export function addReceiptKeys(app: App, context: Context): void {
  const { publicUrl } = context.config;
  const issuer = issuerOf(publicUrl);
  // did:web puts the document of a name with a path at `<path>/did.json`; what stands in front of us cuts the path off.
  const documentPath = new URL(publicUrl).pathname === "/" ? "/.well-known/did.json" : "/did.json";

  app.get("/.well-known/jwks.json", etag(), async (c) => {
    const body = JSON.stringify(jwksOf(issuer, await readKeys()));
    return c.body(body, 200, { "Content-Type": "application/jwk-set+json", "Cache-Control": cacheControl });
  });

  app.get(documentPath, etag(), async (c) => {
    const body = JSON.stringify(didDocumentOf(issuer, await readKeys()));
    return c.body(body, 200, { "Content-Type": "application/did+json", "Cache-Control": cacheControl });
  });

  async function readKeys(): Promise<PublicKey[]> {
    const rows = await context.db
      .select()
      .from(signingKey)
      .orderBy(asc(signingKey.createdAt), asc(signingKey.kid));
    return rows.map((row) => ({
      kid: row.kid,
      jwk: row.publicJwk,
      not_before: row.createdAt.toISOString(),
      retired_at: row.retiredAt?.toISOString() ?? null,
    }));
  }
}
