import { Trans } from "@lingui/react";
import { useMutation } from "@tanstack/react-query";
import { type AgentStatus, ApiError } from "earnest-client";
import { Check, Circle } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Chip, type Tone } from "../parts/status-chip.tsx";
import { announce } from "../parts/toasts.ts";
import { UserText } from "../parts/user-text.tsx";
import { i18n } from "../text/i18n.ts";
import { fieldErrors } from "./field-errors.ts";

/** The publication status, which agents and services share. */
type PublicationStatus = AgentStatus;
export type Move = "publish" | "pause" | "retire" | "delete";

/** A condition of publication. */
export type Condition = { isMet: boolean; text: ReactNode };

const statusTones: Record<PublicationStatus, Tone> = {
  draft: "neutral",
  published: "good",
  paused: "warn",
  retired: "neutral",
  suspended: "bad",
};

/** The publication status of an agent or a service as a chip. */
export function PublicationChip({ status }: { status: PublicationStatus }) {
  const texts: Record<PublicationStatus, string> = {
    draft: i18n.t("Draft"),
    published: i18n.t("Published"),
    paused: i18n.t("Paused"),
    retired: i18n.t("Archived"),
    suspended: i18n.t("Suspended"),
  };
  return <Chip tone={statusTones[status]}>{texts[status]}</Chip>;
}

/** Describes a status to the owner. */
function meaningOf(status: PublicationStatus): string {
  const texts: Record<PublicationStatus, string> = {
    draft: i18n.t("Visible only to you."),
    published: i18n.t("Visible on the marketplace."),
    paused: i18n.t("Hidden from the marketplace. Open orders continue."),
    retired: i18n.t("Off the marketplace for good. Open orders continue."),
    suspended: i18n.t(
      "An operator suspended this. Nobody else sees it. “Reports” in the settings has the reason.",
    ),
  };
  return texts[status];
}

const movesOf: Record<PublicationStatus, Move[]> = {
  draft: ["publish", "delete"],
  published: ["pause", "retire"],
  paused: ["publish", "retire"],
  retired: [],
  suspended: [],
};

function moveText(move: Move): string {
  const texts: Record<Move, string> = {
    publish: i18n.t("Publish"),
    pause: i18n.t("Pause"),
    retire: i18n.t("Archive"),
    delete: i18n.t("Delete"),
  };
  return texts[move];
}

/** The button that confirms a permanent move; null for a move that can be undone. */
function confirmText(move: Move, name: string): ReactNode {
  const values = { name: <UserText>{name}</UserText> };
  if (move === "retire") return <Trans id="Archive {name} permanently" values={values} />;
  return move === "delete" ? <Trans id="Delete {name} permanently" values={values} /> : null;
}

function doneText(move: Move, name: string): ReactNode {
  const values = { name: <UserText>{name}</UserText> };
  const texts: Record<Move, ReactNode> = {
    publish: <Trans id="{name} is published." values={values} />,
    pause: <Trans id="{name} is paused." values={values} />,
    retire: <Trans id="{name} is archived." values={values} />,
    delete: <Trans id="{name} is deleted." values={values} />,
  };
  return texts[move];
}

/** Error codes whose details list what is missing before publication. */
const missingCodes = [
  "payout_wallet_required",
  "agent_not_published",
  "service_incomplete",
  "invalid_schema",
];

/**
 * The publication status of an agent or a service, the buttons that change it, and for a draft the checklist of what it
 * needs. A permanent change takes two presses.
 *
 * @param more further controls beside the buttons
 */
export function Publication({
  name,
  status,
  conditions,
  move,
  onMoved,
  more,
}: {
  name: string;
  status: PublicationStatus;
  conditions: readonly Condition[];
  move: (to: Move) => Promise<unknown>;
  onMoved: (to: Move) => void;
  more?: ReactNode;
}) {
  const [confirming, setConfirming] = useState<Move | null>(null);
  const moving = useMutation({
    mutationFn: move,
    onSuccess: (_, to) => {
      announce(doneText(to, name));
      setConfirming(null);
      onMoved(to);
    },
  });
  const press = (to: Move) =>
    confirmText(to, name) && confirming !== to ? setConfirming(to) : moving.mutate(to);
  return (
    <section className="card publication" aria-label={i18n.t("Publication")}>
      <div className="card-head">
        <p className="status" data-status={status} role="status">
          <PublicationChip status={status} /> <span className="quiet">{meaningOf(status)}</span>
        </p>
        <div className="buttons">
          {more}
          {movesOf[status].map((to) => (
            <Button
              key={to}
              variant={to === "publish" ? "primary" : isLasting(to) ? "danger" : "secondary"}
              isPending={moving.isPending}
              onPress={() => press(to)}
            >
              {confirming === to ? confirmText(to, name) : moveText(to)}
            </Button>
          ))}
          {confirming && <Button onPress={() => setConfirming(null)}>{i18n.t("Cancel")}</Button>}
        </div>
      </div>
      {status === "draft" && <Checklist conditions={conditions} />}
      {moving.error && <Refused error={moving.error} />}
    </section>
  );
}

const isLasting = (move: Move): boolean => move === "retire" || move === "delete";

function Checklist({ conditions }: { conditions: readonly Condition[] }) {
  return (
    <ul className="checklist" aria-label={i18n.t("Before you can publish")}>
      {conditions.map(({ isMet, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the conditions of a thing never change places
        <li key={at} data-met={isMet}>
          {isMet ? <Check size={16} aria-hidden /> : <Circle size={16} aria-hidden />}
          <span>{text}</span>
          <span className="hidden-text">{isMet ? i18n.t("(done)") : i18n.t("(missing)")}</span>
        </li>
      ))}
    </ul>
  );
}

/** Lists what is missing. */
function Refused({ error }: { error: unknown }) {
  if (!(error instanceof ApiError) || !missingCodes.includes(error.code))
    return <ProblemNote error={error} />;
  return (
    <div className="note problem" role="alert">
      <p>{i18n.t("Before you can publish:")}</p>
      <ul>
        {fieldErrors(error).map(({ path, message }) => (
          <li key={path + message}>{`${subjectOf(path)}: ${message}`}</li>
        ))}
      </ul>
    </div>
  );
}

/** Names the field of a JSON pointer. Steps below the field follow as a pointer. */
function subjectOf(path: string): string {
  const [, field = "", ...below] = path.split("/");
  const names: Record<string, string> = {
    payout_wallet: i18n.t("Payout wallet"),
    agent: i18n.t("Agent"),
    price: i18n.t("Price"),
    interval: i18n.t("Billing interval"),
    input_schema: i18n.t("Input schema"),
    output_schema: i18n.t("Output schema"),
  };
  const name = (Object.hasOwn(names, field) ? names[field] : undefined) ?? field.replaceAll("_", " ");
  return below.length === 0 ? name : `${name} /${below.join("/")}`;
}
