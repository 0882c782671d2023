import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { SchemaEditor } from "../form/schema-editor.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { TagField } from "../parts/tag-field.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useClient } from "../session/client.ts";
import { StageFields } from "../stages/stage-fields.tsx";
import { i18n } from "../text/i18n.ts";
import { slugOf } from "./agent-draft.ts";
import { firstFault } from "./draft-form.ts";
import { fieldErrorAt, fieldErrors } from "./field-errors.ts";
import { FormSection } from "./form-section.tsx";
import { PriceFields } from "./price-fields.tsx";
import { isInStages } from "./service-draft.ts";
import type { DraftField, SchemaName, ServiceFormApi } from "./service-form-api.ts";

const fieldOf =
  ({ form, refusalOf }: ServiceFormApi, isNew = false): DraftField =>
  (name, label, more = {}) => (
    <form.Field name={name}>
      {({ state, handleChange }) => (
        <TextField
          label={label}
          {...more}
          value={state.value}
          onChange={(next) => {
            // The URL name follows the title until the reader changes it.
            if (isNew && name === "title" && form.getFieldValue("slug") === slugOf(state.value))
              form.setFieldValue("slug", slugOf(next));
            handleChange(next);
          }}
          error={firstFault(state.meta.errors) ?? refusalOf(name, state.value)}
        />
      )}
    </form.Field>
  );

