import { createRoute, z } from "@hono/zod-openapi";
import { and, eq } from "../../db/drizzle.ts";
import { account, organisationMember } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import type { MemberRole } from "../http/caller.ts";
import { idField, textField, timeField } from "../http/fields.ts";
import { pageQuery, pageSchema } from "../http/listing.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { endedPowersFields, endPowers, revokeKeysField } from "./ended-powers.ts";
import { memberSchema, readMember, readMemberPage } from "./members.ts";
import {
  actorIn,
  lockOrganisation,
  organisationParams,
  readRole,
  readRoleOf,
  requireManager,
  roleField,
} from "./membership.ts";

const organisationSchema = z
  .object({
    id: idField("acc"),
    name: z.string().nullable().openapi({ example: "Lingua" }),
    role: roleField,
    is_own: z.boolean().openapi({ description: "whether this is the account that the session signed in to" }),
    created_at: timeField,
  })
  .openapi("Organisation");

const memberParams = organisationParams.extend({ account_id: idField("acc") });

/** Adds the routes of organisations. Every account is one, and its person may let others act for it. */
export function addOrganisationRoutes(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/organisations",
      operationId: "listOrganisations",
      tags: ["organisations"],
      summary: "List the organisations that you may act for",
      description:
        "Your own account first. To act for another organisation, send its id as `X-Organisation`.",
      ...accessRule(context, "self"),
      responses: {
        200: jsonResponse(
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
      summary: "Rename an organisation",
      ...accessRule(context, "self"),
      request: {
        params: organisationParams,
        body: jsonBody(
          z
            .strictObject({ name: textField(longest.name).nullable().openapi({ example: "Lingua" }) })
            .openapi("OrganisationChange"),
        ),
      },
      responses: { 200: jsonResponse("The organisation", organisationSchema) },
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
      description: "For every member. The founder first.",
      ...accessRule(context, "self"),
      request: { params: organisationParams, query: pageQuery },
      responses: { 200: jsonResponse("A page of members", pageSchema(memberSchema).openapi("MemberPage")) },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      await readRole(db, callerOf(c), id);
      return c.json(await readMemberPage(db, id, c.req.valid("query")), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "put",
      path: "/organisations/{id}/members/{account_id}",
      operationId: "setMemberRole",
      tags: ["organisations"],
      summary: "Change the role of a member",
      description:
        "The new role applies from the member's next request. Only owners can give or take the role of an owner. What the new role may not set ends: the member's open invitations to roles that the member may no longer give; for a developer or viewer, also the API keys and the mail address; for a viewer, also the webhook endpoints. The answer lists them.",
      ...accessRule(context, "self"),
      request: {
        params: memberParams,
        body: jsonBody(
          z.strictObject({ role: roleField, revoke_keys: revokeKeysField }).openapi("RoleRequest"),
        ),
      },
      responses: {
        200: jsonResponse("The member", memberSchema.extend(endedPowersFields).openapi("ChangedMember")),
        ...errorResponses("conflict"),
      },
    }),
    async (c) => {
      const { id, account_id } = c.req.valid("param");
      const { role, revoke_keys: revokesKeys } = c.req.valid("json");
      const powers = await inTransaction(db, async (tx) => {
        await lockOrganisation(tx, id);
        const before = await readRoleOf(tx, id, account_id);
        await requireManager(tx, callerOf(c), id, [role, before]);
        requireMember(id, account_id, before);
        const change = { organisation: id, person: account_id, role, revokesKeys };
        const { shown, audited } = await endPowers(tx, c, change);
        if (before !== role) {
          await tx.update(organisationMember).set({ role }).where(isMember(id, account_id));
          await recordAudit(tx, c, {
            action: "member.role_changed",
            target: account_id,
            data: { from: before, to: role, ...audited },
            by: actorIn(c, id),
          });
        }
        return shown;
      });
      const member = await readMember(db, id, account_id);
      if (!member) throw new ApiError("not_found", "The organisation has no member with this account.");
      return c.json({ ...member, ...powers }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "delete",
      path: "/organisations/{id}/members/{account_id}",
      operationId: "removeMember",
      tags: ["organisations"],
      summary: "Remove a member, or leave an organisation",
      description:
        "The member's rights end at once, and so do things that the member set for the organisation: open invitations, API keys, the mail address and webhook endpoints. The answer lists them, and the members whom the member invited. With `revoke_keys=false` the keys stay valid; members cannot choose this for themselves.",
      ...accessRule(context, "self"),
      request: {
        params: memberParams,
        query: z.object({
          revoke_keys: z.enum(["true", "false"]).default("true").openapi({
            type: "boolean",
            default: true,
            description: "whether to revoke the keys that the member created for the organisation",
          }),
        }),
      },
      responses: {
        200: jsonResponse(
          "The removed account, and what ended with its role",
          z
            .object({
              account_id: idField("acc"),
              ...endedPowersFields,
            })
            .openapi("RemovedMember"),
        ),
        ...errorResponses("conflict"),
      },
    }),
    async (c) => {
      const { id, account_id } = c.req.valid("param");
      const revokesKeys = c.req.valid("query").revoke_keys === "true";
      const caller = callerOf(c);
      const powers = await inTransaction(db, async (tx) => {
        await lockOrganisation(tx, id);
        const role = await readRoleOf(tx, id, account_id);
        if (account_id === caller.memberAccountId) await readRole(tx, caller, id);
        else await requireManager(tx, caller, id, [role]);
        requireMember(id, account_id, role);
        const change = { organisation: id, person: account_id, role: null, revokesKeys };
        const { shown, audited } = await endPowers(tx, c, change);
        await tx.delete(organisationMember).where(isMember(id, account_id));
        await recordAudit(tx, c, {
          action: "member.removed",
          target: account_id,
          data: { role, ...audited },
          by: actorIn(c, id),
        });
        return shown;
      });
      return c.json({ account_id, ...powers }, 200);
    },
  );
}

function present(row: typeof account.$inferSelect, role: MemberRole, own: string) {
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

/** @throws ApiError `conflict` for the founder, so that an organisation never lacks an owner */
function requireMember(organisation: string, memberAccountId: string, role: MemberRole | null): void {
  if (organisation === memberAccountId) {
    throw new ApiError("conflict", "This person is the founder: an owner who cannot leave or lose the role.");
  }
  if (role === null) throw new ApiError("not_found", "The organisation has no member with this account.");
}
