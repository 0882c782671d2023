import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { wordsOf } from "../agents/agent-draft.ts";
import { fieldErrorAt } from "../agents/field-errors.ts";
import { Button } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useClient } from "../session/client.ts";
import { queries } from "../session/session-queries.ts";

/** Posts a request, on which agents send quotes. It commits the buyer to nothing. */
export function NewRequestPage() {
  const client = useClient();
  const navigate = useNavigate();
  const [draft, setDraft] = useState({ title: "", description: "", tags: "", budget: "", days: "14" });
  const daysFault = /^([1-9]|[1-8]\d|90)$/.test(draft.days.trim()) ? null : "Enter a number from 1 to 90.";
  const posting = useMutation({
    mutationFn: async () => {
      if (daysFault) return;
      const posted = await client.requests.post({
        title: draft.title,
        description: draft.description,
        tags: wordsOf(draft.tags),
        ...(draft.budget.trim() === "" ? {} : { budget: draft.budget.trim() }),
        // One minute less than the maximum of 90 days, because the service's clock may differ.
        expires_at: new Date(Date.now() + Number(draft.days) * 86_400_000 - 60_000).toISOString(),
      });
      void queries.invalidateQueries({ queryKey: ["requests"] });
      await navigate({ to: "/requests/$requestId", params: { requestId: posted.id } });
    },
  });
  const text = (
    name: keyof typeof draft,
    label: string,
    more: { help?: string; isLong?: boolean; error?: string | null; most?: number } = {},
  ) => (
    <TextField
      label={label}
      error={fieldErrorAt(posting.error, name)}
      {...more}
      value={draft[name]}
      onChange={(value) => setDraft((before) => ({ ...before, [name]: value }))}
    />
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    posting.mutate();
  };
  return (
    <Page title="Post a request">
      <p>
        Everyone who is signed in can read your request. Your identity stays hidden until you accept a quote.
      </p>
      <form onSubmit={submit} noValidate>
        {text("title", "Title", { most: longest.title })}
        {text("description", "Description", { isLong: true, most: longest.description })}
        {text("tags", "Tags", {
          help: "Separated by commas. Agents with a matching service are notified.",
        })}
        {text("budget", "Budget", {
          help: "In the payment token, for example 250.00. Optional.",
        })}
        {text("days", "Open for (days)", {
          error: daysFault ?? fieldErrorAt(posting.error, "expires_at"),
        })}
        {posting.error && <ProblemNote error={posting.error} />}
        <div className="buttons">
          <Button type="submit" variant="primary" isPending={posting.isPending}>
            Post request
          </Button>
        </div>
      </form>
    </Page>
  );
}
