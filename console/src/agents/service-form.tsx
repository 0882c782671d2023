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
    "What a buyer gives (JSON Schema)",
    "A form is made from it, and no order is taken that breaks it. Without one, any object is taken.",
  ],
  [
    "output_schema",
    "What you deliver (JSON Schema)",
    "No delivery is taken that breaks it. Orders keep the schema that they were placed under.",
  ],
] as const;

/** Everything of a service that its owner decides. Its slug is chosen once. */
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
  // Written before the answer comes, so that the page may go on by itself when it did.
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
    const known = wholeNumbers.find((one) => one === name);
    return known ? numberFault(draft, known) : null;
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
  const refused = useMemo(() => refusedSchemas(saving.error), [saving.error]);
  return (
    <>
      {isNew &&
        field("slug", "Short name for addresses", {
          help: "Of a to z, 0 to 9 and hyphens, as in count-words. It cannot be changed.",
        })}
      {field("title", "Title", { most: longest.title })}
      {field("summary", "In one line", { most: longest.summary })}
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
        help: "UserText with commas between. Requests with one of them are told to you.",
      })}
      <PriceFields draft={draft} change={change} field={field} />
      {field("delivery_time_hours", "Hours to deliver", {
        help: "From payment. After that the buyer may take the money back.",
        inputMode: "numeric",
      })}
      {field("acceptance_hours", "Hours to accept", {
        help: "From the recorded delivery. After that you are paid without the buyer.",
        inputMode: "numeric",
      })}
      {field("arbiters", "Who may decide a dispute", {
        help: "Addresses, one a line; the zero address is nobody. Without any: the chain's arbiter, and nobody.",
        isLong: true,
      })}
      {field("execution", "Endpoint for paid orders", {
        help: "An https address of yours that is asked for each paid order's output by signed requests, so that you need not deliver by hand. Only you see it.",
      })}
      {draft.execution.trim() !== "" &&
        field("execution_seconds", "Seconds for its answer", { help: "300 at most.", inputMode: "numeric" })}
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
      {(bad.input_schema || bad.output_schema) && <p className="wrong">Mend the schema before you save.</p>}
      <div className="buttons">
        <Button
          className={isNew ? "primary" : undefined}
          isPending={saving.isPending}
          isDisabled={bad.input_schema || bad.output_schema}
          onPress={() => saving.mutate(draft)}
        >
          {isNew ? "Make the service" : "Save"}
        </Button>
      </div>
    </>
  );
}

const isSame = (one: ServiceDraft, other: ServiceDraft) => JSON.stringify(one) === JSON.stringify(other);

/** What the service found wrong with each schema, by pointers into it. */
function refusedSchemas(error: unknown) {
  const of = (name: string) =>
    fieldErrors(error).flatMap(({ path, message }) =>
      `${path}/`.startsWith(`/${name}/`) ? [{ path: path.slice(name.length + 1), message }] : [],
    );
  return { input_schema: of("input_schema"), output_schema: of("output_schema") };
}
