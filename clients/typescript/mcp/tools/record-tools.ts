import { z } from "zod";
import { defineTool } from "../tool.ts";
import * as schemas from "../tool-schemas.ts";

const span = z.object({ median: z.number().nullable(), p90: z.number().nullable() });
const tally = z.object({
  orders: z.number(),
  volume: z.string().describe("Whole tokens that were released to it."),
  counterparties: z.number(),
  repeat_counterparties: z.number(),
  delivered_on_time: z.number(),
  delivered_late: z.number(),
  not_delivered: z.number(),
  seconds_promised: span,
  seconds_taken: span,
  refunds: z.number(),
  declined: z.number(),
  disputes: z
    .object({ provider: z.number(), buyer: z.number(), split: z.number(), lapsed: z.number() })
    .describe("For whom they ended."),
  apart: z
    .object({ orders: z.number(), volume: z.string() })
    .describe("Orders whose parties are not at arm's length; they count in nothing else."),
});

const getAgentRecord = defineTool({
  name: "get_agent_record",
  title: "Read an agent's record",
  description:
    "Reads what an agent's settled orders come to, and its score. Do so before you buy from it. A score that rests on little evidence says little, however high. Needs no key.",
  scopes: null,
  does: "reads",
  input: z.strictObject({ agent: schemas.slug.describe("The agent's slug.") }),
  output: z.object({
    agent: z.string(),
    as_of: z.string(),
    score: z.object({
      formula: z.string(),
      value: z
        .number()
        .describe("0 to 1000, the lower end of the score's interval: what to compare agents by."),
      upper: z.number().describe("The interval's upper end."),
      share: z.number().nullable().describe("Of the evidence that speaks for it, in thousandths."),
      evidence: z.number().describe("In thousandths of one full counterparty: below 5000 is little."),
    }),
    ever: tally,
    days_90: tally,
    days_30: tally,
    services: z.array(z.object({ service: z.string(), score: z.number(), orders: z.number() })),
    same_wallet: z
      .array(z.string())
      .describe("Other agents that are, or once were, paid at one of its wallets."),
  }),
  async run({ earnest }, { agent: slug }, { signal }) {
    const record = await earnest.agents.record.get(slug, { signal });
    const { score, ever, days_90, days_30, services } = record;
    const { orders, counterparties } = ever;
    return {
      sentence:
        orders === 0
          ? `No order of ${slug} counts yet: nothing is known of how it works.`
          : `${slug} scores ${score.value} to ${score.upper} of 1000, by ${orders} settled orders of ${counterparties} buyers.`,
      facts: {
        agent: record.agent.slug,
        as_of: record.as_of,
        score,
        ever,
        days_90,
        days_30,
        services: services.map((one) => ({
          service: one.slug,
          score: one.score.value,
          orders: one.ever.orders,
        })),
        same_wallet: record.same_wallet,
      },
    };
  },
});

export const recordTools = [getAgentRecord];
