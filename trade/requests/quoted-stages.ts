import type { JsonObject, OrderedStage } from "../../db/schema.ts";
import { digestOf } from "../../protocol/settlement/digest.ts";
import { sumUpTo } from "../../protocol/settlement/stages.ts";
import type { Violation } from "../../untrusted/schemas/payloads.ts";
import type { Caller, Context } from "../context.ts";
import { Refusal, refuseField } from "../refusal.ts";
import { causeOf, checksOf } from "../schema-checks.ts";
import { readAmount } from "../services/pricing.ts";

/** A stage of a quote. Members have the API's names, because refusals name them. */
export type StageRequest = {
  title: string;
  /** an exact decimal in the pricing token */
  amount: string;
  hours: number;
  output_schema?: JsonObject | null | undefined;
};

/**
 * Checks the schemas of stages. The checks may be slow, so the caller must hold no lock.
 *
 * @throws Refusal `invalid_schema` with every fault, or as `checksOf`
 */
export async function checkStageSchemas(
  context: Pick<Context, "config" | "db" | "checker">,
  caller: Caller,
  stages: readonly StageRequest[] = [],
): Promise<void> {
  const faults: Violation[] = [];
  for (const [index, { output_schema: schema }] of stages.entries()) {
    if (!schema) continue;
    const found = await checksOf(context.checker).run(causeOf(context, caller.accountId), "schema", {
      schema,
    });
    faults.push(...found.map((fault) => ({ ...fault, path: `/stages/${index}/output_schema${fault.path}` })));
  }
  if (faults.length === 0) return;
  throw new Refusal(
    "invalid_schema",
    "A schema of a stage is not valid JSON Schema 2020-12. `details` lists the faults.",
    faults,
  );
}

/**
 * Reads the stages of a quote, with amounts in base units of the pricing token.
 *
 * @throws Refusal `invalid_request` if the amounts or hours of the stages are not those of the whole
 */
export function readStages(
  config: Parameters<typeof readAmount>[2],
  stages: readonly StageRequest[] | undefined,
  whole: { price: bigint; hours: number },
): OrderedStage[] | null {
  if (!stages) return null;
  const read = stages.map(({ title, amount, hours, output_schema = null }, index) => ({
    title,
    amount: readStageAmount(config, `stages/${index}/amount`, amount).toString(),
    hours,
    outputSchema: output_schema,
    schemaDigest: output_schema && digestOf(output_schema),
  }));
  if (sumUpTo(read, read.length) !== whole.price) {
    throw refuseField(
      "stages",
      "sum",
      "Field stages: the amounts of all stages must add up to price exactly.",
    );
  }
  if (read.reduce((sum, { hours }) => sum + hours, 0) !== whole.hours) {
    const message = "Field stages: the hours of all stages must add up to delivery_time_hours.";
    throw refuseField("stages", "sum", message);
  }
  return read;
}

function readStageAmount(config: Parameters<typeof readAmount>[2], field: string, text: string): bigint {
  const amount = readAmount(field, text, config);
  if (amount > 0n) return amount;
  throw refuseField(field, "exclusiveMinimum", `Field ${field}: use an amount above zero.`);
}
