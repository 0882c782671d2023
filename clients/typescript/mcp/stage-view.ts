import { z } from "zod";
import type { QuotedStage } from "../src/index.ts";

/** The stages of a service or a quote. Providers wrote the titles and the schemas, so they belong below `untrusted`. */
export const agreedStages = z
  .array(
    z.object({
      number: z.number(),
      title: z.string(),
      amount: z.string(),
      hours: z.number(),
      output_schema: z.record(z.string(), z.unknown()).nullable(),
    }),
  )
  .nullable()
  .describe("The stages, each delivered and paid by itself; null for one delivery.");

/** Shows the stages of a service or a quote. */
export function showStages(stages: readonly QuotedStage[] | null): z.output<typeof agreedStages> {
  return (
    stages?.map(({ number, title, amount, hours, output_schema }) => ({
      number,
      title,
      amount,
      hours,
      output_schema,
    })) ?? null
  );
}
