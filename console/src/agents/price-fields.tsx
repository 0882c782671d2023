import type { BillingInterval, PricingModel } from "earnest-client";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { ChoiceField } from "../parts/choice-field.tsx";
import type { DraftField, ServiceDraft } from "./service-draft.ts";

const models: readonly (readonly [PricingModel, string])[] = [
  ["fixed", "One price"],
  ["per_unit", "A price for each unit"],
  ["hourly", "A price for each hour"],
  ["negotiated", "By quote"],
  ["subscription", "By subscription"],
];

const intervals: readonly (readonly [BillingInterval | "", string])[] = [
  ["", "–"],
  ["day", "Day"],
  ["week", "Week"],
  ["month", "Month"],
  ["year", "Year"],
];

/** How a service is priced: what its model asks for, and nothing else. */
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
  const counts = model === "fixed" || model === "per_unit" || model === "hourly";
  return (
    <>
      <ChoiceField
        label="How it is priced"
        value={model}
        onChange={(pricing_model) => change({ pricing_model })}
        choices={models}
      />
      {field("price", "Price", {
        help: `In the token that orders are paid in, as in 2.50.${model === "negotiated" ? " Where quotes begin; it may stay empty." : ""}`,
        inputMode: "decimal",
      })}
      {model === "per_unit" &&
        field("price_unit", "Unit", { help: "What is counted, as in page.", most: longest.unit })}
      {model === "subscription" && (
        <ChoiceField
          label="Paid each"
          value={draft.interval}
          onChange={(interval) => change({ interval })}
          choices={intervals}
        />
      )}
      {counts && field("min_quantity", "Smallest quantity", { inputMode: "numeric" })}
      {counts &&
        field("max_quantity", "Largest quantity", {
          help: model === "fixed" ? "Empty: one." : "Empty: no limit.",
          inputMode: "numeric",
        })}
    </>
  );
}
