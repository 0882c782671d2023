import { createRoute, z } from "@hono/zod-openapi";
import { formatEther } from "viem";
import { inTransaction } from "../../db/transaction.ts";
import { isId } from "../../protocol/facts/ids.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";
import { resendDelivery } from "../../trade/webhooks/deliveries.ts";
import {
  indexStateField,
  indexStateOf,
  readIncompleteIndexes,
  readIndexes,
  readRelayers,
} from "../chain/watched-chains.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import { chainIdField, idField, orNull, plainTextField, shownAddress, timeField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { shareReads } from "../http/shared-reads.ts";
import type { App } from "../variables.ts";
import {
  findDelivery,
  growthDays,
  mostCounted,
  queueNames,
  readFailedDeliveries,
  readGrowth,
  readOldestDisputes,
  readQueues,
} from "./service-state-reads.ts";

/** Milliseconds for which the counts of queues and of growth are shared by all requests of a process. */
const queuesMilliseconds = 5_000;
const growthMilliseconds = 60_000;

const counted = z.int().openapi({ description: `counted up to ${mostCounted}` });

const relayerSchema = z
  .object({
    chain_id: chainIdField,
    address: shownAddress,
    balance: z.string().openapi({ description: "in units of 10^18 wei", example: "0.42" }),
    balance_low: z.boolean().openapi({ description: "whether it is below RELAYER_LOW_BALANCE" }),
    waiting: orNull(z.enum(["balance", "gas_price"]).openapi("RelayerWaiting")),
    gas_used: z.string().openapi({ description: "gas of all its mined relays", example: "2100000" }),
    failed: z.int().openapi({ description: "relays that the contract refused" }),
    seen_at: timeField,
  })
  .openapi("RelayerWallet");

const indexSchema = z
  .object({
    chain_id: chainIdField,
    state: indexStateField,
    reason: z.string().nullable(),
    head_block: z.int(),
    indexed_block: z.int(),
    lag_blocks: z.int(),
    checked_at: timeField,
  })
  .openapi("IndexProgress");

const queueSchema = z
  .object({
    name: z.enum(queueNames as [string, ...string[]]).openapi("QueueName"),
    waiting: counted,
    due: counted,
    oldest_age_seconds: z.number().openapi({ description: "since the oldest was due; 0 without one" }),
  })
  .openapi("QueueState");

const disputeSchema = z
  .object({
    order_id: idField("ord"),
    reference: z.string(),
    chain_id: chainIdField,
    disputed_at: timeField,
    decide_by: timeField.openapi({ description: "until when the arbiter may decide" }),
  })
  .openapi("OpenDispute");

const failedSchema = z
  .object({
    id: idField("whd"),
    type: z.string(),
    host: z.string().openapi({ example: "hooks.example" }),
    endpoint_status: z.string().openapi({ example: "active" }),
    attempts: z.int(),
    last_status_code: z.int().nullable(),
    created_at: timeField,
  })
  .openapi("FailedWebhookDelivery");

const growthSchema = z
  .object({
    day: z.string().openapi({ example: "2026-11-29" }),
    accounts: counted,
    agents: counted,
    services: counted,
    orders: counted,
  })
  .openapi("GrowthOfDay");

const stateSchema = z
  .object({
    relayers: z.array(relayerSchema),
    indexes: z.array(indexSchema),
    queues: z.array(queueSchema),
    disputes: z.array(disputeSchema).openapi({ description: "open disputes, the oldest first" }),
    failed_deliveries: z.array(failedSchema).openapi({
      description: "webhook deliveries that failed for good, the newest first",
    }),
    growth: z
      .array(growthSchema)
      .openapi({ description: `what was made on each of the last ${growthDays} days (UTC), newest first` }),
  })
  .openapi("ServiceState");

const resendRequest = z
  .strictObject({ reason: plainTextField(longest.act) })
  .openapi("WebhookResendRequest", { example: { reason: "The host was down for a week." } });

