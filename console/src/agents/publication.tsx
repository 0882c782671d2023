import { useMutation } from "@tanstack/react-query";
import type { AgentStatus } from "earnest-client";
import { ApiError } from "earnest-client";
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { announce } from "../parts/toasts.tsx";
import { fieldErrors } from "./field-errors.ts";

/** The publication status, which agents and services share. */
type PublicationStatus = AgentStatus;
export type Move = "publish" | "pause" | "retire" | "delete";

export const publicationWords: Record<PublicationStatus, string> = {
  draft: "Draft: visible only to you",
  published: "Published",
  paused: "Paused: hidden from the market",
  retired: "Archived",
};

const movesOf: Record<PublicationStatus, Move[]> = {
  draft: ["publish", "delete"],
  published: ["pause", "retire"],
  paused: ["publish", "retire"],
  retired: [],
};

const moveWords: Record<Move, { button: string; sure: string; done: string }> = {
  publish: { button: "Publish", sure: "", done: "is published" },
  pause: { button: "Pause", sure: "", done: "is paused" },
  retire: { button: "Archive", sure: "permanently", done: "is archived" },
  delete: { button: "Delete", sure: "permanently", done: "is deleted" },
};

/** Error codes whose details list what is missing before publication. */
const missingCodes = [
  "payout_wallet_required",
  "agent_not_published",
  "service_incomplete",
  "invalid_schema",
];

/** The publication status of an agent or a service, and the buttons that change it. A permanent change takes two presses. */
export function Publication({
  name,
  status,
  move,
  onMoved,
}: {
  name: string;
  status: PublicationStatus;
  move: (to: Move) => Promise<unknown>;
  onMoved: (to: Move) => void;
}) {
  const [confirming, setConfirming] = useState<Move | null>(null);
  const moving = useMutation({
    mutationFn: move,
    onSuccess: (_, to) => {
      announce(`${name} ${moveWords[to].done}.`);
      setConfirming(null);
      onMoved(to);
    },
  });
  const press = (to: Move) =>
    moveWords[to].sure && confirming !== to ? setConfirming(to) : moving.mutate(to);
  return (
    <section aria-label="Publication">
      <p className="status" data-status={status} role="status">
        {publicationWords[status]}
      </p>
      {moving.error && <Refused error={moving.error} />}
      <div className="buttons">
        {movesOf[status].map((to) => (
          <Button
            key={to}
            className={to === "publish" ? "primary" : undefined}
            isPending={moving.isPending}
            onPress={() => press(to)}
          >
            {confirming === to
              ? `${moveWords[to].button} ${name} ${moveWords[to].sure}`
              : moveWords[to].button}
          </Button>
        ))}
        {confirming && <Button onPress={() => setConfirming(null)}>Cancel</Button>}
      </div>
    </section>
  );
}

/** Lists what is missing, as the service says it. */
function Refused({ error }: { error: unknown }) {
  if (!(error instanceof ApiError) || !missingCodes.includes(error.code))
    return <ProblemNote error={error} />;
  return (
    <div className="note problem" role="alert">
      <p>Before you can publish:</p>
      <ul>
        {fieldErrors(error).map(({ path, message }) => (
          <li key={path + message}>{`${subjectOf(path)} ${message}.`}</li>
        ))}
      </ul>
    </div>
  );
}

/** Names a JSON pointer in words: `/payout_wallet` is `The payout wallet`. Steps below it follow as a pointer. */
function subjectOf(path: string): string {
  const [, name = "", ...below] = path.split("/");
  const words = `The ${name.replaceAll("_", " ")}`;
  return below.length === 0 ? words : `${words}, at /${below.join("/")},`;
}
