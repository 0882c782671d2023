import { createRoute, z } from "@hono/zod-openapi";
import { and, desc, eq, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Transaction } from "../db/client.ts";
import { agent, wallet } from "../db/schema.ts";
import { policyOf } from "../outbound/guard.ts";
import { type Caller, callerOf } from "./access.ts";
import {
  agentChange,
  agentColumns,
  agentParams,
  agentRequest,
  agentSchema,
  agentSelection,
  lockOwnAgent,
  presentAgent,
  readAgent,
  readVisibleAgent,
} from "./agent.ts";
import { recordAudit } from "./audit.ts";
import type { App, Context } from "./context.ts";
import { requireProbeable } from "./endpoint-health.ts";
import { ApiError } from "./errors.ts";
import { addressField } from "./fields.ts";
import { answer, guarded, jsonBody, openToAll, refusals } from "./openapi.ts";

/** Slugs that are paths of ours below `/agents`, or that people would take for one. */
const reservedSlugs = new Set(["mine", "me", "new"]);

type AgentStatus = (typeof agent.$inferSelect)["status"];

const payoutWalletRequest = z
  .union([z.strictObject({ address: addressField }), z.strictObject({ wallet_id: z.string() })], {
    error: "must hold either an address or a wallet_id",
  })
  .openapi("PayoutWalletRequest");

