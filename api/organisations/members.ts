import { z } from "@hono/zod-openapi";
import { unionAll } from "drizzle-orm/pg-core";
import { getAddress } from "viem";
import type { Database } from "../../db/client.ts";
import { and, eq, sql } from "../../db/drizzle.ts";
import { account, organisationMember, wallet } from "../../db/schema.ts";
import { idField, shownAddress, timeField } from "../http/fields.ts";
import type { Ordering } from "../http/list-order.ts";
import { type PageQuery, readPage, totalOf } from "../http/listing.ts";
import { roleField } from "./membership.ts";

export const memberSchema = z
  .object({
    account_id: idField("acc"),
    display_name: z.string().nullable().openapi({ example: null }),
    primary_address: shownAddress,
    role: roleField,
    is_founder: z.boolean().openapi({
      description: "true for the person whose account the organisation is: an owner who cannot leave",
    }),
    invited_by: z.string().nullable().openapi({
      description: "the account of the person who invited the member; null for the founder",
      example: null,
    }),
    joined_at: timeField,
  })
  .openapi("Member");

/** Reads a page of an organisation's members, with the founder first. */
export function readMemberPage(db: Database, id: string, query: PageQuery) {
  const { joined, joinedFirst } = membershipsOf(db, id);
  return readPage(joinedFirst, query, {
    select: ({ position, after, order, limit, offset }) =>
      db
        .select({ joined: columnsOf(joined), row: account, address: wallet.address, position })
        .from(joined)
        .innerJoin(account, eq(account.id, joined.id))
        .innerJoin(wallet, and(eq(wallet.accountId, joined.id), eq(wallet.isPrimary, true)))
        .where(after)
        .orderBy(...order)
        .limit(limit)
        .offset(offset),
    // The founder is added to the count. The number of members is limited, so it needs no bound.
    count: async () =>
      totalOf(1 + (await db.$count(organisationMember, eq(organisationMember.accountId, id)))),
    present: (row) => presentMember(id, row),
  });
}

/** Reads one member, as the list shows it; undefined if there is none. */
export async function readMember(db: Database, id: string, accountId: string) {
  const { joined } = membershipsOf(db, id);
  const [result] = await db
    .select({ joined: columnsOf(joined), row: account, address: wallet.address })
    .from(joined)
    .innerJoin(account, eq(account.id, joined.id))
    .innerJoin(wallet, and(eq(wallet.accountId, joined.id), eq(wallet.isPrimary, true)))
    .where(eq(joined.id, accountId));
  return result && presentMember(id, result);
}

type Membership = {
  id: string;
  role: "owner" | "admin" | "developer" | "viewer";
  invitedBy: string | null;
  joinedAt: Date;
};

/** Selects the founder, whose account is the oldest, and the members. */
function membershipsOf(db: Database, id: string) {
  const founder = db
    .select({
      id: account.id,
      role: sql<Membership["role"]>`'owner'::text`.as("member_role"),
      invitedBy: sql<string | null>`null::text`.as("member_invited_by"),
      joinedAt: account.createdAt,
    })
    .from(account)
    .where(eq(account.id, id));
  const members = db
    .select({
      id: organisationMember.memberAccountId,
      role: sql<Membership["role"]>`${organisationMember.role}`.as("member_role"),
      invitedBy: sql<string | null>`${organisationMember.invitedBy}`.as("member_invited_by"),
      joinedAt: organisationMember.createdAt,
    })
    .from(organisationMember)
    .where(eq(organisationMember.accountId, id));
  const joined = unionAll(founder, members).as("joined");
  const joinedFirst: Ordering = {
    name: "joined",
    direction: "asc",
    keys: [
      { by: joined.joinedAt, type: "time" },
      { by: joined.id, type: "id" },
    ],
  };
  return { joined, joinedFirst };
}

function columnsOf({ id, role, invitedBy, joinedAt }: ReturnType<typeof membershipsOf>["joined"]) {
  return { id, role, invitedBy, joinedAt };
}

function presentMember(
  organisation: string,
  result: { joined: Membership; row: typeof account.$inferSelect; address: `0x${string}` },
) {
  const { joined, row, address } = result;
  return {
    account_id: joined.id,
    display_name: row.displayName,
    primary_address: getAddress(address),
    role: joined.role,
    is_founder: joined.id === organisation,
    invited_by: joined.invitedBy,
    joined_at: joined.joinedAt.toISOString(),
  };
}
