import { z } from "@hono/zod-openapi";
import { mostOfWallet, tallySchema } from "../../protocol/reputation/agent-record.ts";
import {
  apartReasons,
  counterpartySchema,
  disputeEndings,
  orderEndings,
  outcomeSchema,
} from "../../protocol/reputation/public-outcome.ts";
import { scoreSchema } from "../../protocol/reputation/score.ts";
import { volumeSchema } from "../../protocol/reputation/volume.ts";
import { agentReference } from "../agents/agent.ts";
import { exampleAddress, orNull, timeField } from "../http/fields.ts";
import { pageSchema } from "../http/listing.ts";
import { partyField } from "../orders/order-fields.ts";

// The schemas of the public computation, with the names that the API's description gives them.
const quantiles = z
  .object(tallySchema.shape.seconds_taken.shape)
  .openapi("Spread", { description: "nearest-rank percentiles in whole seconds; null without values" });
const volume = z
  .array(
    z
      .object({
        currency: volumeSchema.element.shape.currency.meta({ example: "USD" }),
        amount: volumeSchema.element.shape.amount.meta({ example: "125.5" }),
      })
      .openapi("CurrencyAmount", { description: "an exact amount of one currency" }),
  )
  .max(64)
  .openapi({ description: volumeSchema.description });
const tally = z
  .object({
    ...tallySchema.shape,
    volume,
    seconds_promised: quantiles,
    seconds_taken: quantiles,
    disputes: z.object(tallySchema.shape.disputes.shape).openapi("DisputeTally"),
    apart: z.object({ ...tallySchema.shape.apart.shape, volume }).openapi("ApartTally"),
  })
  .openapi("RecordTally");
const score = z.object(scoreSchema.shape).openapi("Score");
const { shape } = outcomeSchema;
const exampleHash = `0x${"7".repeat(64)}`;
const outcomeExamples = {
  order_id: shape.order_id.meta({ example: "ord_01k9d0p4mtf9wbm0dpa8v4qz6x" }),
  service: shape.service.meta({ example: "translation" }),
  chain: shape.chain.meta({ example: "eip155:8453" }),
  contract: shape.contract.meta({ example: exampleAddress }),
  escrow_id: shape.escrow_id.meta({ example: exampleHash }),
  provider: shape.provider.meta({ example: exampleAddress }),
  buyer: shape.buyer.meta({ example: exampleAddress }),
  wallet: shape.wallet.meta({ example: exampleAddress }),
  token: shape.token.meta({ example: exampleAddress }),
  currency: shape.currency.meta({ example: "USD" }),
  amount: shape.amount.meta({ example: "12500000" }),
  released: shape.released.meta({ example: "12500000" }),
  refunded: shape.refunded.meta({ example: "0" }),
  receipts: shape.receipts.meta({ example: ["rcp_01k9d0p4mtf9wbm0dpa8v4qz6x"] }),
  counterparty: shape.counterparty.meta({ example: "c1" }),
};
const folded = { score, ever: tally, days_90: tally, days_30: tally };

export const recordAnswer = z
  .object({
    agent: agentReference,
    as_of: timeField.openapi({
      description: "the time of the computation; later settlements are not included",
    }),
    ...folded,
    services: z
      .array(z.object({ slug: z.string(), ...folded }).openapi("ServiceRecord"))
      .openapi({ description: "the services with the most orders, at most 100" }),
    same_wallet: z.array(z.string()).openapi({
      description: `slugs of other agents that are or were paid at one of the agent's wallets, at most ${mostOfWallet}`,
    }),
  })
  .openapi("AgentRecord");

export const outcomePage = pageSchema(
  z
    .object({
      ...outcomeSchema.shape,
      ...outcomeExamples,
      ended: z.enum(orderEndings).openapi("OutcomeEnding", {
        description:
          "`declined`: the provider refunded everything, undisputed, before the delivery was due; `metered`: a metered order released its charge, or a session the price of its calls, if any, and returned the rest, undisputed",
      }),
      dispute: orNull(z.enum(disputeEndings).openapi("DisputeEnding")).openapi({
        description:
          "the party that the dispute favoured; `lapsed` if nobody decided it; null without a dispute",
      }),
      disputed_by: orNull(partyField),
      apart: orNull(z.enum(apartReasons).openapi("ApartReason")).openapi({
        description: "why the parties are not at arm's length; null if they are",
      }),
    })
    .openapi("Outcome", { description: "a settled order" }),
).openapi("OutcomePage");

export const counterpartyPage = pageSchema(
  z
    .object({
      ...counterpartySchema.shape,
      counterparty: outcomeExamples.counterparty,
      wallets: z
        .array(outcomeExamples.buyer)
        .openapi({ description: counterpartySchema.shape.wallets.description }),
      paid: volume,
    })
    .openapi("Counterparty"),
).openapi("CounterpartyPage");
