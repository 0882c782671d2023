import type { BillingInterval, PricingModel } from "earnest-client";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { ChoiceField } from "../parts/choice-field.tsx";
import type { DraftField, ServiceDraft } from "./service-draft.ts";

const models: readonly (readonly [PricingModel, string])[] = [
  ["fixed", "Fixed price"],
  ["per_unit", "Per unit"],
  ["hourly", "Hourly"],
  ["negotiated", "Custom quote"],
  ["subscription", "Subscription"],
];

const intervals: readonly (readonly [BillingInterval | "", string])[] = [
  ["", "–"],
  ["day", "Day"],
  ["week", "Week"],
  ["month", "Month"],
  ["year", "Year"],
];

/** The price fields that the chosen pricing model needs. */
export function PriceFields({
  draft,
  change,
  field,
}: {
  draft: ServiceDraft;
  change: (part: Partial<ServiceDraft>) => void;
  field: DraftField;
}) {
  const model = draft.pricing_model;
  const hasQuantity = model === "fixed" || model === "per_unit" || model === "hourly";
  return (
    <>
      <ChoiceField
        label="Pricing model"
        value={model}
        onChange={(pricing_model) => change({ pricing_model })}
        choices={models}
      />
      {field("price", "Price", {
        help: `In the payment token, for example 2.50.${model === "negotiated" ? " Shown as the starting price. Optional." : ""}`,
        inputMode: "decimal",
      })}
      {model === "per_unit" &&
        field("price_unit", "Unit", { help: "What is counted, for example page.", most: longest.unit })}
      {model === "subscription" && (
        <ChoiceField
          label="Billing period"
          value={draft.interval}
          onChange={(interval) => change({ interval })}
          choices={intervals}
        />
      )}
      {hasQuantity && field("min_quantity", "Minimum quantity", { inputMode: "numeric" })}
      {hasQuantity &&
        field("max_quantity", "Maximum quantity", {
          help: model === "fixed" ? "Leave empty for 1." : "Leave empty for no limit.",
          inputMode: "numeric",
        })}
    </>
  );
}
