import { z } from "@hono/zod-openapi";
import { and, desc, eq, inArray, isNull, or } from "drizzle-orm";
import type { Context as HonoContext } from "hono";
import { getAddress } from "viem";
import type { Transaction } from "../../db/client.ts";
import { apiKey, organisationInvitation, organisationMember } from "../../db/schema.ts";
import { removeMailOf } from "../../trade/mail/mail-settings.ts";
import { disableEndpointsOf } from "../../trade/webhooks/endpoints.ts";
import { keySchema, presentKey } from "../accounts/api-key.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import { type Role, roles } from "../http/caller.ts";
import { idField, orNull, shownAddress } from "../http/fields.ts";
import type { Variables } from "../variables.ts";
import { endpointSchema, presentEndpoint } from "../webhooks/webhook.ts";
import { isToWalletOf } from "./invitation.ts";
import { actorIn, mayManage, roleField } from "./membership.ts";

/** Keys and members that an answer shows at most. */
const mostShown = 100;

export const revokeKeysField = z.boolean().optional().openapi({
  description:
    "whether the keys that they made for the organisation are revoked; unless given, where the new role makes no keys. Nobody keeps their own",
});

/** What hung on a person's powers, as the answer to a change of them shows it. */
export const powersFields = {
  revoked_invitations: z.int().openapi({
    description:
      "their open invitations, which nobody can accept any more: to roles that they may not give now",
  }),
  invitations: z
    .array(
      z.object({ id: idField("inv"), address: shownAddress, role: roleField }).openapi("EndedInvitation"),
    )
    .openapi({ description: `these invitations, ${mostShown} at most` }),
  keys: z.array(keySchema).openapi({
    description: `the newest ${mostShown} keys that they made for the organisation and that stood; \`revoked_at\` says whether they still do`,
  }),
  email: orNull(z.string().openapi({ example: "owner@example.org" })).openapi({
    description:
      "where the organisation got mail until now, if they set or confirmed that address and may not do so any more: it gets none",
  }),
  webhooks: z.array(endpointSchema).openapi({
    description:
      "the endpoints whose URL they set, or whose secret they were shown last, if they may not do so any more: these are disabled until somebody replaces the secret and lets them go on",
  }),
  invited_members: z
    .array(z.object({ account_id: idField("acc"), role: roleField }).openapi("InvitedMember"))
    .openapi({ description: `the newest ${mostShown} members that they let in: these stay` }),
};

type Change = {
  organisation: string;
  person: string;
  /** the new role; null for none */
  role: Role | null;
  /** undefined: revoke them if the new role makes no keys */
  revokeKeys: boolean | undefined;
};

/**
 * Ends what depends on a person's role, in the transaction that takes the role: their invitations, and the keys, the address
 * for mail and the endpoints that they set. The caller holds the lock of the organisation, so nothing is accepted or set
 * meanwhile.
 *
 * @returns what ended, for the answer and by id for the audit trail
 * @throws ApiError `insufficient_role` where a person would keep their own keys
 */
export async function takePowers(tx: Transaction, c: HonoContext<{ Variables: Variables }>, change: Change) {
  const { organisation, person, role } = change;
  const by = actorIn(c, organisation);
  const managesNow = mayManage(role, null);
  const invitations = await revokeInvitations(tx, change);
  const { standing, revoked } = await revokeKeys(tx, c, change, managesNow);
  for (const { id, name } of revoked) {
    await recordAudit(tx, c, { action: "key.revoked", target: id, data: { name }, by });
  }
  const email = managesNow ? null : await removeMailOf(tx, organisation, person);
  if (email !== null) {
    await recordAudit(tx, c, { action: "email.removed", target: organisation, data: { address: email }, by });
  }
  const setsEndpoints = role !== null && role !== "viewer";
  const endpoints = setsEndpoints ? [] : await disableEndpointsOf(tx, organisation, person);
  for (const { id, url } of endpoints) {
    await recordAudit(tx, c, { action: "webhook.disabled", target: id, data: { url }, by });
  }
  const invitedMembers = await tx
    .select({ account_id: organisationMember.memberAccountId, role: organisationMember.role })
    .from(organisationMember)
    .where(and(eq(organisationMember.accountId, organisation), eq(organisationMember.invitedBy, person)))
    .orderBy(desc(organisationMember.createdAt), organisationMember.memberAccountId)
    .limit(mostShown);
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
  return {
    shown: {
      revoked_invitations: invitations.length,
      invitations: invitations
        .slice(0, mostShown)
        .map((one) => ({ ...one, address: getAddress(one.address) })),
      keys: standing.map((key) => presentKey(revoked.find(({ id }) => id === key.id) ?? key)),
      email,
      webhooks: endpoints.map(presentEndpoint),
      invited_members: invitedMembers,
    },
    audited: {
      invitations: idsOf(invitations),
      keys: idsOf(revoked),
      email,
      webhooks: idsOf(endpoints),
    },
  };
}

async function revokeInvitations(tx: Transaction, { organisation, person, role }: Change) {
  const toGive = roles.filter((given) => !mayManage(role, given));
  const { id, address, role: given } = organisationInvitation;
  return tx
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
    .returning({ id, address, role: given });
}

async function revokeKeys(
  tx: Transaction,
  c: HonoContext<{ Variables: Variables }>,
  { organisation, person, revokeKeys: isAsked }: Change,
  managesNow: boolean,
) {
  if (isAsked === false && !managesNow && person === callerOf(c).memberAccountId) {
    throw new ApiError(
      "insufficient_role",
      "The keys that you made end with your role. To keep them, have another owner or admin take your role with `revoke_keys` false.",
    );
  }
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
  const revoked =
    (isAsked ?? !managesNow)
      ? await tx.update(apiKey).set({ revokedAt: new Date() }).where(theirs).returning()
      : [];
  return { standing, revoked };
}
