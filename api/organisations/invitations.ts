import { createRoute, z } from "@hono/zod-openapi";
import { typeid } from "typeid-js";
import type { Address } from "viem";
import type { Transaction } from "../../db/client.ts";
import { and, eq, gt, sql } from "../../db/drizzle.ts";
import { organisationInvitation } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { requireServed } from "../chain/served-chain.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import type { MemberRole } from "../http/caller.ts";
import { addressField, chainIdField, idField } from "../http/fields.ts";
import { pageQuery, pageSchema, readNewest } from "../http/listing.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import {
  closeInvitation,
  invitationSchema,
  isOpen,
  lockInvitation,
  presentInvitation,
  requireNew,
  unknownInvitation,
} from "./invitation.ts";
import { actorIn, lockOrganisation, organisationParams, requireManager, roleField } from "./membership.ts";

/** Days for which an invitation is open. */
const standsFor = 14;
/** The most open invitations of an organisation, and the most in a day, because each is shown to somebody. */
const mostOpen = 100;
const mostADay = 100;

/** Adds the routes by which an organisation invites wallets. */
export function addInvitations(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/organisations/{id}/invitations",
      operationId: "inviteMember",
      tags: ["organisations"],
      summary: "Invite a wallet into an organisation",
      description: `Nothing is sent: the owner of the wallet signs in with it and finds the invitation at \`GET /invitations\`. The invitation is open for ${standsFor} days, as long as its sender may give the role. It replaces an open invitation to the same wallet.`,
      ...accessRule(context, "self"),
      request: {
        params: organisationParams,
        body: jsonBody(
          z
            .strictObject({
              address: addressField,
              chain_id: chainIdField.optional().openapi({
                description: "the chain of a contract wallet. Without it, only a key can answer",
              }),
              role: roleField,
            })
            .openapi("InvitationRequest"),
        ),
      },
      responses: { 201: jsonResponse("The invitation", invitationSchema), ...errorResponses("conflict") },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const { address, chain_id: chainId = null, role } = c.req.valid("json");
      const row = await inTransaction(db, async (tx) => {
        await lockOrganisation(tx, id);
        await requireManager(tx, callerOf(c), id, [role]);
        if (chainId !== null) requireServed(context, chainId);
        await requireNew(tx, id, { address, chainId });
        const before = await takeBackOpen(tx, id, address);
        await requireManager(tx, callerOf(c), id, before);
        await requireFew(tx, id);
        const [invited] = await tx
          .insert(organisationInvitation)
          .values({
            id: typeid("inv").toString(),
            accountId: id,
            address,
            chainId,
            role,
            invitedBy: callerOf(c).memberAccountId,
            expiresAt: sql`now() + ${standsFor} * interval '1 day'`,
          })
          .returning();
        if (!invited) throw new Error("The database returned no invitation.");
        const data = { address, role };
        await recordAudit(tx, c, { action: "member.invited", target: invited.id, data, by: actorIn(c, id) });
        return invited;
      });
      return c.json(presentInvitation(row), 201);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/organisations/{id}/invitations",
      operationId: "listInvitations",
      tags: ["organisations"],
      summary: "List the invitations of an organisation",
      description: "For owners and admins. Newest first, with answered invitations.",
      ...accessRule(context, "self"),
      request: { params: organisationParams, query: pageQuery },
      responses: {
        200: jsonResponse("A page of invitations", pageSchema(invitationSchema).openapi("InvitationPage")),
      },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      await requireManager(db, callerOf(c), id);
      const own = eq(organisationInvitation.accountId, id);
      return c.json(
        await readNewest(db, organisationInvitation, own, c.req.valid("query"), presentInvitation),
        200,
      );
    },
  );

  app.openapi(
    createRoute({
      method: "delete",
      path: "/organisations/{id}/invitations/{invitation}",
      operationId: "revokeInvitation",
      tags: ["organisations"],
      summary: "Revoke an invitation",
      ...accessRule(context, "self"),
      request: { params: organisationParams.extend({ invitation: idField("inv") }) },
      responses: {
        200: jsonResponse("The invitation", invitationSchema),
        ...errorResponses("invalid_state"),
      },
    }),
    async (c) => {
      const { id, invitation } = c.req.valid("param");
      const row = await inTransaction(db, async (tx) => {
        await requireManager(tx, callerOf(c), id);
        const invited = await lockInvitation(tx, invitation);
        if (invited?.accountId !== id) throw unknownInvitation();
        await requireManager(tx, callerOf(c), id, [invited.role]);
        return closeInvitation(tx, invited, "revoked");
      });
      return c.json(presentInvitation(row), 200);
    },
  );
}

/**
 * Revokes the open invitation of an organisation to an address, so that a new one can replace it.
 *
 * @returns the role of the revoked invitation, if there was one
 */
async function takeBackOpen(tx: Transaction, organisation: string, address: Address): Promise<MemberRole[]> {
  const rows = await tx
    .update(organisationInvitation)
    .set({ status: "revoked", answeredAt: new Date() })
    .where(
      and(
        isOpen,
        eq(organisationInvitation.accountId, organisation),
        eq(organisationInvitation.address, address),
      ),
    )
    .returning({ role: organisationInvitation.role });
  return rows.map(({ role }) => role);
}

/** @throws ApiError `conflict` or `rate_limited` for an organisation with too many invitations */
async function requireFew(tx: Transaction, organisation: string): Promise<void> {
  const theirs = eq(organisationInvitation.accountId, organisation);
  const current = and(theirs, isOpen, gt(organisationInvitation.expiresAt, sql`now()`));
  if ((await tx.$count(organisationInvitation, current)) >= mostOpen) {
    throw new ApiError(
      "conflict",
      `An organisation has at most ${mostOpen} open invitations. Revoke one first.`,
    );
  }
  const today = gt(organisationInvitation.createdAt, sql`now() - interval '1 day'`);
  if ((await tx.$count(organisationInvitation, and(theirs, today))) >= mostADay) {
    const message = `An organisation sends at most ${mostADay} invitations a day. Try again later.`;
    throw new ApiError("rate_limited", message, undefined, 3600);
  }
}
