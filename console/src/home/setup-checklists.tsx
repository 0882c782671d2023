import { Link } from "@tanstack/react-router";
import { ArrowRight, Check, X } from "lucide-react";
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { useSession } from "../session/session.ts";
import { i18n } from "../text/i18n.ts";
import { type Checklist, useChecklists } from "./setup-steps.ts";

/** The checklists of new buyers and providers. Each disappears when it is done or hidden. */
export function SetupChecklists() {
  const account = useSession()?.accountId ?? "";
  const [hidden, setHidden] = useState(() => readHidden(account));
  const lists = useChecklists().filter(({ side }) => !hidden.includes(side));
  if (lists.length === 0) return null;
  return (
    <div className="grid">
      {lists.map((list) => (
        <Steps
          key={list.side}
          list={list}
          onHide={() => {
            localStorage.setItem(keyOf(account), [...hidden, list.side].join(" "));
            setHidden([...hidden, list.side]);
          }}
        />
      ))}
    </div>
  );
}

const keyOf = (account: string) => `earnest.hidden-checklists ${account}`;
const readHidden = (account: string) => (localStorage.getItem(keyOf(account)) ?? "").split(" ");

function Steps({ list: { side, title, steps }, onHide }: { list: Checklist; onHide: () => void }) {
  const done = steps.filter(({ isDone }) => isDone).length;
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <section className="card first-steps" aria-labelledby={`checklist-${side}`}>
      <div className="card-head">
        <h2 id={`checklist-${side}`}>{title}</h2>
        <span className="quiet">{i18n.t("{done} of {count}", { done, count: steps.length })}</span>
        <Button
          variant="bare"
          size="small"
          icon={X}
          aria-label={i18n.t("Hide “{title}”", { title })}
          onPress={onHide}
        />
      </div>
      <ol>
        {steps.map(({ title: step, to, isDone }, at) => (
          <li key={step} data-progress={isDone ? "done" : at === next ? "current" : "open"}>
            <span className="dot" aria-hidden>
              {isDone && <Check size={12} />}
            </span>
            {isDone ? (
              <span>
                {step}
                <span className="hidden-text"> {i18n.t("(done)")}</span>
              </span>
            ) : (
              <Link to={to}>
                {step}
                {at === next && <ArrowRight size={14} aria-hidden />}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
