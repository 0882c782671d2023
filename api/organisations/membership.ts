import { z } from "@hono/zod-openapi";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/client.ts";
import { account, apiKey, organisationMember } from "../../db/schema.ts";
import { type Access, callerOf, requireRole } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { type Caller, type Role, roles } from "../http/caller.ts";
import { idField } from "../http/fields.ts";

export const roleField = z.enum(roles).openapi("OrganisationRole", {
  example: "developer",
  description:
    "`owner`: all; `admin`: all but what concerns owners; `developer`: agents, services, orders and webhooks; `viewer`: reads",
});

export const organisationParams = z.object({
  id: idField("acc"),
});

/**
 * The caller's own role in an organisation that a path names; their own account is theirs to own.
 *
 * @throws ApiError `not_found` to whoever is no member
 */
export async function readRole(db: Database | Transaction, caller: Caller, id: string): Promise<Role> {
  const role = await readRoleOf(db, id, caller.memberAccountId);
  if (role) return role;
  throw new ApiError("not_found", "You belong to no organisation with this id.");
}

/** What an account is to an organisation, or null. */
export async function readRoleOf(
  db: Database | Transaction,
  organisation: string,
  memberAccountId: string,
): Promise<Role | null> {
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

/** Whether who has this role may give that one, or take it; null is none. */
export function mayManage(role: Role | null, concerned: Role | null): boolean {
  return role === "owner" || (role === "admin" && concerned !== "owner");
}

/**
 * Lets owners and admins through; to what concerns owners, only owners.
 *
 * @param concerned the roles that would be given or taken
 * @throws ApiError `not_found` or `insufficient_role`
 */
export async function requireManager(
  tx: Database | Transaction,
  caller: Caller,
  id: string,
  concerned: readonly (Role | null)[] = [],
): Promise<Role> {
  const role = await readRole(tx, caller, id);
  if (!mayManage(role, null)) {
    throw new ApiError("insufficient_role", `A ${role} cannot do this for the organisation; an admin can.`);
  }
  if (!concerned.every((one) => mayManage(role, one))) {
    throw new ApiError("insufficient_role", "What concerns owners is for owners.");
  }
  return role;
}

/** Makes changes of an organisation's members take turns until the transaction ends. */
export async function lockOrganisation(tx: Transaction, id: string): Promise<void> {
  await tx.select({ one: sql`1` }).from(account).where(eq(account.id, id)).for("no key update");
}

/**
 * Requires that the caller may still do this for their organisation, and locks the organisation. So a removal either sees
 * what this transaction sets, or comes first and refuses it.
 *
 * @throws ApiError `insufficient_role`, or `unauthenticated` for a key that was revoked
 */
export async function lockActing(tx: Transaction, caller: Caller, access: Access): Promise<void> {
  const { accountId, memberAccountId, keyId } = caller;
  await lockOrganisation(tx, accountId);
  if (keyId !== null) {
    const standing = await tx.$count(apiKey, and(eq(apiKey.id, keyId), isNull(apiKey.revokedAt)));
    if (standing === 0) throw new ApiError("unauthenticated", "This API key is revoked.");
    return;
  }
  const role = await readRoleOf(tx, accountId, memberAccountId);
  if (role === null) throw new ApiError("insufficient_role", "You are not a member of this organisation.");
  requireRole({ ...caller, role }, access);
}

/** Who did something to an organisation, for its audit trail rather than for that of the person's own account. */
export function actorIn(c: Parameters<typeof callerOf>[0], organisation: string) {
  const { memberAccountId, credentialId } = callerOf(c);
  return { accountId: organisation, actorAccountId: memberAccountId, credentialId };
}
