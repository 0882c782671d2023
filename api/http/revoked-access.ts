import type { Database } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { apiKey, organisationMember, session } from "../../db/schema.ts";
import type { Caller } from "./caller.ts";

/**
 * Finds the callers who would be refused now, among callers who were let through earlier. Their session ended, their key
 * was revoked or expired, or the person left the organisation. One statement checks all callers.
 */
export async function findRevokedCallers<Asked extends { caller: Caller }>(
  db: Database,
  requested: readonly Asked[],
): Promise<Asked[]> {
  if (requested.length === 0) return [];
  const { rows } = await db.execute<{ place: number }>(sql`
    select place::int from unnest(
      ${sql.param(requested.map(({ caller }) => caller.credentialId))}::text[],
      ${sql.param(requested.map(({ caller }) => caller.accountId))}::text[],
      ${sql.param(requested.map(({ caller }) => caller.role === null))}::boolean[]
    ) with ordinality as asked (credential_id, account_id, is_key, place)
    where not case when is_key
      then exists (
        select from ${apiKey} as held where held.id = asked.credential_id and held.revoked_at is null
          and (held.expires_at is null or held.expires_at > now()))
      else exists (
        select from ${session} as held
        where held.id = asked.credential_id and held.revoked_at is null and held.expires_at > now()
          and (held.account_id = asked.account_id or exists (
            select from ${organisationMember} as member
            where member.account_id = asked.account_id and member.member_account_id = held.account_id)))
      end`);
  return rows.map(({ place }) => requested[place - 1] as Asked);
}
