import { z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { getAddress } from "viem";
import type { Transaction } from "../../db/client.ts";
import { and, desc, eq, inArray, isNull, or } from "../../db/drizzle.ts";
import { apiKey, organisationInvitation, organisationMember } from "../../db/schema.ts";
import { removeMailOf } from "../../trade/mail/mail-settings.ts";
import { disableEndpointsOf } from "../../trade/webhooks/disabled-endpoints.ts";
import { keySchema, presentKey } from "../accounts/api-key.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import { type MemberRole, memberRoles } from "../http/caller.ts";
import { idField, orNull, shownAddress } from "../http/fields.ts";
import type { Variables } from "../variables.ts";
import { endpointSchema, presentEndpoint } from "../webhooks/webhook.ts";
import { isToWalletOf } from "./invitation.ts";
import { actorIn, mayManage, roleField } from "./membership.ts";

/** The most keys and members in an answer. */
const mostShown = 100;

export const revokeKeysField = z.boolean().optional().openapi({
  description:
    "whether to revoke the keys that the member created for the organisation. The default is true if the new role may not create keys. A member who gives up such a role cannot keep their own keys",
});

/** The fields of an answer that show what ended with a member's role. */
export const endedPowersFields = {
  revoked_invitations: z.int().openapi({
    description:
      "the number of the member's open invitations that are revoked, because the member may not give their roles",
  }),
  invitations: z
    .array(
      z.object({ id: idField("inv"), address: shownAddress, role: roleField }).openapi("EndedInvitation"),
    )
    .openapi({ description: `these invitations, at most ${mostShown}` }),
  keys: z.array(keySchema).openapi({
    description: `the newest ${mostShown} keys that the member created for the organisation and that were valid; \`revoked_at\` says whether they still are`,
  }),
  email: orNull(z.string().openapi({ example: "owner@example.org" })).openapi({
    description:
      "the organisation's mail address, if the member set or confirmed it and may not do so now. The address is removed",
  }),
  webhooks: z.array(endpointSchema).openapi({
    description:
      "the endpoints whose URL the member set, or whose secret the member saw last, if the member may not do so now. They are disabled until somebody rotates the secret and enables them",
  }),
  invited_members: z
    .array(z.object({ account_id: idField("acc"), role: roleField }).openapi("InvitedMember"))
    .openapi({ description: `the newest ${mostShown} members whom the member invited. They stay` }),
};

type Change = {
  organisation: string;
  person: string;
  /** the new role; null to remove the member */
  role: MemberRole | null;
  /** undefined to revoke the keys if the new role may not create keys */
  revokesKeys: boolean | undefined;
};

/**
 * Ends what depends on a person's role, in the transaction that changes the role: invitations, keys, the mail address and
 * endpoints. The caller holds the organisation's lock, so nothing is accepted or set meanwhile.
 *
 * @returns what ended: the fields for the answer, and ids for the audit log
 * @throws ApiError `insufficient_role` if a person would keep their own keys
 */
export async function endPowers(tx: Transaction, c: HonoContext<{ Variables: Variables }>, change: Change) {
  const { organisation, person, role } = change;
  const by = actorIn(c, organisation);
  const managesNow = mayManage(role, null);
  const invitations = await revokeInvitations(tx, change);
  const { standing: current, revoked } = await revokeKeys(tx, c, change, managesNow);
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
        .map((item) => ({ ...item, address: getAddress(item.address) })),
      keys: current.map((key) => presentKey(revoked.find(({ id }) => id === key.id) ?? key)),
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
  const toGive = memberRoles.filter((given) => !mayManage(role, given));
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
          // An invitation to one of the person's wallets would let the person in again.
          role === null ? isToWalletOf(tx, person) : undefined,
        ),
      ),
    )
    .returning({ id, address, role: given });
}

async function revokeKeys(
  tx: Transaction,
  c: HonoContext<{ Variables: Variables }>,
  { organisation, person, revokesKeys: isAsked }: Change,
  managesNow: boolean,
) {
  if (isAsked === false && !managesNow && person === callerOf(c).memberAccountId) {
    throw new ApiError(
      "insufficient_role",
      "The keys that you created end with your role. To keep them, let another owner or admin change your role with `revoke_keys` false.",
    );
  }
  const theirs = and(
    eq(apiKey.accountId, organisation),
    eq(apiKey.createdBy, person),
    isNull(apiKey.revokedAt),
  );
  const current = await tx
    .select()
    .from(apiKey)
    .where(theirs)
    .orderBy(desc(apiKey.createdAt), desc(apiKey.id))
    .limit(mostShown);
  const revoked =
    (isAsked ?? !managesNow)
      ? await tx.update(apiKey).set({ revokedAt: new Date() }).where(theirs).returning()
      : [];
  return { standing: current, revoked };
}
