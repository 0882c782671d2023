import { useMutation } from "@tanstack/react-query";
import type { AgentStatus } from "earnest-client";
import { ApiError } from "earnest-client";
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { announce } from "../parts/notices.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { fieldErrors } from "./field-errors.ts";

/** Where agents and services may stand alike. */
type PublicationStatus = AgentStatus;
export type Move = "publish" | "pause" | "retire" | "delete";

export const publicationWords: Record<PublicationStatus, string> = {
  draft: "Draft: only you see it",
  published: "Published",
  paused: "Paused: off the market for now",
  retired: "Retired: off the market for good",
};

const movesOf: Record<PublicationStatus, Move[]> = {
  draft: ["publish", "delete"],
  published: ["pause", "retire"],
  paused: ["publish", "retire"],
  retired: [],
};

const moveWords: Record<Move, { button: string; sure: string; done: string }> = {
  publish: { button: "Publish", sure: "", done: "is published" },
  pause: { button: "Take off the market for now", sure: "", done: "is paused" },
  retire: { button: "Retire", sure: "for good", done: "is retired" },
  delete: { button: "Delete", sure: "for good", done: "is deleted" },
};

/** Refusals that say what is missing before something may be offered. */
const gates = ["payout_wallet_required", "agent_not_published", "service_incomplete", "invalid_schema"];

/** Where an agent or a service stands, and the buttons that move it; a move that cannot be undone takes two presses. */
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
  const [asked, setAsked] = useState<Move | null>(null);
  const moving = useMutation({
    mutationFn: move,
    onSuccess: (_, to) => {
      announce(`${name} ${moveWords[to].done}.`);
      setAsked(null);
      onMoved(to);
    },
  });
  const press = (to: Move) => (moveWords[to].sure && asked !== to ? setAsked(to) : moving.mutate(to));
  return (
    <section aria-label="On the market">
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
            {asked === to ? `${moveWords[to].button} ${name} ${moveWords[to].sure}` : moveWords[to].button}
          </Button>
        ))}
        {asked && <Button onPress={() => setAsked(null)}>Keep it</Button>}
      </div>
    </section>
  );
}

/** All that is missing, in the service's own words. */
function Refused({ error }: { error: unknown }) {
  if (!(error instanceof ApiError) || !gates.includes(error.code)) return <ProblemNote error={error} />;
  return (
    <div className="note problem" role="alert">
      <p>It cannot be published yet. This is missing:</p>
      <ul>
        {fieldErrors(error).map(({ path, message }) => (
          <li key={path + message}>{`${wordsOf(path)} ${message}.`}</li>
        ))}
      </ul>
    </div>
  );
}

/** As in `The payout wallet` of `/payout_wallet`, and with the place of a fault below it. */
function wordsOf(path: string): string {
  const [, name = "", ...below] = path.split("/");
  const words = `The ${name.replaceAll("_", " ")}`;
  return below.length === 0 ? words : `${words}, at /${below.join("/")},`;
}
