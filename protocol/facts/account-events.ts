import { z } from "zod";
import { addressPattern } from "../settlement/shapes.ts";
import { apiPath } from "../settlement/vocabulary.ts";
import { amount, baseUnits, id, linksOf, test, text, time, type Unlinked } from "./event-fields.ts";

/** The data of events that warn an account: of a limit of a key, a disabled endpoint, a low wallet, its erasure. */

export const keyLimitDataSchema = z.object({
  test,
  key_id: id("key"),
  key_name: z.string().meta({ examples: ["Buyer"] }),
  limit: z.enum(["per_day", "per_month"]).meta({ id: "KeyPeriodLimit" }),
  spent: amount.describe("the amount that counts against the limit, with the order that caused the event"),
  spent_base_units: baseUnits,
  allowed: amount,
  allowed_base_units: baseUnits,
  chain_id: z.int().min(1),
  token: text(addressPattern, "0x90F79bf6EB2c4f870365E785982E1f101E93b906"),
  currency: z.string(),
  used_percent: z.int().min(80).describe("the spent part of the limit, rounded down"),
  resets_at: time,
  links: linksOf("KeyEventLinks", "key", "spend"),
});

export const webhookDataSchema = z.object({
  test,
  endpoint_id: id("whe"),
  host: z
    .string()
    .describe("the host of the endpoint's URL")
    .meta({ examples: ["hooks.buyer.example"] }),
  reason: z.enum(["failing", "member_left"]).meta({
    id: "WebhookDisabledReason",
    description:
      "`failing`: every attempt failed for five days; `member_left`: the member who set the URL, or last saw the secret, was removed",
  }),
  links: linksOf("WebhookEventLinks", "endpoint"),
});

export const walletDataSchema = z.object({
  test,
  wallet: text(addressPattern, "0x90F79bf6EB2c4f870365E785982E1f101E93b906"),
  chain_id: z.int().min(1),
  currency: z.string(),
  balance: amount.describe("the wallet's balance of the order's token"),
  balance_base_units: baseUnits,
  order_id: id("ord").describe("the order that waits for its payment"),
  needed: amount.describe("the amount that the order still needs"),
  needed_base_units: baseUnits,
  pay_by: time,
  links: linksOf("WalletEventLinks", "order", "balances"),
});

export const erasureDataSchema = z.object({
  test,
  due_at: time.describe("until this time the request can be taken back"),
  links: linksOf("ErasureEventLinks", "erasure"),
});

/** Builds the data of the event about a requested erasure. */
export function erasureEventData(dueAt: Date): z.output<typeof erasureDataSchema> {
  return { due_at: dueAt.toISOString(), links: { erasure: `${apiPath}/me/erasure` } };
}

/** Builds the data of an event about a key's limit, for the key's account. */
export function keyLimitEventData(
  reached: Unlinked<typeof keyLimitDataSchema>,
): z.output<typeof keyLimitDataSchema> {
  const key = `${apiPath}/api-keys/${reached.key_id}`;
  return { ...reached, links: { key, spend: `${apiPath}/me/spend` } };
}

/** Builds the data of a disabled endpoint's event. It has no URL: a path may be a secret of the endpoint's receiver. */
export function webhookEventData(
  disabled: Unlinked<typeof webhookDataSchema>,
): z.output<typeof webhookDataSchema> {
  return { ...disabled, links: { endpoint: `${apiPath}/webhooks/${disabled.endpoint_id}` } };
}

/** Builds the data of a low wallet's event, for the buyer's account. */
export function walletEventData(low: Unlinked<typeof walletDataSchema>): z.output<typeof walletDataSchema> {
  return { ...low, links: { order: `${apiPath}/orders/${low.order_id}`, balances: `${apiPath}/balances` } };
}
