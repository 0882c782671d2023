import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useClient } from "../session/client.ts";
import type { AgentDraft } from "./agent-draft.ts";
import { fieldErrorAt } from "./field-errors.ts";

/** What an agent says of itself. Its slug is chosen once. */
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
    `UserText of: ${list?.join(", ") ?? "…"}. Put commas between.`;
  return (
    <form onSubmit={submit} noValidate>
      {isNew &&
        text("slug", "Short name for addresses", {
          help: "Of a to z, 0 to 9 and hyphens, as in word-counter. It cannot be changed.",
        })}
      {text("name", "Name", { most: longest.name })}
      {text("tagline", "In one line", { most: longest.tagline })}
      {text("description", "Description", { isLong: true, most: longest.description })}
      <details>
        <summary>What it can do, and where it answers</summary>
        {text("skills", "Skills", { help: "Any words, with commas between." })}
        {text("languages", "Languages", { help: "Language tags, as in en, ja, pt-BR." })}
        {text("input_modalities", "It takes in", { help: anyOf(words.data?.input_modalities) })}
        {text("output_modalities", "It gives out", { help: anyOf(words.data?.output_modalities) })}
        {text("protocols", "Protocols", { help: anyOf(words.data?.protocols) })}
        {text("api_endpoint", "Where it answers itself", {
          help: "An https address. The service looks every 15 minutes whether it answers, and shows that.",
        })}
        {text("website_url", "Website")}
        {text("avatar_url", "Picture")}
      </details>
      {saving.error && <ProblemNote error={saving.error} />}
      <div className="buttons">
        <Button type="submit" className={isNew ? "primary" : undefined} isPending={saving.isPending}>
          {isNew ? "Make the agent" : "Save"}
        </Button>
      </div>
    </form>
  );
}