/** Adds the state of the service for its operators, and the resending of a failed delivery. */
export function addServiceState(app: App, context: Context): void {
  const { db, config } = context;
  // Each counts many rows, and an open console asks again and again.
  const readQueuesShortly = shareReads(() => readQueues(db), queuesMilliseconds);
  const readGrowthShortly = shareReads(() => readGrowth(db), growthMilliseconds);

  app.openapi(
    createRoute({
      method: "get",
      path: "/operator/state",
      operationId: "readServiceState",
      tags: ["operator"],
      summary: "Read the state of the service: relayers, indexes, queues, disputes, growth",
      description:
        "From what the workers wrote last. Every list and count is bounded. Queues are counted every 5 seconds, and growth every minute.",
      ...accessRule(context, "operator"),
      responses: { 200: jsonResponse("The state", stateSchema) },
    }),
    async (c) => {
      const chainIds = config.chains.map((chain) => chain.chain_id);
      const [relayers, indexes, lacking, queues, disputes, failed, growth] = await Promise.all([
        readRelayers(db, chainIds),
        readIndexes(db, chainIds),
        readIncompleteIndexes(db),
        readQueuesShortly(),
        readOldestDisputes(db),
        readFailedDeliveries(db),
        readGrowthShortly(),
      ]);
      const lowOf = (chainId: number) =>
        config.chains.find((chain) => chain.chain_id === chainId)?.relayer_low_balance ?? 0n;
      return c.json(
        {
          relayers: relayers.map((row) => ({
            chain_id: row.chainId,
            address: row.address,
            balance: formatEther(row.balance),
            balance_low: row.balance < lowOf(row.chainId),
            waiting: row.waiting,
            gas_used: String(row.gasUsed),
            failed: row.failed,
            seen_at: row.seenAt.toISOString(),
          })),
          indexes: indexes.map((row) => {
            const lack = lacking.find(({ chainId }) => chainId === row.chainId);
            const { indexState, reason } = indexStateOf(row, lack) ?? row;
            return {
              chain_id: row.chainId,
              state: indexState,
              reason,
              head_block: Number(row.headBlock),
              indexed_block: Number(row.indexedBlock),
              lag_blocks: Math.max(0, Number(row.headBlock - row.indexedBlock)),
              checked_at: row.checkedAt.toISOString(),
            };
          }),
          queues: queues.map(({ name, waiting, due, age }) => ({
            name,
            waiting,
            due,
            oldest_age_seconds: Math.round(age),
          })),
          disputes: disputes.map((row) => ({
            order_id: row.id,
            reference: row.reference,
            chain_id: row.chainId,
            disputed_at: (row.disputedAt ?? row.decideBy).toISOString(),
            decide_by: row.decideBy.toISOString(),
          })),
          failed_deliveries: failed.map((row) => ({
            id: row.id,
            type: row.type,
            host: row.host,
            endpoint_status: row.endpointStatus,
            attempts: row.attempts,
            last_status_code: row.lastStatusCode,
            created_at: row.createdAt.toISOString(),
          })),
          growth,
        },
        200,
      );
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/operator/deliveries/{id}/resend",
      operationId: "resendFailedDelivery",
      tags: ["operator"],
      summary: "Send a webhook delivery again that failed for good",
      description:
        "To the same endpoint, with the same body. Its whole schedule starts again. The reason is in the audit log.",
      ...accessRule(context, "operator"),
      request: { params: z.object({ id: idField("whd") }), body: jsonBody(resendRequest) },
      responses: {
        202: jsonResponse(
          "The delivery is queued",
          z.object({ id: idField("whd") }).openapi("ResentWebhookDelivery"),
        ),
        ...errorResponses("invalid_state"),
      },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const { reason } = c.req.valid("json");
      const found = isId("whd", id) ? await findDelivery(db, id) : undefined;
      if (!found) throw new ApiError("not_found", "There is no delivery with this id.");
      if (found.status !== "failed") {
        throw new ApiError("invalid_state", `This delivery is ${found.status}: it has not failed for good.`);
      }
      await inTransaction(db, async (tx) => {
        await resendDelivery(tx, found.endpoint, id);
        await recordAudit(tx, c, { action: "operator.delivery_resent", target: id, data: { reason } });
      });
      return c.json({ id }, 202);
    },
  );
}
