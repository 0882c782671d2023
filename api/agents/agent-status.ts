import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, inArray } from "../../db/drizzle.ts";
import { wallet } from "../../db/schema.ts";
import { provedChainsOf } from "../../db/wallets.ts";
import { agentStatusColumns } from "../../trade/agents/agent-publication.ts";
import { requirePayoutWallet } from "../../trade/services/payout-chains.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import { ifMatchHeader, setTag } from "../http/etag.ts";
import { addressField, idField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { agentParams, agentSchema, changeOwnAgent, presentAgent } from "./agent.ts";

const payoutWalletRequest = z
  .union(
    [
      z.strictObject({ address: addressField }).openapi("PayoutAddress"),
      z.strictObject({ wallet_id: idField("wal") }).openapi("PayoutWallet"),
    ],
    { error: "must have either an address or a wallet_id" },
  )
  .openapi("PayoutWalletRequest");

const moves = [
  {
    action: "publish",
    operationId: "publishAgent",
    summary: "Publish an agent",
    description: "The agent needs a payout wallet first.",
    to: "published",
  },
  {
    action: "pause",
    operationId: "pauseAgent",
    summary: "Pause an agent",
    description: "The agent leaves the market until it is published again. Its open orders continue.",
    to: "paused",
  },
  {
    action: "retire",
    operationId: "retireAgent",
    summary: "Retire an agent",
    description:
      "The agent leaves the market for ever. Its open orders continue, and its page stays readable.",
    to: "retired",
  },
] as const;

/** Adds the routes of an agent's status (published, paused, retired) and payout wallet. */
export function addAgentStatus(app: App, context: Context): void {
  app.openapi(
    createRoute({
      method: "put",
      path: "/agents/{slug}/payout-wallet",
      operationId: "setPayoutWallet",
      tags: ["agents"],
      summary: "Set the payout wallet of an agent",
      description:
        "One of your verified wallets, such as the one you signed in with. A contract wallet must be proved on each chain on which the agent sells. Existing orders keep their payout wallet.",
      ...accessRule(context, "agents:write"),
      request: { params: agentParams, headers: ifMatchHeader, body: jsonBody(payoutWalletRequest) },
      responses: {
        200: jsonResponse("The changed agent", agentSchema),
        ...errorResponses("precondition_failed"),
      },
    }),
    async (c) => {
      const request = c.req.valid("json");
      const caller = callerOf(c);
      const field = "address" in request ? "address" : "wallet_id";
      const { accountId } = caller;
      const { slug } = c.req.valid("param");
      const changed = await changeOwnAgent(
        context,
        caller,
        slug,
        c.req.header("if-match"),
        async (row, tx) => {
          const own = eq(wallet.accountId, accountId);
          const found = await tx
            .select({ payoutWallet: wallet.address, chainId: wallet.chainId })
            .from(wallet)
            .where(
              and(
                own,
                "address" in request
                  ? eq(wallet.address, request.address)
                  : inArray(
                      wallet.address,
                      tx
                        .select({ address: wallet.address })
                        .from(wallet)
                        .where(and(own, eq(wallet.id, request.wallet_id))),
                    ),
              ),
            )
            // The lock keeps the wallets in the account until the transaction ends.
            .for("share");
          const payoutWallet = found[0]?.payoutWallet;
          if (!payoutWallet) {
            const message = "is not a verified wallet of your account";
            throw new ApiError(
              "invalid_request",
              `The wallet ${message}. GET /auth/me/wallets lists your wallets.`,
              [{ path: `/${field}`, keyword: "wallet", message }],
            );
          }
          await requirePayoutWallet(tx, context.config, {
            agentId: row.id,
            proved: provedChainsOf(found),
            field,
          });
          const data = { from: row.payoutWallet, to: payoutWallet };
          await recordAudit(tx, c, { action: "agent.payout_wallet_changed", target: row.id, data });
          return { payoutWallet };
        },
      );
      const shown = presentAgent(changed);
      setTag(c, changed.version, shown);
      return c.json(shown, 200);
    },
  );

  for (const { action, to, ...about } of moves) {
    app.openapi(
      createRoute({
        method: "post",
        path: `/agents/{slug}/${action}`,
        tags: ["agents"],
        ...about,
        ...accessRule(context, "agents:write"),
        request: { params: agentParams, headers: ifMatchHeader },
        responses: {
          200: jsonResponse("The changed agent", agentSchema),
          ...errorResponses(
            "invalid_state",
            "precondition_failed",
            ...(to === "published" ? (["payout_wallet_required", "account_banned"] as const) : []),
          ),
        },
      }),
      async (c) => {
        const { slug } = c.req.valid("param");
        const ifMatch = c.req.header("if-match");
        const changed = await changeOwnAgent(context, callerOf(c), slug, ifMatch, (row, tx) =>
          agentStatusColumns(tx, row, to),
        );
        const shown = presentAgent(changed);
        setTag(c, changed.version, shown);
        return c.json(shown, 200);
      },
    );
  }
}