/** The fields of the texts, the price and the times. */
export function DetailFields({ api, isNew }: { api: ServiceFormApi; isNew: boolean }) {
  const { form, refusalOf } = api;
  const client = useClient();
  const categories = useQuery({
    queryKey: ["categories"],
    queryFn: async () => (await client.marketplace.listCategories()).items,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const field = fieldOf(api, isNew);
  return (
    <>
      <FormSection title={i18n.t("Basics")}>
        {field("title", i18n.t("Title"), { most: longest.title, isRequired: true })}
        {isNew &&
          field("slug", i18n.t("URL name"), {
            help: i18n.t(
              "Lowercase letters, numbers and hyphens, for example count-words. It cannot be changed later.",
            ),
            isRequired: true,
          })}
        {field("summary", i18n.t("Summary"), {
          most: longest.summary,
          help: i18n.t("One or two sentences on the marketplace card."),
        })}
        {field("description", i18n.t("Description"), { isLong: true, most: longest.description })}
        <form.Field name="category">
          {({ state, handleChange }) => (
            <ChoiceField
              label={i18n.t("Category")}
              value={state.value}
              onChange={handleChange}
              error={refusalOf("category", state.value)}
              choices={[
                ["", i18n.t("None")] as const,
                ...(categories.data ?? []).flatMap(({ slug, title, children }) => [
                  [slug, title] as const,
                  ...children.map((child) => [child.slug, `${title}: ${child.title}`] as const),
                ]),
              ]}
            />
          )}
        </form.Field>
        <form.Field name="tags">
          {({ state, handleChange }) => (
            <TagField
              label={i18n.t("Tags")}
              help={i18n.t(
                "Press Enter after each tag. You are notified of requests with any of these tags.",
              )}
              value={state.value}
              onChange={handleChange}
              error={refusalOf("tags", state.value)}
            />
          )}
        </form.Field>
      </FormSection>
      <FormSection title={i18n.t("Price")}>
        <PriceFields form={form} refusalOf={refusalOf} field={field} />
      </FormSection>
      <StagesSection api={api} />
      <FormSection title={i18n.t("Delivery")}>
        <div className="side-by-side">
          <form.Subscribe selector={({ values }) => isInStages(values)}>
            {(isStaged) =>
              !isStaged &&
              field("delivery_time_hours", i18n.t("Delivery time (hours)"), {
                help: i18n.t("From payment. After that the buyer can reclaim the money."),
                inputMode: "numeric",
              })
            }
          </form.Subscribe>
          <form.Subscribe selector={({ values }) => values.pricing_model === "per_call"}>
            {(hasSessions) =>
              !hasSessions &&
              field("acceptance_hours", i18n.t("Review period (hours)"), {
                help: i18n.t("From the on-chain delivery record. Payment releases automatically afterwards."),
                inputMode: "numeric",
              })
            }
          </form.Subscribe>
        </div>
      </FormSection>
    </>
  );
}

/** The stages of the orders of a service with a fixed price. */
function StagesSection({ api: { form, saving } }: { api: ServiceFormApi }) {
  return (
    <form.Subscribe selector={({ values }) => [values.pricing_model, values.price_currency] as const}>
      {([model, currency]) =>
        model === "fixed" && (
          <FormSection
            title={i18n.t("Stages")}
            intro={i18n.t(
              "For work in several steps. Buyers pay once into escrow, and you are paid for each stage that they accept.",
            )}
          >
            <form.Field name="stages">
              {({ state, handleChange }) => (
                <StageFields
                  stages={state.value}
                  onChange={handleChange}
                  currency={currency}
                  showsFaults={state.meta.errors.length > 0}
                  refusalOf={(name) =>
                    saving.variables?.stages === state.value ? fieldErrorAt(saving.error, name) : null
                  }
                />
              )}
            </form.Field>
          </FormSection>
        )
      }
    </form.Subscribe>
  );
}

/** The field of the arbiters. Most providers keep the default. */
export function ArbiterField({ api }: { api: ServiceFormApi }) {
  return fieldOf(api)("arbiters", i18n.t("Accepted arbiters"), {
    help: i18n.t(
      "One address per line. The zero address means no arbiter (deadlines only). Leave empty to accept the default arbiter or none.",
    ),
    isLong: true,
  });
}

/** The endpoint that executes paid orders. */
export function FulfilmentFields({ api }: { api: ServiceFormApi }) {
  const field = fieldOf(api);
  return (
    <>
      {field("execution", i18n.t("Auto-fulfilment URL"), {
        help: i18n.t(
          "Earnest sends each paid order to this https URL in a signed request and delivers the answer for you. Only you see it.",
        ),
        inputMode: "url",
      })}
      <api.form.Subscribe selector={({ values }) => values.execution.trim() !== ""}>
        {(isSet) =>
          isSet &&
          field("execution_seconds", i18n.t("Timeout (seconds)"), {
            help: i18n.t("At most 300."),
            inputMode: "numeric",
          })
        }
      </api.form.Subscribe>
    </>
  );
}

/** The schemas of the input and the output. */
export function SchemaFields({ api }: { api: ServiceFormApi }) {
  return (
    <>
      <FormSection
        title={i18n.t("What you need")}
        intro={i18n.t(
          "Buyers fill in a form made from this schema. Orders must match it. Leave empty to accept any object.",
        )}
      >
        <SchemaField api={api} name="input_schema" label={i18n.t("Input schema (JSON Schema)")} />
      </FormSection>
      <FormSection
        title={i18n.t("What buyers receive")}
        intro={i18n.t(
          "Deliveries must match this schema. Existing orders keep the schema that they were placed under.",
        )}
      >
        <SchemaField api={api} name="output_schema" label={i18n.t("Output schema (JSON Schema)")} />
      </FormSection>
    </>
  );
}

function SchemaField({
  api: { form, saving, markSchema },
  name,
  label,
}: {
  api: ServiceFormApi;
  name: SchemaName;
  label: string;
}) {
  // The service's errors about the schema, with pointers into the schema.
  const refused = useMemo(
    () =>
      fieldErrors(saving.error).flatMap(({ path, message }) =>
        `${path}/`.startsWith(`/${name}/`) ? [{ path: path.slice(name.length + 1), message }] : [],
      ),
    [saving.error, name],
  );
  return (
    <form.Field name={name}>
      {({ state, handleChange }) => (
        <SchemaEditor
          label={label}
          help={i18n.t("A JSON Schema (draft 2020-12).")}
          text={state.value}
          onChange={handleChange}
          refused={saving.variables?.[name] === state.value ? refused : undefined}
          onState={markSchema[name]}
        />
      )}
    </form.Field>
  );
}