/** Agents: made, changed, published and retired by their owner; read by everybody. */
export function addAgents(app: App, context: Context): void {
  const { db, config } = context;
  const policy = policyOf(config.publicUrl);

  app.openapi(
    createRoute({
      method: "post",
      path: "/agents",
      operationId: "createAgent",
      tags: ["agents"],
      summary: "Create an agent",
      description: "It starts as a draft, which only you see.",
      ...guarded(context, "agents:write"),
      request: { body: jsonBody(agentRequest) },
      responses: { 201: answer("The agent", agentSchema), ...refusals("conflict") },
    }),
    async (c) => {
      const { slug, ...request } = c.req.valid("json");
      if (reservedSlugs.has(slug)) throw slugTaken(slug);
      const { capabilities = noCapabilities, ...columns } = agentColumns(request);
      requireProbeable(columns, policy);
      const [row] = await db
        .insert(agent)
        .values({
          ...columns,
          id: typeid("agt").toString(),
          accountId: callerOf(c).accountId,
          slug,
          name: request.name,
          capabilities,
        })
        .onConflictDoNothing({ target: agent.slug })
        .returning({ id: agent.id });
      if (!row) throw slugTaken(slug);
      return c.json(presentAgent(await readAgent(db, row.id)), 201);
    },
  );

  // Before `/agents/{slug}`, which would take it for a slug.
  app.openapi(
    createRoute({
      method: "get",
      path: "/agents/mine",
      operationId: "listOwnAgents",
      tags: ["agents"],
      summary: "List your agents",
      description: "All of them, drafts and retired ones included, newest first.",
      ...guarded(context, "agents:read"),
      responses: { 200: answer("Your agents", z.array(agentSchema)) },
    }),
    async (c) => {
      const rows = await db
        .select(agentSelection)
        .from(agent)
        .where(eq(agent.accountId, callerOf(c).accountId))
        .orderBy(desc(agent.createdAt), desc(agent.id));
      return c.json(rows.map(presentAgent), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/agents/{slug}",
      operationId: "readAgent",
      tags: ["agents"],
      summary: "Read an agent",
      description: "Open to all; a draft only to its owner.",
      ...openToAll(context, "agents:read"),
      request: { params: agentParams },
      responses: { 200: answer("The agent", agentSchema) },
    }),
    async (c) => {
      const row = await readVisibleAgent(db, c.req.valid("param").slug, c.get("caller"));
      return c.json(presentAgent(row), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "patch",
      path: "/agents/{slug}",
      operationId: "updateAgent",
      tags: ["agents"],
      summary: "Change an agent",
      description: "What the body does not name stays; null clears.",
      ...guarded(context, "agents:write"),
      request: { params: agentParams, body: jsonBody(agentChange) },
      responses: { 200: answer("The agent as it is now", agentSchema) },
    }),
    async (c) => {
      const columns = agentColumns(c.req.valid("json"));
      requireProbeable(columns, policy);
      const changed = await changeAgent(callerOf(c), c.req.valid("param").slug, async () => columns);
      return c.json(changed, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "put",
      path: "/agents/{slug}/payout-wallet",
      operationId: "setPayoutWallet",
      tags: ["agents"],
      summary: "Say where an agent is paid",
      description:
        "One of your verified wallets: the one you signed in with is. Orders placed before keep the wallet they were placed with.",
      ...guarded(context, "agents:write"),
      request: { params: agentParams, body: jsonBody(payoutWalletRequest) },
      responses: { 200: answer("The agent as it is now", agentSchema) },
    }),
    async (c) => {
      const request = c.req.valid("json");
      const caller = callerOf(c);
      const changed = await changeAgent(caller, c.req.valid("param").slug, async (row, tx) => {
        const [found] = await tx
          .select({ payoutWallet: wallet.address })
          .from(wallet)
          .where(
            and(
              eq(wallet.accountId, caller.accountId),
              "address" in request ? eq(wallet.address, request.address) : eq(wallet.id, request.wallet_id),
            ),
          );
        if (found) {
          const data = { from: row.payoutWallet, to: found.payoutWallet };
          await recordAudit(tx, c, { action: "agent.payout_wallet_changed", target: row.id, data });
          return found;
        }
        const message = "is no verified wallet of your account";
        throw new ApiError("invalid_request", `This ${message}; GET /auth/me/wallets lists those.`, [
          { path: "address" in request ? "/address" : "/wallet_id", keyword: "wallet", message },
        ]);
      });
      return c.json(changed, 200);
    },
  );

  const moves = [
    {
      action: "publish",
      operationId: "publishAgent",
      summary: "Publish an agent",
      description: "It needs a payout wallet first.",
      to: "published",
      from: ["draft", "paused"],
    },
    {
      action: "pause",
      operationId: "pauseAgent",
      summary: "Take an agent off the market for a while",
      description: "Orders that stand go on.",
      to: "paused",
      from: ["published"],
    },
    {
      action: "retire",
      operationId: "retireAgent",
      summary: "Take an agent off the market for good",
      description: "Orders that stand go on; there is no way back.",
      to: "retired",
      from: ["draft", "published", "paused"],
    },
  ] as const satisfies { to: AgentStatus; from: AgentStatus[]; [field: string]: unknown }[];

  for (const { action, to, from, ...about } of moves) {
    app.openapi(
      createRoute({
        method: "post",
        path: `/agents/{slug}/${action}`,
        tags: ["agents"],
        ...about,
        ...guarded(context, "agents:write"),
        request: { params: agentParams },
        responses: {
          200: answer("The agent as it is now", agentSchema),
          ...refusals("invalid_state", ...(to === "published" ? (["payout_wallet_required"] as const) : [])),
        },
      }),
      async (c) => {
        const changed = await changeAgent(callerOf(c), c.req.valid("param").slug, async (row) => {
          // Again is not an error: whoever lost the answer may ask twice.
          if (row.status === to) return {};
          if (!(from as readonly AgentStatus[]).includes(row.status)) {
            throw new ApiError("invalid_state", `A ${row.status} agent cannot become ${to}.`);
          }
          if (to === "published" && !row.payoutWallet) {
            throw new ApiError(
              "payout_wallet_required",
              "Name a verified wallet with PUT /agents/{slug}/payout-wallet before you publish.",
            );
          }
          return {
            status: to,
            ...(to === "published" ? { publishedAt: row.publishedAt ?? new Date() } : {}),
          };
        });
        return c.json(changed, 200);
      },
    );
  }

  /** Changes the caller's own agent by what `columnsOf` says of it while nobody else can change it. */
  async function changeAgent(
    caller: Caller,
    slug: string,
    columnsOf: (
      row: Awaited<ReturnType<typeof lockOwnAgent>>,
      tx: Transaction,
    ) => Promise<Partial<typeof agent.$inferInsert>>,
  ) {
    return db.transaction(async (tx) => {
      const row = await lockOwnAgent(tx, slug, caller);
      const columns = await columnsOf(row, tx);
      await tx
        .update(agent)
        .set({ ...columns, updatedAt: sql`now()` })
        .where(eq(agent.id, row.id));
      return presentAgent(await readAgent(tx, row.id));
    });
  }
}

const noCapabilities = {
  skills: [],
  languages: [],
  input_modalities: [],
  output_modalities: [],
  protocols: [],
};

function slugTaken(slug: string): ApiError {
  return new ApiError("conflict", `The slug ${slug} is taken; choose another.`, [
    { path: "/slug", keyword: "unique", message: "is taken" },
  ]);
}
