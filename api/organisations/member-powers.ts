import { z } from "@hono/zod-openapi";
import { and, desc, eq, inArray, isNull, or } from "drizzle-orm";
import type { Context as HonoContext } from "hono";
import type { Transaction } from "../../db/client.ts";
import { apiKey, organisationInvitation, organisationMember } from "../../db/schema.ts";
import { keySchema, presentKey } from "../accounts/api-key.ts";
import type { Variables } from "../context.ts";
import { callerOf, type Role, roles } from "../http/access.ts";
import { recordAudit } from "../http/audit.ts";
import { idField } from "../http/fields.ts";
import { isToWalletOf } from "./invitation.ts";
import { actorIn, mayManage, requireManager, roleField } from "./membership.ts";

/** Keys and members that an answer shows at most. */
const mostShown = 100;

export const revokeKeysField = z
  .boolean()
  .default(false)
  .openapi({ description: "whether the keys that they made for the organisation are revoked as well" });

/** What hung on a person's powers, as the answer to a change of them shows it. */
export const powersFields = {
  revoked_invitations: z.int().openapi({
    description:
      "their open invitations, which nobody can accept any more: to roles that they may not give now",
  }),
  keys: z.array(keySchema).openapi({
    description: `the newest ${mostShown} keys that they made for the organisation and that stood; \`revoked_at\` says whether they still do`,
  }),
  invited_members: z
    .array(z.object({ account_id: idField("acc"), role: roleField }).openapi("InvitedMember"))
    .openapi({ description: `the newest ${mostShown} members that they let in: these stay` }),
};

/**
 * Takes back what rests on a person's role, in the transaction that takes the role: their invitations, and their keys
 * where that is asked for. The organisation must be locked, so that none is accepted or made meanwhile.
 *
 * @param role what the person is from now on; null for none
 */
export async function takePowers(
  tx: Transaction,
  c: HonoContext<{ Variables: Variables }>,
  {
    organisation,
    person,
    role,
    revokeKeys,
  }: {
    organisation: string;
    person: string;
    role: Role | null;
    revokeKeys: boolean;
  },
) {
  const toGive = roles.filter((given) => !mayManage(role, given));
  const invitations = await tx
    .update(organisationInvitation)
    .set({ status: "revoked", answeredAt: new Date() })
    .where(
      and(
        eq(organisationInvitation.accountId, organisation),
        eq(organisationInvitation.status, "open"),
        or(
          and(eq(organisationInvitation.invitedBy, person), inArray(organisationInvitation.role, toGive)),
          // To a wallet of theirs, it would let them in again.
          role === null ? isToWalletOf(tx, person) : undefined,
        ),
      ),
    )
    .returning({ id: organisationInvitation.id });
  if (revokeKeys) await requireManager(tx, callerOf(c), organisation);
  const theirs = and(
    eq(apiKey.accountId, organisation),
    eq(apiKey.createdBy, person),
    isNull(apiKey.revokedAt),
  );
  const standing = await tx
    .select()
    .from(apiKey)
    .where(theirs)
    .orderBy(desc(apiKey.createdAt), desc(apiKey.id))
    .limit(mostShown);
  const revoked = revokeKeys
    ? await tx.update(apiKey).set({ revokedAt: new Date() }).where(theirs).returning()
    : [];
  for (const { id, name } of revoked) {
    await recordAudit(tx, c, {
      action: "key.revoked",
      target: id,
      data: { name },
      by: actorIn(c, organisation),
    });
  }
  const invitedMembers = await tx
    .select({ account_id: organisationMember.memberAccountId, role: organisationMember.role })
    .from(organisationMember)
    .where(and(eq(organisationMember.accountId, organisation), eq(organisationMember.invitedBy, person)))
    .orderBy(desc(organisationMember.createdAt), organisationMember.memberAccountId)
    .limit(mostShown);
  return {
    revoked_invitations: invitations.length,
    keys: standing.map((key) => presentKey(revoked.find(({ id }) => id === key.id) ?? key)),
    invited_members: invitedMembers,
  };
}
