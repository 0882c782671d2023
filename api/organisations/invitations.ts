import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, gt, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Address } from "viem";
import type { Transaction } from "../../db/client.ts";
import { organisationInvitation } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { requireServed } from "../chain/served-chain.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import type { Role } from "../http/caller.ts";
import { addressField, chainIdField, idField } from "../http/fields.ts";
import { pageQuery, pageSchema, readNewest } from "../http/listing.ts";
import { answer, guarded, jsonBody, refusals } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import {
  close,
  invitationSchema,
  isOpen,
  lockInvitation,
  presentInvitation,
  requireNew,
  unknownInvitation,
} from "./invitation.ts";
import { actorIn, lockOrganisation, organisationParams, requireManager, roleField } from "./membership.ts";

/** How long an invitation stands, in days. */
const standsFor = 14;
/** The most invitations of an organisation that are open at once, and that it makes in a day: each is shown to somebody. */
const mostOpen = 100;
const mostADay = 100;

/** Invitations into organisations: to a wallet, whose owner signs in and answers. */
export function addInvitations(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/organisations/{id}/invitations",
      operationId: "inviteMember",
      tags: ["organisations"],
      summary: "Invite a wallet into an organisation",
      description: `Nothing is sent: whoever signs in with the wallet finds it at \`GET /invitations\`. It stands for ${standsFor} days, while whoever invited may give the role, and takes the place of an open one to the same wallet.`,
      ...guarded(context, "self"),
      request: {
        params: organisationParams,
        body: jsonBody(
          z
            .strictObject({
              address: addressField,
              chain_id: chainIdField.optional().openapi({
                description: "where the wallet is a contract: its chain. Without it a key alone can answer",
              }),
              role: roleField,
            })
            .openapi("InvitationRequest"),
        ),
      },
      responses: { 201: answer("The invitation", invitationSchema), ...refusals("conflict") },
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
      summary: "List an organisation's invitations, newest first",
      description: "To its owners and admins, the answered ones included.",
      ...guarded(context, "self"),
      request: { params: organisationParams, query: pageQuery },
      responses: {
        200: answer("A page of invitations", pageSchema(invitationSchema).openapi("InvitationPage")),
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
      summary: "Take an invitation back",
      ...guarded(context, "self"),
      request: { params: organisationParams.extend({ invitation: idField("inv") }) },
      responses: { 200: answer("The invitation", invitationSchema), ...refusals("invalid_state") },
    }),
    async (c) => {
      const { id, invitation } = c.req.valid("param");
      const row = await inTransaction(db, async (tx) => {
        await requireManager(tx, callerOf(c), id);
        const invited = await lockInvitation(tx, invitation);
        if (invited?.accountId !== id) throw unknownInvitation();
        await requireManager(tx, callerOf(c), id, [invited.role]);
        return close(tx, invited, "revoked");
      });
      return c.json(presentInvitation(row), 200);
    },
  );
}

/**
 * Takes back the open invitation of an organisation to an address, for another to take its place.
 *
 * @returns the role that it would have given, if there was one
 */
async function takeBackOpen(tx: Transaction, organisation: string, address: Address): Promise<Role[]> {
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

/** @throws ApiError `conflict` or `rate_limited` for an organisation that has invited very many */
async function requireFew(tx: Transaction, organisation: string): Promise<void> {
  const theirs = eq(organisationInvitation.accountId, organisation);
  const standing = and(theirs, isOpen, gt(organisationInvitation.expiresAt, sql`now()`));
  if ((await tx.$count(organisationInvitation, standing)) >= mostOpen) {
    throw new ApiError("conflict", `An organisation has at most ${mostOpen} open invitations: revoke one.`);
  }
  const today = gt(organisationInvitation.createdAt, sql`now() - interval '1 day'`);
  if ((await tx.$count(organisationInvitation, and(theirs, today))) >= mostADay) {
    const message = `An organisation makes at most ${mostADay} invitations a day.`;
    throw new ApiError("rate_limited", message, undefined, 3600);
  }
}
