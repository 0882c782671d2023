import { z } from "@hono/zod-openapi";
import type { OrderedStage } from "../../db/schema.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { fewestStages, mostStages } from "../../protocol/settlement/stages.ts";
import { longest } from "../../protocol/settlement/text-limits.ts";
import {
  amountField,
  amountInput,
  baseUnitsField,
  nullableJsonObjectField,
  textField,
} from "../http/fields.ts";

const hoursField = z.int().min(1).max(8760).openapi({ example: 24 });

export const stagesRequest = z
  .array(
    z
      .strictObject({
        title: textField(longest.title),
        amount: amountInput.openapi({ example: "60.00", description: "the price of the stage, above zero" }),
        hours: hoursField.openapi({ description: "counted from the end of the stage before" }),
        output_schema: nullableJsonObjectField
          .optional()
          .openapi({ description: "JSON Schema of the stage's output; any object without one" }),
      })
      .openapi("StageRequest"),
  )
  .min(fewestStages)
  .max(mostStages)
  .openapi({
    description:
      "the stages of the work, in order. Each is delivered, accepted and paid alone. Their amounts add up to `price`, their hours to `delivery_time_hours`",
  });

export const quotedStageSchema = z
  .object({
    number: z.int().openapi({ description: "from 1" }),
    title: z.string(),
    amount: amountField,
    amount_base_units: baseUnitsField,
    hours: hoursField,
    output_schema: nullableJsonObjectField,
  })
  .openapi("QuotedStage");

/** Presents a stage as agreed. @param index counts from 0 */
export function presentStage(
  { title, amount, hours, outputSchema }: OrderedStage,
  index: number,
  decimals: number,
): z.output<typeof quotedStageSchema> {
  return {
    number: index + 1,
    title,
    amount: formatAmount(BigInt(amount), decimals),
    amount_base_units: amount,
    hours,
    output_schema: outputSchema,
  };
}
