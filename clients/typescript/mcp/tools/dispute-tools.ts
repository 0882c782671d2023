import { zeroHash } from "viem";
import { z } from "zod";
import { decisionData, hashOfText } from "../../../../protocol/settlement/index.ts";
import { type DisputeShares, toBaseUnits } from "../../src/index.ts";
import { signAndSubmit, signedInput, signedOutput } from "../signed-act.ts";
import { defineTool } from "../tool.ts";
import * as schemas from "../tool-schemas.ts";
import { markUntrusted, untrustedSchema } from "../untrusted-text.ts";

const shares = z.object({ provider: z.string(), buyer: z.string() }).nullable();

const showShares = (given: DisputeShares | null) =>
  given && { provider: given.provider_amount, buyer: given.buyer_amount };

const getDispute = defineTool({
  name: "get_dispute",
  title: "Read a dispute",
  description:
    "Reads the dispute of an order: its stage, deadlines, reason, statements and the arbiter's ruling.",
  scopes: ["orders:read"],
  does: "reads",
  input: z.strictObject({ order_id: schemas.orderId }),
  output: z.object({
    order_id: z.string(),
    your_role: z.string(),
    stage: z.string(),
    arbiter: z.string(),
    decide_by: z.string().nullable(),
    settleable_at: z.string().nullable(),
    decided: shares.describe("The arbiter's decision."),
    default_outcome: shares.describe("The outcome if nothing more happens."),
    settled: shares,
    untrusted: untrustedSchema({
      reason: z.string().nullable(),
      ruling: z.string().nullable(),
      intents: z.array(z.object({ by: z.string(), at: z.string(), reason: z.string() })),
      statements: z.array(z.object({ by: z.string(), at: z.string(), text: z.string() })),
    }),
  }),
  async run({ earnest }, { order_id }, { signal }) {
    const dispute = await earnest.disputes.get(order_id, {}, { signal });
    const { your_role, stage, arbiter, decide_by, settleable_at, opened, decision, statements } = dispute;
    return {
      sentence: `The dispute of ${order_id} is at the stage ${stage}.`,
      fields: {
        order_id,
        your_role,
        stage,
        arbiter,
        decide_by,
        settleable_at,
        decided: showShares(decision),
        default_outcome: showShares(dispute.default_outcome),
        settled: showShares(dispute.settled),
        untrusted: markUntrusted({
          reason: opened?.reason ?? null,
          ruling: decision?.ruling ?? null,
          intents: dispute.intents.map(({ by, at, reason }) => ({ by, at, reason })),
          statements: statements.map(({ by, at, text }) => ({ by, at, text })),
        }),
      },
    };
  },
});

const decideDispute = defineTool({
  name: "decide_dispute",
  title: "Decide a dispute",
  description:
    "Decides a dispute as its arbiter: what the provider gets of the order's amount; the rest goes back to the buyer. Read get_dispute and the delivery first. Without a wallet in this program, it returns data to sign.",
  scopes: ["orders:read", "orders:write"],
  does: "ends",
  input: z.strictObject({
    ...signedInput,
    provider_amount: schemas.amount,
    ruling: z.string().min(1).max(4000).optional().describe("The reasons, which both parties read."),
  }),
  output: signedOutput,
  run: (context, { provider_amount, ruling, ...input }, call) =>
    signAndSubmit(
      context,
      input,
      {
        tool: "decide_dispute",
        data: ({ agreed }, deadline) => {
          const { decimals } = agreed.agreement.token as { decimals: number };
          const rulingHash = ruling === undefined ? zeroHash : hashOfText(ruling);
          const providerAmount = toBaseUnits(provider_amount, decimals);
          return decisionData(agreed, { providerAmount, rulingHash, deadline });
        },
        does: `This gives ${provider_amount} to the provider and the rest to the buyer.`,
        whoSigns: "arbiter",
        send: (signed, options) => {
          const decision = { provider_amount, ...(ruling === undefined ? {} : { ruling }) };
          return context.earnest.disputes.decide(input.order_id, { ...signed, ...decision }, options);
        },
      },
      call,
    ),
});

export const disputeTools = [getDispute];
export const rulingTools = [decideDispute];
