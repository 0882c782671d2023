import type { TrailEntry } from "earnest-client";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { UserProse } from "../parts/user-text.tsx";
import { sentenceOf } from "../problems/problem.ts";
import { i18n } from "../text/i18n.ts";
import { actorText, stepText } from "./order-words.ts";

/** Every step of an order, newest first, with its actor and its transaction, if it has one. */
export function Timeline({ trail }: { trail: TrailEntry[] }) {
  return (
    <ol className="timeline" reversed aria-label={i18n.t("Activity")}>
      {trail.toReversed().map(({ id, type, actor, occurred_at, confirmed, transaction, data }) => (
        <li key={id} data-type={type} data-confirmed={confirmed}>
          <p className="timeline-head">
            <strong>{stepText(type, data.stage)}</strong>
            <span className="quiet">{i18n.t("by {actor}", { actor: actorText(actor) })}</span>
            <span className="quiet">
              <Time at={occurred_at} />
            </span>
          </p>
          {!confirmed && <Chip tone="warn">{i18n.t("Not yet confirmed")}</Chip>}
          {type === "fact.reverted" && <p>{sentenceOf("reorganised")}</p>}
          {typeof data.reason === "string" && <UserProse>{data.reason}</UserProse>}
          {typeof data.text === "string" && <UserProse>{data.text}</UserProse>}
          {typeof data.note === "string" && <UserProse>{data.note}</UserProse>}
          {transaction && (
            <p className="quiet">
              {i18n.t("Transaction {hash}, block {block}", {
                hash: transaction.hash,
                block: transaction.block_number,
              })}
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}
