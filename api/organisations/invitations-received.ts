import { createRoute, z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import { and, eq, gt, sql } from "../../db/drizzle.ts";
import { account, organisationInvitation, organisationMember } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import { idField } from "../http/fields.ts";
import { newestFirst } from "../http/list-order.ts";
import { countRows, pageQuery, pageSchema, readPage } from "../http/listing.ts";
import { accessRule, errorResponses, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import {
  closeInvitation,
  invitationSchema,
  isOpen,
  isToWalletOf,
  lockInvitation,
  presentInvitation,
  requireNew,
  unknownInvitation,
} from "./invitation.ts";
import { actorIn, lockOrganisation, mayManage, readRoleOf } from "./membership.ts";

const receivedSchema = invitationSchema
  .extend({ organisation_name: z.string().nullable().openapi({ example: "Lingua" }) })
  .openapi("ReceivedInvitation");

const invitationParams = z.object({ id: idField("inv") });

/** Adds the routes by which invited persons find and answer their invitations. */
export function addReceivedInvitations(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/invitations",
      operationId: "listReceivedInvitations",
      tags: ["organisations"],
      summary: "List the open invitations to your wallets, newest first",
      description:
        "Anybody may invite anybody, once for each organisation. Use `organisation` to find the one that you expect.",
      ...accessRule(context, "self"),
      request: {
        query: pageQuery.extend({
          organisation: z.string().max(100).optional().openapi({ description: "the id of the organisation" }),
        }),
      },
      responses: {
        200: jsonResponse(
          "A page of invitations",
          pageSchema(receivedSchema).openapi("ReceivedInvitationPage"),
        ),
      },
    }),
    async (c) => {
      const { organisation, ...query } = c.req.valid("query");
      const { memberAccountId } = callerOf(c);
      const condition = and(
        isOpen,
        gt(organisationInvitation.expiresAt, sql`now()`),
        isToWalletOf(db, memberAccountId),
        organisation === undefined ? undefined : eq(organisationInvitation.accountId, organisation),
      );
      const ordering = newestFirst(organisationInvitation.createdAt, organisationInvitation.id);
      const page = await readPage(ordering, query, {
        select: ({ position, after, order, limit, offset }) =>
          db
            .select({ invited: organisationInvitation, name: account.displayName, position })
            .from(organisationInvitation)
            .innerJoin(account, eq(account.id, organisationInvitation.accountId))
            .where(and(condition, after))
            .orderBy(...order)
            .limit(limit)
            .offset(offset),
        count: () => countRows(db, organisationInvitation, condition),
        present: ({ invited, name }) => ({ ...presentInvitation(invited), organisation_name: name }),
      });
      return c.json(page, 200);
    },
  );

  for (const [action, operationId, summary, status] of [
    ["accept", "acceptInvitation", "Join the organisation", "accepted"],
    ["decline", "declineInvitation", "Decline to join the organisation", "declined"],
  ] as const) {
    app.openapi(
      createRoute({
        method: "post",
        path: `/invitations/{id}/${action}`,
        operationId,
        tags: ["organisations"],
        summary,
        ...accessRule(context, "self"),
        request: { params: invitationParams },
        responses: {
          200: jsonResponse("The invitation", invitationSchema),
          ...errorResponses("conflict", "invalid_state"),
        },
      }),
      async (c) => {
        const { memberAccountId } = callerOf(c);
        const { id } = c.req.valid("param");
        const row = await inTransaction(db, async (tx) => {
          const own = and(eq(organisationInvitation.id, id), isToWalletOf(tx, memberAccountId));
          const [result] = await tx.select().from(organisationInvitation).where(own);
          if (!result) throw unknownInvitation();
          // The organisation is locked first, as in the removal of a member.
          await lockOrganisation(tx, result.accountId);
          const invited = await lockInvitation(tx, id);
          if (!invited) throw unknownInvitation();
          const { accountId, role, invitedBy } = invited;
          if (status === "declined") return closeInvitation(tx, invited, status);
          if (!mayManage(await readRoleOf(tx, accountId, invitedBy), role)) {
            await closeInvitation(tx, invited, "revoked");
            return null;
          }
          const closed = await closeInvitation(tx, invited, status);
          await requireNew(tx, accountId, invited);
          await tx.insert(organisationMember).values({ accountId, memberAccountId, role, invitedBy });
          await recordAudit(tx, c, {
            action: "member.joined",
            target: memberAccountId,
            data: { role, address: getAddress(invited.address) },
            by: actorIn(c, accountId),
          });
          return closed;
        });
        if (!row) {
          throw new ApiError(
            "invalid_state",
            "This invitation is revoked, because its sender may not give this role. Request a new invitation from an owner or admin.",
          );
        }
        return c.json(presentInvitation(row), 200);
      },
    );
  }
}
