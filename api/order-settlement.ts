import { createRoute, z } from "@hono/zod-openapi";
import { erc20Abi, getAddress } from "viem";
import type { OrderRow } from "../db/ledger.ts";
import type { Situation } from "../settlement/exits.ts";
import { settlementOptions } from "../settlement/options.ts";
import { termsOf } from "../settlement/terms.ts";
import { callerOf } from "./access.ts";
import { askChain } from "./chain.ts";
import type { App, Context } from "./context.ts";
import { timeField } from "./fields.ts";
import { answer, guarded } from "./openapi.ts";
import {
  callSchema,
  orderParams,
  readNow,
  readOutputHash,
  readSharedOrder,
  typedDataSchema,
} from "./order.ts";

const actionSchema = z
  .object({
    action: z.enum([
      "fund",
      "recordDelivery",
      "release",
      "refund",
      "dispute",
      "decideDispute",
      "settleDispute",
      "returnDeposit",
    ]),
    available: z.boolean().openapi({ description: "whether you may do it now" }),
    who: z.enum(["buyer", "provider", "arbiter", "party", "anyone"]),
    reason: z.string().nullable().openapi({ description: "why it is not available" }),
    available_at: timeField.nullable(),
    function: z.string(),
    call: z.union([callSchema, z.null()]).openapi({
      description: "null where an argument is still yours to find, or where what it would do is done",
    }),
    typed_data: z
      .union([typedDataSchema, z.null()])
      .openapi({ description: "what you may sign, for anyone to send, instead of the call" }),
    choices: z
      .array(
        z.object({
          choice: z.enum(["all_to_provider", "all_to_buyer"]),
          call: callSchema,
          typed_data: z.union([typedDataSchema, z.null()]),
        }),
      )
      .openapi({
        description:
          "`decideDispute` alone: the two ends of what the arbiter may decide, without a ruling's hash. For any amount between them, and a hash, read `dispute/decision`.",
      }),
  })
  .openapi("SettlementAction");

const optionsSchema = z
  .object({
    your_roles: z.array(z.enum(["buyer", "provider", "arbiter"])),
    onchain_status: z.enum(["none", "funded", "disputed", "decided", "released", "refunded", "split"]),
    actions: z.array(actionSchema),
  })
  .openapi("SettlementOptions");

/** What the contract lets each party do now. */
export function addSettlementOptions(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/settlement-options",
      operationId: "readSettlementOptions",
      tags: ["orders"],
      summary: "What each party may do on the chain now",
      description:
        "Every action with its raw contract call, so that nobody needs this service to reach their money; what is not available says why and, where only time is missing, from when.",
      ...guarded(context, "orders:read"),
      request: { params: orderParams },
      responses: { 200: answer("The actions", optionsSchema) },
    }),
    async (c) => {
      const { row, escrow, role } = await readSharedOrder(db, callerOf(c), c.req.valid("param").id);
      const [outputHash, now, depositBalance] = await Promise.all([
        readOutputHash(db, row.id),
        readNow(db, row.chainId),
        readDeposit(row),
      ]);
      const situation: Situation = {
        chainId: row.chainId,
        escrowContract: getAddress(row.escrowContract),
        escrowId: row.escrowId,
        terms: termsOf(row),
        escrow,
        outputHash,
        depositBalance,
        now,
        roles: [role],
      };
      return c.json(
        {
          your_roles: [role],
          onchain_status: escrow?.status ?? ("none" as const),
          actions: settlementOptions(situation),
        },
        200,
      );
    },
  );

  async function readDeposit({ chainId, token, depositAddress }: OrderRow): Promise<bigint | null> {
    const client = context.chain(chainId)?.client;
    if (!client) return null;
    return askChain(
      client.readContract({
        abi: erc20Abi,
        address: token,
        functionName: "balanceOf",
        args: [depositAddress],
      }),
    );
  }
}
