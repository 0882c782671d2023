import type { BillingInterval, PricingModel } from "earnest-client";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { ChoiceField } from "../parts/choice-field.tsx";
import { i18n } from "../text/i18n.ts";
import { isInStages } from "./service-draft.ts";
import type { DraftField, ServiceFormApi } from "./service-form-api.ts";
import { TokenFields } from "./token-fields.tsx";

const models = (): readonly (readonly [PricingModel, string])[] => [
  ["fixed", i18n.t("Fixed price")],
  ["per_unit", i18n.t("Per unit")],
  ["hourly", i18n.t("Hourly")],
  ["metered", i18n.t("Metered")],
  ["per_call", i18n.t("Per call")],
  ["negotiated", i18n.t("Custom quote")],
  ["subscription", i18n.t("Subscription")],
];

const intervals = (): readonly (readonly [BillingInterval | "", string])[] => [
  ["", "–"],
  ["day", i18n.t("Day")],
  ["week", i18n.t("Week")],
  ["month", i18n.t("Month")],
  ["year", i18n.t("Year")],
];

/** Whether buyers choose the quantity of an order. */
const hasQuantity = (model: PricingModel): boolean => model !== "negotiated" && model !== "subscription";

/** The price fields that the chosen pricing model needs. */
export function PriceFields({
  form,
  refusalOf,
  field,
}: {
  form: ServiceFormApi["form"];
  refusalOf: ServiceFormApi["refusalOf"];
  field: DraftField;
}) {
  return (
    <form.Subscribe selector={({ values }) => [values.pricing_model, isInStages(values)] as const}>
      {([model, isStaged]) => (
        <>
          <form.Field name="pricing_model">
            {({ state, handleChange }) => (
              <ChoiceField
                label={i18n.t("Pricing model")}
                value={state.value}
                onChange={handleChange}
                error={refusalOf("pricing_model", state.value)}
                choices={models()}
              />
            )}
          </form.Field>
          <form.Subscribe selector={({ values }) => values.price_currency}>
            {(currency) =>
              !isStaged &&
              field("price", i18n.t("Price"), {
                help:
                  model === "negotiated"
                    ? i18n.t("The starting price in {currency}, for example 2.50. Optional.", { currency })
                    : i18n.t("In {currency}, for example 2.50.", { currency }),
                inputMode: "decimal",
              })
            }
          </form.Subscribe>
          <TokenFields form={form} refusalOf={refusalOf} />
          {(model === "per_unit" || model === "metered") &&
            field("price_unit", i18n.t("Unit"), {
              help: i18n.t("What is counted, for example page."),
              most: longest.unit,
            })}
          {model === "per_call" && (
            <>
              {field("session_url", i18n.t("Endpoint of the calls"), {
                help: i18n.t("The https URL that answers the calls of a session."),
                inputMode: "url",
              })}
              {field("session_key", i18n.t("Session key"), {
                help: i18n.t("The Ed25519 public key that signs the answers, as base64url."),
              })}
            </>
          )}
          {model === "subscription" && (
            <form.Field name="interval">
              {({ state, handleChange }) => (
                <ChoiceField
                  label={i18n.t("Billing period")}
                  value={state.value}
                  onChange={handleChange}
                  error={refusalOf("interval", state.value)}
                  choices={intervals()}
                />
              )}
            </form.Field>
          )}
          {hasQuantity(model) && !isStaged && (
            <div className="side-by-side">
              {field("min_quantity", i18n.t("Minimum quantity"), { inputMode: "numeric" })}
              {field("max_quantity", i18n.t("Maximum quantity"), {
                help: model === "fixed" ? i18n.t("Leave empty for 1.") : i18n.t("Leave empty for no limit."),
                inputMode: "numeric",
              })}
            </div>
          )}
        </>
      )}
    </form.Subscribe>
  );
}
