import type { JsonObject, OrderedStage, service } from "../../db/schema.ts";
import { digestOf } from "../../protocol/settlement/digest.ts";
import { type Stage, sumUpTo } from "../../protocol/settlement/stages.ts";
import type { Violation } from "../../untrusted/schemas/payloads.ts";
import type { Caller, Context } from "../context.ts";
import { Refusal, refuseField } from "../refusal.ts";
import { causeOf, checksOf } from "../schema-checks.ts";
import { readAmount } from "./pricing.ts";

/** A stage of a service or a quote. Members have the API's names, because refusals name them. */
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

/** Reads the stages of a service or a quote, with amounts in base units of the pricing token. @throws Refusal `invalid_request` */
export function readStages(
  config: Parameters<typeof readAmount>[2],
  stages: readonly StageRequest[],
): OrderedStage[] {
  return stages.map(({ title, amount, hours, output_schema = null }, index) => ({
    title,
    amount: readStageAmount(config, `stages/${index}/amount`, amount).toString(),
    hours,
    outputSchema: output_schema,
    schemaDigest: output_schema && digestOf(output_schema),
  }));
}

/** @throws Refusal `invalid_request` if the amounts or hours of the stages are not those of the whole */
export function requireSums(stages: readonly Stage[], whole: { price: bigint; hours: number }): void {
  if (sumUpTo(stages, stages.length) !== whole.price) {
    throw refuseField(
      "stages",
      "sum",
      "Field stages: the amounts of all stages must add up to price exactly.",
    );
  }
  if (stages.reduce((sum, { hours }) => sum + hours, 0) === whole.hours) return;
  const message = "Field stages: the hours of all stages must add up to delivery_time_hours.";
  throw refuseField("stages", "sum", message);
}

/** Checks that a service with stages can be ordered so: once, at its price, by people. @throws Refusal `invalid_request` */
export function checkServiceStages(row: InStages): void {
  const { stages, pricingModel, minQuantity, maxQuantity, executionUrl } = row;
  if (!stages) return;
  if (pricingModel !== "fixed") {
    const message = "Field stages: send null, because only services with a fixed price have stages.";
    throw refuseField("stages", "model", message);
  }
  if (minQuantity !== 1 || (maxQuantity ?? 1) !== 1) {
    const message = "Field max_quantity: use 1, because the service has stages.";
    throw refuseField("max_quantity", "maximum", message);
  }
  if (executionUrl !== null) {
    const message = "Field execution: send null, because an endpoint executes no order in stages.";
    throw refuseField("execution", "model", message);
  }
  requireSums(stages, { price: row.price, hours: row.deliveryTimeHours });
}

type InStages = Pick<
  typeof service.$inferSelect,
  "stages" | "pricingModel" | "price" | "deliveryTimeHours" | "minQuantity" | "maxQuantity" | "executionUrl"
>;

function readStageAmount(config: Parameters<typeof readAmount>[2], field: string, text: string): bigint {
  const amount = readAmount(field, text, config);
  if (amount > 0n) return amount;
  throw refuseField(field, "exclusiveMinimum", `Field ${field}: use an amount above zero.`);
}
