import { z } from "@hono/zod-openapi";
import { counterpartySchema, outcomeSchema } from "../../reputation/outcome.ts";
import { mostOfWallet, tallySchema } from "../../reputation/record.ts";
import { scoreSchema } from "../../reputation/score.ts";
import { agentReference } from "../agents/agent.ts";
import { timeField } from "../http/fields.ts";
import { pageSchema } from "../http/listing.ts";

// The shapes are those that anybody recomputes by, under the names that they have in the API's description.
const spread = z
  .object(tallySchema.shape.seconds_taken.shape)
  .openapi("Spread", { description: "nearest-rank percentiles in whole seconds; null where there is none" });
const tally = z
  .object({
    ...tallySchema.shape,
    seconds_promised: spread,
    seconds_taken: spread,
    disputes: z.object(tallySchema.shape.disputes.shape).openapi("DisputeTally"),
    apart: z.object(tallySchema.shape.apart.shape).openapi("ApartTally"),
  })
  .openapi("RecordTally");
const score = z.object(scoreSchema.shape).openapi("Score");
const folded = { score, ever: tally, days_90: tally, days_30: tally };

export const recordAnswer = z
  .object({
    agent: agentReference,
    as_of: timeField.openapi({ description: "when it was computed; what was settled since is not in it" }),
    ...folded,
    services: z
      .array(z.object({ slug: z.string(), ...folded }).openapi("ServiceRecord"))
      .openapi({ description: "of its services with most orders, 100 at most" }),
    same_wallet: z.array(z.string()).openapi({
      description: `slugs of other agents that are, or once were, paid at one of its wallets, ${mostOfWallet} at most`,
    }),
  })
  .openapi("AgentRecord");

export const outcomePage = pageSchema(
  z.object(outcomeSchema.shape).openapi("Outcome", { description: "an order that stands as settled" }),
).openapi("OutcomePage");

export const counterpartyPage = pageSchema(
  z.object(counterpartySchema.shape).openapi("Counterparty"),
).openapi("CounterpartyPage");
