import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Review } from "earnest-client";
import { type FormEvent, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { announce } from "../parts/notices.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useClient } from "../session/client.ts";
import { renewReviews } from "./review-queries.ts";

/** Something that is said of a review once: what opens the form, its field, its button, and what is announced. */
type Words = { summary: string; label: string; help: string; button: string; done: string; most: number };

const answering: Words = {
  summary: "Answer, once",
  label: "Your answer",
  help: "Everybody reads it below the review. It stays as it is.",
  button: "Answer the review",
  done: "Your answer is public.",
  most: longest.review,
};
const reporting: Words = {
  summary: "Report it",
  label: "What is wrong with it",
  help: "For the operator alone. Reports mark a review; they hide nothing.",
  button: "Report the review",
  done: "The review is reported.",
  most: longest.report,
};

/** The provider's one answer. */
export function Answer({ review }: { review: Review }) {
  const client = useClient();
  if (review.answer || review.withdrawn_at) return null;
  return (
    <TextAct words={answering} review={review} act={(text) => client.reviews.answer(review.id, { text })} />
  );
}

/** A report, by whoever did not write it. */
export function Report({ review }: { review: Review }) {
  const client = useClient();
  if (review.withdrawn_at) return null;
  return (
    <TextAct
      words={reporting}
      review={review}
      act={(reason) => client.reviews.report(review.id, { reason })}
    />
  );
}

function TextAct({
  words,
  review,
  act,
}: {
  words: Words;
  review: Review;
  act: (text: string) => PromiseLike<unknown>;
}) {
  const queries = useQueryClient();
  const [text, setText] = useState("");
  const acting = useMutation({
    mutationFn: async () => act(text.trim()),
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
