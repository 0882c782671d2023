import { z } from "@hono/zod-openapi";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, isNull, sql } from "../../db/drizzle.ts";
import { account, apiKey, organisationMember } from "../../db/schema.ts";
import { type Access, callerOf, requireRole } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { type Caller, type MemberRole, memberRoles } from "../http/caller.ts";
import { idField } from "../http/fields.ts";

export const roleField = z.enum(memberRoles).openapi("OrganisationRole", {
  example: "developer",
  description:
    "`owner`: everything; `admin`: everything that does not concern owners; `developer`: agents, services, orders and webhooks; `viewer`: reads",
});

export const organisationParams = z.object({
  id: idField("acc"),
});

/**
 * Reads the caller's role in the organisation of a path. A person owns their own account.
 *
 * @throws ApiError `not_found` if the caller is not a member
 */
export async function readRole(db: Database | Transaction, caller: Caller, id: string): Promise<MemberRole> {
  const role = await readRoleOf(db, id, caller.memberAccountId);
  if (role) return role;
  throw new ApiError("not_found", "You belong to no organisation with this id.");
}

/** Reads the role of an account in an organisation; null for an account that is not a member. */
export async function readRoleOf(
  db: Database | Transaction,
  organisation: string,
  memberAccountId: string,
): Promise<MemberRole | null> {
  if (organisation === memberAccountId) return "owner";
  const [row] = await db
    .select({ role: organisationMember.role })
    .from(organisationMember)
    .where(
      and(
        eq(organisationMember.accountId, organisation),
        eq(organisationMember.memberAccountId, memberAccountId),
      ),
    );
  return row?.role ?? null;
}

/** Whether a member with `role` may give or take the role `concerned`. */
export function mayManage(role: MemberRole | null, concerned: MemberRole | null): boolean {
  return role === "owner" || (role === "admin" && concerned !== "owner");
}

/**
 * Requires an owner or admin, and an owner for what concerns owners.
 *
 * @param concerned the roles that are given or taken
 * @throws ApiError `not_found` or `insufficient_role`
 */
export async function requireManager(
  tx: Database | Transaction,
  caller: Caller,
  id: string,
  concerned: readonly (MemberRole | null)[] = [],
): Promise<MemberRole> {
  const role = await readRole(tx, caller, id);
  if (!mayManage(role, null)) {
    throw new ApiError(
      "insufficient_role",
      `A ${role} may not do this for the organisation. Ask an owner or admin.`,
    );
  }
  if (!concerned.every((item) => mayManage(role, item))) {
    throw new ApiError("insufficient_role", "Only an owner may give, change or remove the role of an owner.");
  }
  return role;
}

/** Locks an organisation until the transaction ends, so that changes to its members do not overlap. */
export async function lockOrganisation(tx: Transaction, id: string): Promise<void> {
  await tx.select({ one: sql`1` }).from(account).where(eq(account.id, id)).for("no key update");
}

/**
 * Locks the organisation, and checks that the caller may still act for it. So the removal of a member either sees what this
 * transaction sets, or comes first and makes this check fail.
 *
 * @throws ApiError `insufficient_role`, or `unauthenticated` for a revoked key
 */
export async function lockActing(tx: Transaction, caller: Caller, access: Access): Promise<void> {
  const { accountId, memberAccountId, keyId } = caller;
  await lockOrganisation(tx, accountId);
  if (keyId !== null) {
    const current = await tx.$count(apiKey, and(eq(apiKey.id, keyId), isNull(apiKey.revokedAt)));
    if (current === 0) throw new ApiError("unauthenticated", "This API key is revoked.");
    return;
  }
  const role = await readRoleOf(tx, accountId, memberAccountId);
  if (role === null) throw new ApiError("insufficient_role", "You are not a member of this organisation.");
  requireRole({ ...caller, role }, access);
}

/** The actor for the audit log of the organisation, instead of that of the person's own account. */
export function actorIn(c: Parameters<typeof callerOf>[0], organisation: string) {
  const { memberAccountId, credentialId } = callerOf(c);
  return { accountId: organisation, actorAccountId: memberAccountId, credentialId };
}
