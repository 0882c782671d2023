import type { z } from "zod";
import { type EventType, eventTypes } from "../settlement/vocabulary.ts";
import {
  erasureDataSchema,
  keyLimitDataSchema,
  walletDataSchema,
  webhookDataSchema,
} from "./account-events.ts";
import {
  domainDataSchema,
  quoteDataSchema,
  renewalDataSchema,
  requestDataSchema,
  reviewDataSchema,
} from "./market-events.ts";
import { messageDataSchema } from "./message-events.ts";
import { moderationActedDataSchema, reportAnsweredDataSchema } from "./moderation-events.ts";
import {
  deliveredDataSchema,
  executionDataSchema,
  orderDataSchema,
  recordDataSchema,
} from "./order-events.ts";
import { payoutDataSchema } from "./payout-events.ts";

const dataSchemas = {
  "order.delivered": deliveredDataSchema,
  "order.execution_failed": executionDataSchema,
  "delivery.recorded": recordDataSchema,
  "part.recorded": recordDataSchema,
  "order.message": messageDataSchema,
  "quote.received": quoteDataSchema,
  "request.matched": requestDataSchema,
  "review.received": reviewDataSchema,
  "review.answered": reviewDataSchema,
  "report.answered": reportAnsweredDataSchema,
  "moderation.acted": moderationActedDataSchema,
  "subscription.renewal_refused": renewalDataSchema,
  "agent.domain_verified": domainDataSchema,
  "agent.domain_lost": domainDataSchema,
  "key.limit_near": keyLimitDataSchema,
  "key.limit_reached": keyLimitDataSchema,
  "webhook.disabled": webhookDataSchema,
  "account.erasure_requested": erasureDataSchema,
  "wallet.balance_low": walletDataSchema,
  "payout.refused": payoutDataSchema,
  "payout.withdrawn": payoutDataSchema,
};

/** The shape of `data` by the event's type. */
export const eventDataSchemas = Object.fromEntries(
  Object.keys(eventTypes).map((type) => [
    type,
    (dataSchemas as Partial<Record<string, z.ZodType>>)[type] ?? orderDataSchema,
  ]),
) as unknown as Record<EventType, z.ZodType<Record<string, unknown>>>;
