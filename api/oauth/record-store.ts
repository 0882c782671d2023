import type { Adapter, AdapterFactory, AdapterPayload } from "oidc-provider";
import { typeid } from "typeid-js";
import type { Database } from "../../db/client.ts";
import { and, eq, gt, isNull, sql } from "../../db/drizzle.ts";
import { apiKey, auditEntry, oauthClient, oauthRecord } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { isActiveKey } from "../../trade/spending/key-limit-checks.ts";
import { hashToken } from "../http/access-tokens.ts";

/**
 * Stores the records of `oidc-provider` in PostgreSQL. The id of a record is the token, code or consent itself, so only its
 * hash is stored.
 *
 * @param refuseReuse makes the error for a code or refresh token that another request used at the same time
 */
export function createRecordStore(db: Database, refuseReuse: () => Error): AdapterFactory {
  return (kind) => {
    if (kind === "Client") return clientStore(db);
    return kind === "Session" ? noStore : recordStore(db, kind, refuseReuse);
  };
}

function recordStore(db: Database, kind: string, refuseReuse: () => Error): Adapter {
  const isRecord = (id: string) => and(eq(oauthRecord.kind, kind), eq(oauthRecord.idHash, hashToken(id)));
  return {
    ...noStore,
    async upsert(id, { jti: _, ...payload }, seconds = 0) {
      const row = {
        payload,
        grantId: kind === "Grant" ? id : (payload.grantId ?? null),
        expiresAt: new Date(Date.now() + seconds * 1000),
      };
      await db
        .insert(oauthRecord)
        .values({ kind, idHash: hashToken(id), ...row })
        .onConflictDoUpdate({ target: [oauthRecord.kind, oauthRecord.idHash], set: row });
    },
    async find(id) {
      // A revoked or expired key ends its grant, and with it the refresh tokens.
      const isGranted =
        kind === "Grant"
          ? sql`exists (select from ${apiKey} where ${and(eq(apiKey.grantId, oauthRecord.grantId), isActiveKey())})`
          : undefined;
      const [row] = await db
        .select()
        .from(oauthRecord)
        .where(and(isRecord(id), gt(oauthRecord.expiresAt, sql`now()`), isGranted));
      if (!row) return undefined;
      const consumed = row.consumedAt && Math.floor(row.consumedAt.getTime() / 1000);
      return { ...(row.payload as AdapterPayload), jti: id, ...(consumed ? { consumed } : {}) };
    },
    async consume(id) {
      const { rowCount } = await db
        .update(oauthRecord)
        .set({ consumedAt: sql`now()` })
        .where(and(isRecord(id), isNull(oauthRecord.consumedAt)));
      if (rowCount !== 1) throw refuseReuse();
    },
    async destroy(id) {
      await db.delete(oauthRecord).where(isRecord(id));
      if (kind === "Grant") await revokeKeyOf(db, id);
    },
    async revokeByGrantId(grantId) {
      await db.delete(oauthRecord).where(and(eq(oauthRecord.grantId, grantId), eq(oauthRecord.kind, kind)));
    },
  };
}

/** Revokes the key of a grant that ended: its program revoked it, or somebody used a code or refresh token twice. */
async function revokeKeyOf(db: Database, grantId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const [key] = await tx
      .update(apiKey)
      .set({ revokedAt: sql`now()` })
      .where(and(eq(apiKey.grantId, grantId), isNull(apiKey.revokedAt)))
      .returning();
    if (!key) return;
    const { id, accountId, createdBy, name, clientHost } = key;
    await tx.insert(auditEntry).values({
      id: typeid("aud").toString(),
      accountId,
      actorAccountId: createdBy ?? accountId,
      credentialId: id,
      action: "key.revoked",
      target: id,
      data: { name, client_host: clientHost },
      // The provider knows neither the request's id nor its address.
      requestId: "oauth",
    });
  });
}

function clientStore(db: Database): Adapter {
  return {
    ...noStore,
    async upsert(id, metadata) {
      await db.insert(oauthClient).values({ id, metadata: { ...metadata } });
    },
    async find(id) {
      const [row] = await db.select().from(oauthClient).where(eq(oauthClient.id, id));
      return row?.metadata as AdapterPayload | undefined;
    },
  };
}

/**
 * The store of the provider's sessions, which keeps nothing. The session of the console is the only sign-in, so each
 * authorization asks for consent.
 */
const noStore: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
};
