import { useMutation, useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { SchemaEditor } from "../form/schema-editor.tsx";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useUnsavedChanges } from "../parts/unsaved-changes.ts";
import { useClient } from "../session/client.ts";
import { fieldErrorAt, fieldErrors } from "./field-errors.ts";
import { PriceFields } from "./price-fields.tsx";
import { type DraftField, numberFault, type ServiceDraft, wholeNumbers } from "./service-draft.ts";

const schemas = [
  [
    "input_schema",
    "Input schema (JSON Schema)",
    "Buyers fill in a form made from this schema. Orders must match it. Leave empty to accept any object.",
  ],
  [
    "output_schema",
    "Output schema (JSON Schema)",
    "Deliveries must match this schema. Existing orders keep the schema that they were placed under.",
  ],
] as const;

/** The form of a service. The slug is chosen once. */
export function ServiceForm({
  initial,
  isNew,
  save,
}: {
  initial: ServiceDraft;
  isNew: boolean;
  save: (draft: ServiceDraft) => Promise<void>;
}) {
  const client = useClient();
  const [draft, setDraft] = useState(initial);
  const [bad, setBad] = useState({ input_schema: false, output_schema: false });
  const [markBad] = useState(() => ({
    input_schema: (isBad: boolean) => setBad((before) => ({ ...before, input_schema: isBad })),
    output_schema: (isBad: boolean) => setBad((before) => ({ ...before, output_schema: isBad })),
  }));
  // Set before the answer arrives: `save` may navigate away, which must not warn of unsaved changes.
  const saved = useRef(initial);
  useUnsavedChanges(() => !isSame(draft, saved.current));
  const saving = useMutation({
    mutationFn: async (sent: ServiceDraft) => {
      if (wholeNumbers.some((name) => numberFault(sent, name))) return;
      const before = saved.current;
      saved.current = sent;
      try {
        await save(sent);
      } catch (error) {
        saved.current = before;
        throw error;
      }
    },
  });
  const categories = useQuery({
    queryKey: ["categories"],
    queryFn: async () => (await client.marketplace.listCategories()).items,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const change = (part: Partial<ServiceDraft>) => setDraft((before) => ({ ...before, ...part }));
  const numberAt = (name: keyof ServiceDraft) => {
    const numberField = wholeNumbers.find((each) => each === name);
    return numberField ? numberFault(draft, numberField) : null;
  };
  const field: DraftField = (name, label, more = {}) => (
    <TextField
      label={label}
      {...more}
      value={draft[name]}
      onChange={(value) => change({ [name]: value })}
      error={numberAt(name) ?? fieldErrorAt(saving.error, name)}
    />
  );
  const refused = useMemo(() => schemaErrors(saving.error), [saving.error]);
  return (
    <>
      {isNew &&
        field("slug", "URL name", {
          help: "Lowercase letters, numbers and hyphens, for example count-words. It cannot be changed later.",
        })}
      {field("title", "Title", { most: longest.title })}
      {field("summary", "Summary", { most: longest.summary })}
      {field("description", "Description", { isLong: true, most: longest.description })}
      <ChoiceField
        label="Category"
        value={draft.category}
        onChange={(category) => change({ category })}
        error={fieldErrorAt(saving.error, "category")}
        choices={[
          ["", "None"] as const,
          ...(categories.data ?? []).flatMap(({ slug, title, children }) => [
            [slug, title] as const,
            ...children.map((child) => [child.slug, `${title}: ${child.title}`] as const),
          ]),
        ]}
      />
      {field("tags", "Tags", {
        help: "Separated by commas. You are notified of requests with any of these tags.",
      })}
      <PriceFields draft={draft} change={change} field={field} />
      {field("delivery_time_hours", "Delivery time (hours)", {
        help: "From payment. After that the buyer can reclaim the money.",
        inputMode: "numeric",
      })}
      {field("acceptance_hours", "Review period (hours)", {
        help: "From the on-chain delivery record. Payment releases automatically afterwards.",
        inputMode: "numeric",
      })}
      {field("arbiters", "Accepted arbiters", {
        help: "One address per line. The zero address means no arbiter (deadlines only). Leave empty to accept the default arbiter or none.",
        isLong: true,
      })}
      {field("execution", "Auto-fulfilment URL", {
        help: "Earnest sends each paid order to this https URL in a signed request and delivers the answer for you. Only you see it.",
      })}
      {draft.execution.trim() !== "" &&
        field("execution_seconds", "Timeout (seconds)", { help: "At most 300.", inputMode: "numeric" })}
      {schemas.map(([name, label, help]) => (
        <SchemaEditor
          key={name}
          label={label}
          help={help}
          text={draft[name]}
          onChange={(text) => change({ [name]: text })}
          refused={saving.variables?.[name] === draft[name] ? refused[name] : undefined}
          onState={markBad[name]}
        />
      ))}
      {saving.error && <ProblemNote error={saving.error} />}
      {(bad.input_schema || bad.output_schema) && <p className="wrong">Fix the schema before saving.</p>}
      <div className="buttons">
        <Button
          className={isNew ? "primary" : undefined}
          isPending={saving.isPending}
          isDisabled={bad.input_schema || bad.output_schema}
          onPress={() => saving.mutate(draft)}
        >
          {isNew ? "Create service" : "Save"}
        </Button>
      </div>
    </>
  );
}

const isSame = (left: ServiceDraft, right: ServiceDraft) => JSON.stringify(left) === JSON.stringify(right);

/** Returns the service's errors about each schema, with pointers into the schema. */
function schemaErrors(error: unknown) {
  const of = (name: string) =>
    fieldErrors(error).flatMap(({ path, message }) =>
      `${path}/`.startsWith(`/${name}/`) ? [{ path: path.slice(name.length + 1), message }] : [],
    );
  return { input_schema: of("input_schema"), output_schema: of("output_schema") };
}
