import { createRoute, z } from "@hono/zod-openapi";
import { and, eq } from "drizzle-orm";
import { type agent, wallet } from "../db/schema.ts";
import { callerOf } from "./access.ts";
import { agentParams, agentSchema, changeAgent, presentAgent } from "./agent.ts";
import { recordAudit } from "./audit.ts";
import type { App, Context } from "./context.ts";
import { ApiError } from "./errors.ts";
import { ifMatchHeader, setTag } from "./etag.ts";
import { addressField } from "./fields.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";

type AgentStatus = (typeof agent.$inferSelect)["status"];

const payoutWalletRequest = z
  .union([z.strictObject({ address: addressField }), z.strictObject({ wallet_id: z.string() })], {
    error: "must hold either an address or a wallet_id",
  })
  .openapi("PayoutWalletRequest");

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
    description: "Orders that stand go on; it leaves all lists and stays readable. There is no way back.",
    to: "retired",
    from: ["draft", "published", "paused"],
  },
] as const satisfies { to: AgentStatus; from: AgentStatus[]; [field: string]: unknown }[];

/** Where an agent stands - published, paused, retired - and where it is paid. */
export function addAgentStatus(app: App, context: Context): void {
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
      request: { params: agentParams, headers: ifMatchHeader, body: jsonBody(payoutWalletRequest) },
      responses: { 200: answer("The agent as it is now", agentSchema), ...refusals("precondition_failed") },
    }),
    async (c) => {
      const request = c.req.valid("json");
      const caller = callerOf(c);
      const { slug } = c.req.valid("param");
      const changed = await changeAgent(context, caller, slug, c.req.header("if-match"), async (row, tx) => {
        const [found] = await tx
          .select({ payoutWallet: wallet.address })
          .from(wallet)
          .where(
            and(
              eq(wallet.accountId, caller.accountId),
              "address" in request ? eq(wallet.address, request.address) : eq(wallet.id, request.wallet_id),
            ),
          )
          // Held, so that it is not taken from the account at the same time.
          .for("share");
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
      const shown = presentAgent(changed);
      setTag(c, changed.version, shown);
      return c.json(shown, 200);
    },
  );

  for (const { action, to, from, ...about } of moves) {
    app.openapi(
      createRoute({
        method: "post",
        path: `/agents/{slug}/${action}`,
        tags: ["agents"],
        ...about,
        ...guarded(context, "agents:write"),
        request: { params: agentParams, headers: ifMatchHeader },
        responses: {
          200: answer("The agent as it is now", agentSchema),
          ...refusals(
            "invalid_state",
            "precondition_failed",
            ...(to === "published" ? (["payout_wallet_required"] as const) : []),
          ),
        },
      }),
      async (c) => {
        const { slug } = c.req.valid("param");
        const ifMatch = c.req.header("if-match");
        const changed = await changeAgent(context, callerOf(c), slug, ifMatch, async (row) => {
          // Again is not an error: whoever lost the answer may ask twice.
          if (row.status === to) return {};
          if (!(from as readonly AgentStatus[]).includes(row.status)) {
            throw new ApiError("invalid_state", `A ${row.status} agent cannot become ${to}.`);
          }
          if (to === "published" && !row.payoutWallet) {
            throw new ApiError(
              "payout_wallet_required",
              "Name a verified wallet with PUT /agents/{slug}/payout-wallet before you publish.",
              [{ path: "/payout_wallet", keyword: "required", message: "is required to publish" }],
            );
          }
          return {
            status: to,
            ...(to === "published" ? { publishedAt: row.publishedAt ?? new Date() } : {}),
          };
        });
        const shown = presentAgent(changed);
        setTag(c, changed.version, shown);
        return c.json(shown, 200);
      },
    );
  }
}
