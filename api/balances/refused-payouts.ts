import { createRoute, z } from "@hono/zod-openapi";
import { alias } from "drizzle-orm/pg-core";
import { getAddress } from "viem";
import { and, eq, isNotNull, isNull, sql } from "../../db/drizzle.ts";
import { order, refusedPayout } from "../../db/schema.ts";
import { withdrawCall } from "../../protocol/settlement/calls.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { withdrawalOf } from "../../trade/payments/withdrawals.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import {
  amountField,
  baseUnitsField,
  chainIdField,
  currencyField,
  idField,
  orNull,
  shownAddress,
  timeField,
} from "../http/fields.ts";
import { newestFirst } from "../http/list-order.ts";
import { countRows, pageQuery, pageSchema, readPage } from "../http/listing.ts";
import { accessRule, jsonResponse } from "../http/openapi.ts";
import { callSchema } from "../orders/order.ts";
import type { App } from "../variables.ts";

const statusField = z.enum(["owed", "withdrawn"]).openapi("RefusedPayoutStatus");

const payoutSchema = z
  .object({
    order_id: idField("ord"),
    reference: z.string().openapi({ example: "E-7K3M9Q" }),
    status: statusField.openapi({ description: "`withdrawn`: the contract has paid the amount since" }),
    chain_id: chainIdField,
    token_address: shownAddress,
    currency: currencyField,
    amount: amountField,
    amount_base_units: baseUnitsField,
    recipient: shownAddress.openapi({ description: "the wallet that the money belongs to" }),
    refused_at: timeField,
    withdrawn_at: timeField
      .nullable()
      .openapi({ description: "when the service saw the withdrawal confirmed" }),
    next_check_at: orNull(timeField).openapi({
      description: "when the service asks the token again; null if it is withdrawn",
    }),
    service_withdraws: z.boolean().openapi({
      description:
        "whether the service sends the call by itself, once the token accepts it; it leaves sums below the chain's least relayed amount",
    }),
    call: orNull(callSchema).openapi({
      description:
        "the call that pays all that the contract owes to the recipient in this token, which anyone may send; null if it is withdrawn",
    }),
  })
  .openapi("RefusedPayout");

/** Adds the list of payouts that a token refused. */
export function addRefusedPayouts(app: App, context: Context): void {
  const { db, config } = context;
  const other = alias(refusedPayout, "other");
  const columns = {
    payout: refusedPayout,
    reference: order.reference,
    tokenSymbol: order.tokenSymbol,
    tokenDecimals: order.tokenDecimals,
    sum: sql<string>`(
      select coalesce(sum(${other.amount}), 0)::text from ${refusedPayout} as other
      where ${other.chainId} = ${refusedPayout.chainId} and ${other.contract} = ${refusedPayout.contract}
        and ${other.payee} = ${refusedPayout.payee} and ${other.token} = ${refusedPayout.token}
        and ${other.withdrawnAt} is null)`,
  };

  app.openapi(
    createRoute({
      method: "get",
      path: "/balances/payouts",
      operationId: "listRefusedPayouts",
      tags: ["payments"],
      summary: "List your payouts that a token refused, newest first",
      description:
        "A token refuses a payout if it is paused or blocks the recipient. The escrow ends all the same, and the contract owes the amount.",
      ...accessRule(context, "subscriptions:read"),
      request: { query: pageQuery.extend({ status: statusField.optional() }) },
      responses: {
        200: jsonResponse("A page of payouts", pageSchema(payoutSchema).openapi("RefusedPayoutPage")),
      },
    }),
    async (c) => {
      const { accountId } = callerOf(c);
      const query = c.req.valid("query");
      const { withdrawnAt } = refusedPayout;
      const isAsked = { owed: isNull(withdrawnAt), withdrawn: isNotNull(withdrawnAt) };
      const condition = and(
        eq(refusedPayout.accountId, accountId),
        query.status ? isAsked[query.status] : undefined,
      );
      const page = await readPage(newestFirst(refusedPayout.refusedAt, refusedPayout.eventId), query, {
        select: ({ position, after, order: sorted, limit, offset }) =>
          db
            .select({ ...columns, position })
            .from(refusedPayout)
            .innerJoin(order, eq(order.id, refusedPayout.orderId))
            .where(and(condition, after))
            .orderBy(...sorted)
            .limit(limit)
            .offset(offset),
        count: () => countRows(db, refusedPayout, condition),
        present: (row) => present(row),
      });
      return c.json(page, 200);
    },
  );

  function present({
    payout,
    reference,
    tokenSymbol,
    tokenDecimals,
    sum,
  }: {
    payout: typeof refusedPayout.$inferSelect;
    reference: string;
    tokenSymbol: string;
    tokenDecimals: number;
    sum: string;
  }): z.output<typeof payoutSchema> {
    const { contract, payee, token, amount, chainId, withdrawnAt } = payout;
    const chain = context.chain(chainId)?.chain;
    const isOwed = withdrawnAt === null;
    const sent = isOwed && chain && withdrawalOf(chain, payout, { amount: BigInt(sum), tokenDecimals });
    const [recipient, tokenAddress] = [getAddress(payee), getAddress(token)];
    return {
      order_id: payout.orderId,
      reference,
      status: isOwed ? "owed" : "withdrawn",
      chain_id: chainId,
      token_address: tokenAddress,
      currency: tokenSymbol,
      amount: formatAmount(amount, tokenDecimals),
      amount_base_units: amount.toString(),
      recipient,
      refused_at: payout.refusedAt.toISOString(),
      withdrawn_at: withdrawnAt?.toISOString() ?? null,
      next_check_at: (isOwed && payout.nextCheckAt?.toISOString()) || null,
      service_withdraws: Boolean(sent && config.relayerPrivateKey),
      call: isOwed ? withdrawCall(getAddress(contract), { token: tokenAddress, payee: recipient }) : null,
    };
  }
}
