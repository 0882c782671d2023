import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, inArray } from "drizzle-orm";
import { getAddress } from "viem";
import { account, organisationInvitation, organisationMember, wallet } from "../db/schema.ts";
import { callerOf, type Role } from "./access.ts";
import { recordAudit } from "./audit.ts";
import type { App, Context } from "./context.ts";
import { ApiError } from "./errors.ts";
import { shownAddress, textField, timeField } from "./fields.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";
import {
  actorIn,
  lockOrganisation,
  organisationParams,
  readRole,
  readRoleOf,
  requireManager,
  roleField,
} from "./organisation.ts";

const organisationSchema = z
  .object({
    id: z.string().openapi({ example: "acc_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
    name: z.string().nullable().openapi({ example: "Lingua" }),
    role: roleField,
    is_own: z.boolean().openapi({ description: "whether it is the account that this session signed in to" }),
    created_at: timeField,
  })
  .openapi("Organisation");

const memberSchema = z
  .object({
    account_id: z.string().openapi({ example: "acc_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
    display_name: z.string().nullable().openapi({ example: null }),
    primary_address: shownAddress,
    role: roleField,
    is_founder: z
      .boolean()
      .openapi({ description: "the person whose account it is; an owner who cannot leave" }),
    joined_at: timeField,
  })
  .openapi("Member");

const memberParams = organisationParams.extend({ account_id: z.string() });

/** Organisations: every account is one, and its person may let others act for it. */
export function addOrganisations(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/organisations",
      operationId: "listOrganisations",
      tags: ["organisations"],
      summary: "List the organisations that you may act for",
      description: "Your own account first. To act for another one, send its id as `X-Organisation`.",
      ...guarded(context, "self"),
      responses: {
        200: answer(
          "Your organisations",
          z.object({ items: z.array(organisationSchema) }).openapi("Organisations"),
        ),
      },
    }),
    async (c) => {
      const { memberAccountId } = callerOf(c);
      const [own] = await db.select().from(account).where(eq(account.id, memberAccountId));
      const others = await db
        .select({ row: account, role: organisationMember.role })
        .from(organisationMember)
        .innerJoin(account, eq(account.id, organisationMember.accountId))
        .where(eq(organisationMember.memberAccountId, memberAccountId))
        .orderBy(organisationMember.createdAt, account.id);
      const items = [
        ...(own ? [present(own, "owner", memberAccountId)] : []),
        ...others.map(({ row, role }) => present(row, role, memberAccountId)),
      ];
      return c.json({ items }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "patch",
      path: "/organisations/{id}",
      operationId: "renameOrganisation",
      tags: ["organisations"],
      summary: "Name an organisation",
      ...guarded(context, "self"),
      request: {
        params: organisationParams,
        body: jsonBody(
          z
            .strictObject({ name: textField(100).nullable().openapi({ example: "Lingua" }) })
            .openapi("OrganisationChange"),
        ),
      },
      responses: { 200: answer("The organisation", organisationSchema) },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const caller = callerOf(c);
      const role = await requireManager(db, caller, id);
      const [row] = await db
        .update(account)
        .set({ displayName: c.req.valid("json").name })
        .where(eq(account.id, id))
        .returning();
      if (!row) throw new ApiError("not_found", "You belong to no organisation with this id.");
      return c.json(present(row, role, caller.memberAccountId), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/organisations/{id}/members",
      operationId: "listMembers",
      tags: ["organisations"],
      summary: "List an organisation's members",
      description: "To every member. Its founder first.",
      ...guarded(context, "self"),
      request: { params: organisationParams },
      responses: {
        200: answer("The members", z.object({ items: z.array(memberSchema) }).openapi("Members")),
      },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      await readRole(db, callerOf(c), id);
      return c.json({ items: [...(await readFounder(id)), ...(await readMembers(id))] }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "put",
      path: "/organisations/{id}/members/{account_id}",
      operationId: "setMemberRole",
      tags: ["organisations"],
      summary: "Give a member another role",
      description: "It holds from the member's next request. Only owners make owners, or make them less.",
      ...guarded(context, "self"),
      request: {
        params: memberParams,
        body: jsonBody(z.strictObject({ role: roleField }).openapi("RoleRequest")),
      },
      responses: { 200: answer("The member", memberSchema), ...refusals("conflict") },
    }),
    async (c) => {
      const { id, account_id } = c.req.valid("param");
      const { role } = c.req.valid("json");
      await db.transaction(async (tx) => {
        await lockOrganisation(tx, id);
        const before = await readRoleOf(tx, id, account_id);
        await requireManager(tx, callerOf(c), id, [role, before]);
        requireMember(id, account_id, before);
        if (before === role) return;
        await tx.update(organisationMember).set({ role }).where(isMember(id, account_id));
        await recordAudit(tx, c, {
          action: "member.role_changed",
          target: account_id,
          data: { from: before, to: role },
          by: actorIn(c, id),
        });
      });
      const [member] = await readMembers(id, account_id);
      if (!member) throw new ApiError("not_found", "The organisation has no such member.");
      return c.json(member, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "delete",
      path: "/organisations/{id}/members/{account_id}",
      operationId: "removeMember",
      tags: ["organisations"],
      summary: "Remove a member, or leave",
      description:
        "What they may do ends at once. API keys that they made for the organisation stay; `created_by` names their maker.",
      ...guarded(context, "self"),
      request: { params: memberParams },
      responses: {
        200: answer(
          "The account that is no member any more",
          z
            .object({ account_id: z.string().openapi({ example: "acc_01jd3w8x2mfhz8w9q4t6n5k7ra" }) })
            .openapi("RemovedMember"),
        ),
        ...refusals("conflict"),
      },
    }),
    async (c) => {
      const { id, account_id } = c.req.valid("param");
      const caller = callerOf(c);
      await db.transaction(async (tx) => {
        await lockOrganisation(tx, id);
        const role = await readRoleOf(tx, id, account_id);
        if (account_id === caller.memberAccountId) await readRole(tx, caller, id);
        else await requireManager(tx, caller, id, [role]);
        requireMember(id, account_id, role);
        await tx.delete(organisationMember).where(isMember(id, account_id));
        // Else another invitation, to this or another wallet of theirs, would let them back in.
        await tx
          .update(organisationInvitation)
          .set({ status: "revoked", answeredAt: new Date() })
          .where(
            and(
              eq(organisationInvitation.accountId, id),
              eq(organisationInvitation.status, "open"),
              inArray(
                organisationInvitation.address,
                tx.select({ address: wallet.address }).from(wallet).where(eq(wallet.accountId, account_id)),
              ),
            ),
          );
        await recordAudit(tx, c, {
          action: "member.removed",
          target: account_id,
          data: { role },
          by: actorIn(c, id),
        });
      });
      return c.json({ account_id }, 200);
    },
  );

  async function readFounder(id: string) {
    const rows = await db
      .select({ row: account, address: wallet.address })
      .from(account)
      .innerJoin(wallet, and(eq(wallet.accountId, account.id), eq(wallet.isPrimary, true)))
      .where(eq(account.id, id));
    return rows.map(({ row, address }) => ({
      account_id: row.id,
      display_name: row.displayName,
      primary_address: getAddress(address),
      role: "owner" as const,
      is_founder: true,
      joined_at: row.createdAt.toISOString(),
    }));
  }

  async function readMembers(id: string, memberAccountId?: string) {
    const rows = await db
      .select({ row: account, member: organisationMember, address: wallet.address })
      .from(organisationMember)
      .innerJoin(account, eq(account.id, organisationMember.memberAccountId))
      .innerJoin(wallet, and(eq(wallet.accountId, account.id), eq(wallet.isPrimary, true)))
      .where(memberAccountId ? isMember(id, memberAccountId) : eq(organisationMember.accountId, id))
      .orderBy(organisationMember.createdAt, account.id);
    return rows.map(({ row, member, address }) => ({
      account_id: row.id,
      display_name: row.displayName,
      primary_address: getAddress(address),
      role: member.role,
      is_founder: false,
      joined_at: member.createdAt.toISOString(),
    }));
  }
}

function present(row: typeof account.$inferSelect, role: Role, own: string) {
  return {
    id: row.id,
    name: row.displayName,
    role,
    is_own: row.id === own,
    created_at: row.createdAt.toISOString(),
  };
}

function isMember(organisation: string, memberAccountId: string) {
  return and(
    eq(organisationMember.accountId, organisation),
    eq(organisationMember.memberAccountId, memberAccountId),
  );
}

/** @throws ApiError `conflict` for the founder, whose account it is, so that an organisation never lacks an owner */
function requireMember(organisation: string, memberAccountId: string, role: Role | null): void {
  if (organisation === memberAccountId) {
    throw new ApiError("conflict", "This is the person whose account it is: an owner who cannot leave.");
  }
  if (role === null) throw new ApiError("not_found", "The organisation has no such member.");
}
