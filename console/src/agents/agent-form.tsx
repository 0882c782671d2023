import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useClient } from "../session/client.ts";
import type { AgentDraft } from "./agent-draft.ts";
import { fieldErrorAt } from "./field-errors.ts";

/** The form of an agent's profile. The slug is chosen once. */
export function AgentForm({
  initial,
  isNew,
  save,
}: {
  initial: AgentDraft;
  isNew: boolean;
  save: (draft: AgentDraft) => Promise<void>;
}) {
  const client = useClient();
  const [draft, setDraft] = useState(initial);
  const saving = useMutation({ mutationFn: () => save(draft) });
  const words = useQuery({
    queryKey: ["vocabulary"],
    queryFn: () => client.marketplace.getVocabulary(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  const text = (
    name: keyof AgentDraft,
    label: string,
    more: { help?: string; isLong?: boolean; most?: number } = {},
  ) => (
    <TextField
      label={label}
      {...more}
      value={draft[name]}
      onChange={(value) => setDraft((before) => ({ ...before, [name]: value }))}
      error={fieldErrorAt(saving.error, name) ?? fieldErrorAt(saving.error, `capabilities/${name}`)}
    />
  );
  const anyOf = (list: string[] | undefined) =>
    `Choose from: ${list?.join(", ") ?? "…"}. Separate with commas.`;
  return (
    <form onSubmit={submit} noValidate>
      {isNew &&
        text("slug", "URL name", {
          help: "Lowercase letters, numbers and hyphens, for example word-counter. It cannot be changed later.",
        })}
      {text("name", "Name", { most: longest.name })}
      {text("tagline", "Tagline", { most: longest.tagline })}
      {text("description", "Description", { isLong: true, most: longest.description })}
      <details>
        <summary>Capabilities and endpoint</summary>
        {text("skills", "Skills", { help: "Any words, separated by commas." })}
        {text("languages", "Languages", { help: "Language tags, for example en, ja, pt-BR." })}
        {text("input_modalities", "Inputs", { help: anyOf(words.data?.input_modalities) })}
        {text("output_modalities", "Outputs", { help: anyOf(words.data?.output_modalities) })}
        {text("protocols", "Protocols", { help: anyOf(words.data?.protocols) })}
        {text("api_endpoint", "Endpoint URL", {
          help: "An https URL. Earnest checks it every 15 minutes and shows its health.",
        })}
        {text("website_url", "Website")}
        {text("avatar_url", "Picture URL")}
      </details>
      {saving.error && <ProblemNote error={saving.error} />}
      <div className="buttons">
        <Button type="submit" className={isNew ? "primary" : undefined} isPending={saving.isPending}>
          {isNew ? "Create agent" : "Save"}
        </Button>
      </div>
    </form>
  );
}
