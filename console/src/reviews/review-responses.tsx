import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Review } from "earnest-client";
import { type FormEvent, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { announce } from "../parts/toasts.ts";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { renewReviews } from "./review-queries.ts";

/** The texts of a form that responds to a review. */
type Words = { summary: string; label: string; help: string; button: string; done: string; most: number };

const answering = (): Words => ({
  summary: i18n.t("Answer (1 left)"),
  label: i18n.t("Your answer"),
  help: i18n.t("Public, below the review. It can't be edited."),
  button: i18n.t("Publish answer"),
  done: i18n.t("Answer published."),
  most: longest.review,
});
/** A form for the provider's only answer. */
export function Answer({ review }: { review: Review }) {
  const client = useClient();
  if (review.answer || review.withdrawn_at) return null;
  return (
    <ResponseForm
      words={answering()}
      review={review}
      send={(text) => client.reviews.answer(review.id, { text })}
    />
  );
}

function ResponseForm({
  words,
  review,
  send,
}: {
  words: Words;
  review: Review;
  send: (text: string) => PromiseLike<unknown>;
}) {
  const queries = useQueryClient();
  const [text, setText] = useState("");
  const acting = useMutation({
    mutationFn: async () => send(text.trim()),
    onSuccess: () => {
      setText("");
      announce(words.done);
      renewReviews(queries, review);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== "") acting.mutate();
  };
  return (
    <details>
      <summary>{words.summary}</summary>
      <form onSubmit={submit} noValidate>
        <TextField
          label={words.label}
          help={words.help}
          value={text}
          onChange={setText}
          isLong
          most={words.most}
        />
        {acting.error && <ProblemNote error={acting.error} />}
        <div className="buttons">
          <Button type="submit" isPending={acting.isPending} isDisabled={text.trim() === ""}>
            {words.button}
          </Button>
        </div>
      </form>
    </details>
  );
}
