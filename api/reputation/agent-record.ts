import { createRoute } from "@hono/zod-openapi";
import { getAddress } from "viem";
import { and, desc, eq, isNotNull, ne, sql } from "../../db/drizzle.ts";
import { agent, agentRecord, agentWallet, counterparty, orderOutcome, service } from "../../db/schema.ts";
import { type AgentRecord, foldOutcomes, mostOfWallet } from "../../protocol/reputation/agent-record.ts";
import type { Counterparty } from "../../protocol/reputation/public-outcome.ts";
import { formula, type Score } from "../../protocol/reputation/score.ts";
import { presentOutcome, selectOutcomes } from "../../trade/reputation/outcomes.ts";
import { readAgentId } from "../../trade/reviews/review-queries.ts";
import { agentShownTo, shownService } from "../../trade/visibility.ts";
import { agentParams } from "../agents/agent.ts";
import type { Context } from "../context.ts";
import { newestFirst, type Ordering } from "../http/list-order.ts";
import { countRows, pageQuery, readPage } from "../http/listing.ts";
import { jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { counterpartyPage, outcomePage, recordAnswer } from "./record-schemas.ts";

/** The most services in a record. */
const mostListed = 100;
/** The headers that let caches keep an answer for some seconds. */
const briefly = { "Cache-Control": "public, max-age=5" };

const byNumber: Ordering = {
  name: "counterparties",
  direction: "asc",
  keys: [{ by: counterparty.number, type: "number" }],
};

/** Adds the public routes of an agent's record, its outcomes and its counterparties. */
export function addRecord(app: App, { db }: Context): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/agents/{slug}/record",
      operationId: "readRecord",
      tags: ["reputation"],
      summary: "Read an agent's record of work and its score",
      description:
        "Open to everybody. The record is computed from the outcomes of the agent's orders by a published rule, within seconds of a change, or later for an agent with very many orders. `docs/reputation.md` explains how to recompute it.",
      request: { params: agentParams },
      responses: { 200: jsonResponse("The record", recordAnswer) },
    }),
    async (c) => {
      const id = await readAgentId(db, c.req.valid("param").slug);
      const [named, [own], services] = await Promise.all([
        db.select().from(agent).where(eq(agent.id, id)),
        db.select().from(agentRecord).where(eq(agentRecord.id, id)),
        db
          .select({ slug: shownService.slug, row: agentRecord })
          .from(agentRecord)
          .innerJoin(service, eq(service.id, agentRecord.serviceId))
          .where(and(eq(agentRecord.agentId, id), isNotNull(agentRecord.serviceId)))
          .orderBy(desc(agentRecord.orders), agentRecord.id)
          .limit(mostListed),
      ]);
      const [shown] = named;
      if (!shown) throw new Error(`The agent ${id} does not exist.`);
      const { slug, name } = shown;
      const asOf = own?.asOf ?? new Date();
      return c.json(
        {
          agent: { id, slug, name },
          as_of: asOf.toISOString(),
          ...presentRecord(own, asOf),
          services: services.map(({ slug, row }) => ({ slug, ...presentRecord(row, asOf) })),
          same_wallet: await readSameWallet(shown),
        },
        200,
        briefly,
      );
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/agents/{slug}/record/outcomes",
      operationId: "listOutcomes",
      tags: ["reputation"],
      summary: "List an agent's settled orders, newest settlement first",
      description:
        "Open to everybody. Each outcome has its receipts and the escrow, by which the chain shows the same. `docs/reputation.md` lists what outcomes add to the chain's data.",
      request: { params: agentParams, query: pageQuery },
      responses: { 200: jsonResponse("A page of outcomes", outcomePage) },
    }),
    async (c) => {
      const condition = eq(orderOutcome.agentId, await readAgentId(db, c.req.valid("param").slug));
      const page = await readPage(
        newestFirst(orderOutcome.settledAt, orderOutcome.orderId),
        c.req.valid("query"),
        {
          select: ({ position, after, order, limit, offset }) =>
            selectOutcomes(db, position)
              .where(and(condition, after))
              .orderBy(...order)
              .limit(limit)
              .offset(offset),
          count: () => countRows(db, orderOutcome, condition),
          present: presentOutcome,
        },
      );
      return c.json(page, 200, briefly);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/agents/{slug}/record/counterparties",
      operationId: "listCounterparties",
      tags: ["reputation"],
      summary: "List the buyers behind an agent's score",
      description:
        "Open to everybody. The buyers that count towards the score, as of the last computation. Each has a name that is valid for this agent alone, its wallets, and what is known of them.",
      request: { params: agentParams, query: pageQuery },
      responses: { 200: jsonResponse("A page of counterparties", counterpartyPage) },
    }),
    async (c) => {
      const agentId = await readAgentId(db, c.req.valid("param").slug);
      const condition = and(eq(counterparty.agentId, agentId), isNotNull(counterparty.weight));
      const page = await readPage(byNumber, c.req.valid("query"), {
        select: ({ position, after, order, limit, offset }) =>
          db
            .select({ row: counterparty, position })
            .from(counterparty)
            .where(and(condition, after))
            .orderBy(...order)
            .limit(limit)
            .offset(offset),
        count: () => countRows(db, counterparty, condition),
        present: ({ row }) => presentCounterparty(row),
      });
      return c.json(page, 200, briefly);
    },
  );

  /**
   * Reads the agents that the chain cannot distinguish from this one. They have paid outcomes at its wallets, or share its
   * account and payout wallet. Drafts are left out.
   */
  async function readSameWallet({ id, accountId, payoutWallet }: typeof agent.$inferSelect) {
    const rows = await db
      .select({ slug: agent.slug })
      .from(agent)
      .where(
        and(
          sql`${agent.id} in (
            select other.agent_id from ${agentWallet} as other where other.address = ${payoutWallet}
              or other.address in (select own.address from ${agentWallet} as own where own.agent_id = ${id})
            union all
            select same.id from ${agent} as same
            where same.account_id = ${accountId} and same.payout_wallet = ${payoutWallet})`,
          ne(agent.id, id),
          agentShownTo(undefined),
        ),
      )
      .orderBy(agent.createdAt, agent.id)
      .limit(mostOfWallet);
    return rows.map(({ slug }) => slug);
  }
}

type RecordRow = typeof agentRecord.$inferSelect;

/** Presents a record with its score; an empty record if none is computed yet. */
function presentRecord(row: RecordRow | undefined, asOf: Date): AgentRecord & { score: Score } {
  const score: Score = {
    formula,
    value: row?.score ?? 0,
    upper: row?.upper ?? 1000,
    share: row?.share ?? null,
    evidence: row?.evidence ?? 0,
  };
  return { score, ...((row?.record as AgentRecord | undefined) ?? foldOutcomes([], asOf)) };
}

function presentCounterparty(row: typeof counterparty.$inferSelect): Counterparty {
  const { orders, paid, wallets, firstFundedAt, lastSettledAt, otherProviders, weight } = row;
  if (orders === null || paid === null || !wallets || !firstFundedAt || !lastSettledAt || weight === null) {
    throw new Error(`The counterparty ${row.number} of ${row.agentId} has no weight.`);
  }
  return {
    counterparty: `c${row.number}`,
    wallets: wallets.map((wallet) => getAddress(wallet)),
    orders,
    paid,
    wallet_since: row.walletSince?.toISOString() ?? null,
    other_providers: otherProviders ?? 0,
    first_funded_at: firstFundedAt.toISOString(),
    last_settled_at: lastSettledAt.toISOString(),
    weight,
  };
}
