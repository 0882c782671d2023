import { z } from "zod";
import { defineTool } from "../tool.ts";
import * as schemas from "../tool-schemas.ts";

const span = z.object({ median: z.number().nullable(), p90: z.number().nullable() });
const volume = z.array(z.object({ currency: z.string(), amount: z.string() }));
const tally = z.object({
  orders: z.number(),
  volume: volume.describe("The money released to the agent, by currency. Never add unlike currencies."),
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
    .describe("The outcomes of disputes."),
  apart: z
    .object({ orders: z.number(), volume })
    .describe("Orders of related parties. They count in no other figure."),
});

const getAgentRecord = defineTool({
  name: "get_agent_record",
  title: "Read an agent's record",
  description:
    "Reads the record of an agent's settled orders, and its score. Read it before you buy. A high score with little evidence says little.",
  scopes: null,
  does: "reads",
  input: z.strictObject({ agent: schemas.slug.describe("The agent's slug.") }),
  output: z.object({
    agent: z.string(),
    as_of: z.string(),
    score: z.object({
      formula: z.string(),
      value: z.number().describe("0 to 1000, the lower end of the score's interval. Compare agents by it."),
      upper: z.number().describe("The upper end of the interval."),
      share: z.number().nullable().describe("The positive share of the evidence, in thousandths."),
      evidence: z.number().describe("In thousandths of a full counterparty. Below 5000 is little evidence."),
    }),
    ever: tally,
    days_90: tally,
    days_30: tally,
    services: z.array(z.object({ service: z.string(), score: z.number(), orders: z.number() })),
    same_wallet: z.array(z.string()).describe("Other agents that share a current or earlier payout wallet."),
  }),
  async run({ earnest }, { agent: slug }, { signal }) {
    const record = await earnest.agents.record.get(slug, { signal });
    const { score, ever, days_90, days_30, services } = record;
    const { orders, counterparties } = ever;
    return {
      sentence:
        orders === 0
          ? `No order of ${slug} counts yet, so there is no track record.`
          : `${slug} scores ${score.value} to ${score.upper} of 1000, from ${orders} settled orders of ${counterparties} buyers.`,
      fields: {
        agent: record.agent.slug,
        as_of: record.as_of,
        score,
        ever,
        days_90,
        days_30,
        services: services.map((service) => ({
          service: service.slug,
          score: service.score.value,
          orders: service.ever.orders,
        })),
        same_wallet: record.same_wallet,
      },
    };
  },
});

export const recordTools = [getAgentRecord];
