import { Link } from "@tanstack/react-router";
import { CircleCheck, Clock } from "lucide-react";
import { useState } from "react";
import { showHidden } from "../../../protocol/json/text.ts";
import { Button } from "../parts/button.tsx";
import { Money } from "../parts/money.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { relativeText, timeText } from "../parts/time-text.ts";
import { UserText } from "../parts/user-text.tsx";
import { i18n } from "../text/i18n.ts";
import { type Task, type TaskGroup, type TaskKind, useAttention } from "./attention-queries.ts";

/** Lists the orders that need an action of the user, by action, the soonest deadline first. */
export function Attention() {
  const { groups, invitations, isLoading, failed } = useAttention();
  const isEmpty = groups.length === 0 && invitations === 0;
  return (
    <section className="card attention" aria-labelledby="attention">
      <h2 id="attention">{i18n.t("Needs your attention")}</h2>
      {failed && <ProblemNote error={failed.error} />}
      {isLoading && isEmpty && <Skeleton />}
      {!isLoading && !failed && isEmpty && (
        <p className="all-done">
          <CircleCheck size={16} aria-hidden />
          {i18n.t("You're all caught up.")}
        </p>
      )}
      {groups.map((group, at) => (
        <Group key={group.kind} group={group} isFirst={at === 0} />
      ))}
      {invitations > 0 && <Invitations count={invitations} />}
    </section>
  );
}

/** The invitations of organisations. Anyone can send one, so they stand after the orders and without a name. */
function Invitations({ count }: { count: number }) {
  return (
    <section aria-label={i18n.t("Invitations")}>
      <h3>{i18n.t("Invitations")}</h3>
      <ul className="task-rows">
        <li className="simple">
          <strong>
            {i18n.t("{count, plural, one {# organisation invites you} other {# organisations invite you}}", {
              count,
            })}
          </strong>
          <Link to="/settings/organisation" className="button row-link">
            {i18n.t("View invitations")}
          </Link>
        </li>
      </ul>
    </section>
  );
}

/** The rows of a group that are shown before the reader asks for the others. */
const firstRows = 5;

function Group({ group: { kind, tasks, total }, isFirst }: { group: TaskGroup; isFirst: boolean }) {
  const [isWhole, setWhole] = useState(false);
  const title = titleOf(kind);
  const shown = isWhole ? tasks : tasks.slice(0, firstRows);
  return (
    <section aria-label={title}>
      <h3>{`${title} (${total})`}</h3>
      <ul className="task-rows">
        {shown.map((task, at) => (
          <Row key={task.order.id} kind={kind} task={task} isFirst={isFirst && at === 0} />
        ))}
      </ul>
      {tasks.length > shown.length && (
        <Button variant="bare" size="small" onPress={() => setWhole(true)}>
          {i18n.t("Show {count} more", { count: tasks.length - shown.length })}
        </Button>
      )}
    </section>
  );
}

/** One task. Its action is the row's only link, which covers the row. The first task has the page's main action. */
function Row({ kind, task: { order, due }, isFirst }: { kind: TaskKind; task: Task; isFirst: boolean }) {
  const { reference, service, agent } = order;
  const action = actionOf(kind);
  const label = `${action}: ${showHidden(service.title)}, ${reference}`;
  const params = { orderId: order.id };
  const className = isFirst ? "button row-link primary" : "button row-link";
  return (
    <li>
      <span className="two-lines">
        <strong>
          <UserText>{service.title}</UserText>
        </strong>
        <span className="quiet">
          {reference} · <UserText>{agent.name}</UserText>
        </span>
      </span>
      <Money amount={order.total_amount} currency={order.currency} />
      <Due kind={kind} at={due} />
      {kind === "decide" || kind === "disputedPurchase" || kind === "disputedSale" ? (
        <Link to="/orders/$orderId/dispute" params={params} className={className} aria-label={label}>
          {action}
        </Link>
      ) : (
        <Link to="/orders/$orderId" params={params} className={className} aria-label={label}>
          {action}
        </Link>
      )}
    </li>
  );
}

const dayMs = 86_400_000;

/** The deadline of a task by its distance from now, in colour if it is near. */
function Due({ kind, at }: { kind: TaskKind; at: string | null }) {
  if (at === null) return <span className="due" />;
  const leftMs = Date.parse(at) - Date.now();
  const time = relativeText(at);
  return (
    <span className="due" data-tone={leftMs < 0 ? "bad" : leftMs < dayMs ? "warn" : undefined}>
      <Clock size={14} aria-hidden />
      <time dateTime={at} title={timeText(at)}>
        {leftMs < 0 ? pastText(kind, time) : dueText(kind, time)}
      </time>
    </span>
  );
}

function dueText(kind: TaskKind, time: string): string {
  if (kind === "pay" || kind === "approve") return i18n.t("Expires {time}", { time });
  return kind === "review" ? i18n.t("Review ends {time}", { time }) : i18n.t("Due {time}", { time });
}

function pastText(kind: TaskKind, time: string): string {
  if (kind === "pay" || kind === "approve") return i18n.t("Expired {time}", { time });
  return kind === "review" ? i18n.t("Review ended {time}", { time }) : i18n.t("Was due {time}", { time });
}

const titleOf = (kind: TaskKind): string =>
  ({
    approve: i18n.t("To approve"),
    pay: i18n.t("To pay"),
    review: i18n.t("To review"),
    start: i18n.t("To start"),
    deliver: i18n.t("To deliver"),
    record: i18n.t("Confirm delivery on-chain"),
    decide: i18n.t("To decide as arbiter"),
    disputedPurchase: i18n.t("In dispute (purchases)"),
    disputedSale: i18n.t("In dispute (sales)"),
  })[kind];

const actionOf = (kind: TaskKind): string =>
  ({
    approve: i18n.t("Review request"),
    pay: i18n.t("Pay order"),
    review: i18n.t("Review delivery"),
    start: i18n.t("Start work"),
    deliver: i18n.t("Deliver order"),
    record: i18n.t("Confirm delivery"),
    decide: i18n.t("Decide dispute"),
    disputedPurchase: i18n.t("View dispute"),
    disputedSale: i18n.t("View dispute"),
  })[kind];
