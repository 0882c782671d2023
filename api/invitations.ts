import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, gt, inArray, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import { getAddress } from "viem";
import type { Transaction } from "../db/client.ts";
import { account, organisationInvitation, organisationMember, wallet } from "../db/schema.ts";
import { callerOf } from "./access.ts";
import { recordAudit } from "./audit.ts";
import type { App, Context } from "./context.ts";
import { ApiError } from "./errors.ts";
import { addressField, shownAddress, timeField } from "./fields.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";
import {
  actorIn,
  lockOrganisation,
  organisationParams,
  readRoleOf,
  requireManager,
  roleField,
} from "./organisation.ts";
import { pageQuery, pageSchema, readNewest } from "./page.ts";

/** How long an invitation stands, in days. */
const standsFor = 14;

type InvitationRow = typeof organisationInvitation.$inferSelect;

const invitationSchema = z
  .object({
    id: z.string().openapi({ example: "inv_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
    organisation_id: z.string().openapi({ example: "acc_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
    address: shownAddress,
    role: roleField,
    status: z.enum(["open", "expired", "accepted", "declined", "revoked"]),
    invited_by: z.string().openapi({
      description: "the account of the person who invited",
      example: "acc_01jd3w8x2mfhz8w9q4t6n5k7ra",
    }),
    expires_at: timeField,
    created_at: timeField,
  })
  .openapi("Invitation");

const receivedSchema = invitationSchema
  .extend({ organisation_name: z.string().nullable().openapi({ example: "Lingua" }) })
  .openapi("ReceivedInvitation");

function present(row: InvitationRow) {
  const isOver = row.status === "open" && row.expiresAt <= new Date();
  return {
    id: row.id,
    organisation_id: row.accountId,
    address: getAddress(row.address),
    role: row.role,
    status: isOver ? ("expired" as const) : row.status,
    invited_by: row.invitedBy,
    expires_at: row.expiresAt.toISOString(),
    created_at: row.createdAt.toISOString(),
  };
}

const invitationParams = z.object({ id: z.string().openapi({ example: "inv_01jd3w8x2mfhz8w9q4t6n5k7ra" }) });

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
      description: `Nothing is sent: whoever signs in with the wallet finds it at \`GET /invitations\`. It stands for ${standsFor} days.`,
      ...guarded(context, "self"),
      request: {
        params: organisationParams,
        body: jsonBody(
          z.strictObject({ address: addressField, role: roleField }).openapi("InvitationRequest"),
        ),
      },
      responses: { 201: answer("The invitation", invitationSchema), ...refusals("conflict") },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const { address, role } = c.req.valid("json");
      const row = await db.transaction(async (tx) => {
        await lockOrganisation(tx, id);
        await requireManager(tx, callerOf(c), id, [role]);
        await requireNew(tx, id, address);
        const [invited] = await tx
          .insert(organisationInvitation)
          .values({
            id: typeid("inv").toString(),
            accountId: id,
            address,
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
      return c.json(present(row), 201);
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
      return c.json(await readNewest(db, organisationInvitation, own, c.req.valid("query"), present), 200);
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
      request: { params: organisationParams.extend({ invitation: z.string() }) },
      responses: { 200: answer("The invitation", invitationSchema), ...refusals("invalid_state") },
    }),
    async (c) => {
      const { id, invitation } = c.req.valid("param");
      const row = await db.transaction(async (tx) => {
        await requireManager(tx, callerOf(c), id);
        const invited = await lockInvitation(tx, invitation);
        if (invited?.accountId !== id) throw unknown();
        await requireManager(tx, callerOf(c), id, [invited.role]);
        return close(tx, invited, "revoked");
      });
      return c.json(present(row), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/invitations",
      operationId: "listReceivedInvitations",
      tags: ["organisations"],
      summary: "List the open invitations to your wallets",
      ...guarded(context, "self"),
      responses: {
        200: answer(
          "The invitations",
          z.object({ items: z.array(receivedSchema) }).openapi("ReceivedInvitations"),
        ),
      },
    }),
    async (c) => {
      const rows = await db
        .select({ invited: organisationInvitation, name: account.displayName })
        .from(organisationInvitation)
        .innerJoin(account, eq(account.id, organisationInvitation.accountId))
        .where(
          and(
            eq(organisationInvitation.status, "open"),
            gt(organisationInvitation.expiresAt, sql`now()`),
            inArray(
              organisationInvitation.address,
              db
                .select({ address: wallet.address })
                .from(wallet)
                .where(eq(wallet.accountId, callerOf(c).memberAccountId)),
            ),
          ),
        )
        .orderBy(organisationInvitation.createdAt)
        .limit(100);
      const items = rows.map(({ invited, name }) => ({ ...present(invited), organisation_name: name }));
      return c.json({ items }, 200);
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
        ...guarded(context, "self"),
        request: { params: invitationParams },
        responses: {
          200: answer("The invitation", invitationSchema),
          ...refusals("conflict", "invalid_state"),
        },
      }),
      async (c) => {
        const { memberAccountId } = callerOf(c);
        const row = await db.transaction(async (tx) => {
          const invited = await lockInvitation(tx, c.req.valid("param").id);
          const [own] = invited
            ? await tx
                .select({ id: wallet.id })
                .from(wallet)
                .where(and(eq(wallet.accountId, memberAccountId), eq(wallet.address, invited.address)))
            : [];
          if (!invited || !own) throw unknown();
          const closed = await close(tx, invited, status);
          if (status === "accepted") {
            await lockOrganisation(tx, invited.accountId);
            await requireNew(tx, invited.accountId, invited.address);
            const { accountId, role } = invited;
            await tx.insert(organisationMember).values({ accountId, memberAccountId, role });
            await recordAudit(tx, c, {
              action: "member.joined",
              target: memberAccountId,
              data: { role, address: getAddress(invited.address) },
              by: actorIn(c, accountId),
            });
          }
          return closed;
        });
        return c.json(present(row), 200);
      },
    );
  }
}

/** @throws ApiError `conflict` when the wallet's account is in the organisation already */
async function requireNew(tx: Transaction, organisation: string, address: `0x${string}`): Promise<void> {
  const [owner] = await tx
    .select({ accountId: wallet.accountId })
    .from(wallet)
    .where(eq(wallet.address, address));
  if (!owner || (await readRoleOf(tx, organisation, owner.accountId)) === null) return;
  throw new ApiError("conflict", "The owner of this wallet is a member of the organisation already.");
}

async function lockInvitation(tx: Transaction, id: string): Promise<InvitationRow | undefined> {
  const [row] = await tx
    .select()
    .from(organisationInvitation)
    .where(eq(organisationInvitation.id, id))
    .for("update");
  return row;
}

/** @throws ApiError `invalid_state` for one that was answered, revoked, or has expired */
async function close(
  tx: Transaction,
  invited: InvitationRow,
  status: "accepted" | "declined" | "revoked",
): Promise<InvitationRow> {
  const now = present(invited).status;
  if (now !== "open") throw new ApiError("invalid_state", `This invitation is ${now}.`);
  const [row] = await tx
    .update(organisationInvitation)
    .set({ status, answeredAt: new Date() })
    .where(eq(organisationInvitation.id, invited.id))
    .returning();
  if (!row) throw new Error("The database returned no invitation.");
  return row;
}

function unknown(): ApiError {
  return new ApiError("not_found", "There is no such invitation.");
}
