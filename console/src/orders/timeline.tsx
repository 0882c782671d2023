import type { TrailEntry } from "earnest-client";
import { Time } from "../parts/time.tsx";
import { UserProse } from "../parts/user-text.tsx";
import { sentences } from "../wallet/problems.ts";
import { actorWords, stepWords } from "./order-words.ts";

/** Every step of an order, oldest first, with its actor and its transaction, if it has one. */
export function Timeline({ trail }: { trail: TrailEntry[] }) {
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">Activity</h2>
      <ol className="timeline">
        {trail.map(({ id, type, actor, occurred_at, confirmed, transaction, data }) => (
          <li key={id} data-type={type} data-confirmed={confirmed}>
            <strong>{stepWords[type] ?? type}</strong> <Time at={occurred_at} />, by{" "}
            {actorWords[actor] ?? actor}
            {!confirmed && <span className="quiet"> · not yet confirmed</span>}
            {type === "fact.reverted" && <p>{sentences.reorganised}</p>}
            {typeof data.reason === "string" && <UserProse>{data.reason}</UserProse>}
            {typeof data.text === "string" && <UserProse>{data.text}</UserProse>}
            {typeof data.note === "string" && <UserProse>{data.note}</UserProse>}
            {transaction && (
              <p className="quiet">
                Transaction <code>{transaction.hash}</code>, block {transaction.block_number}
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
