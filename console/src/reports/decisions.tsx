import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Moderation } from "earnest-client";
import { type FormEvent, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { LongList } from "../parts/long-list.tsx";
import { pagedQuery } from "../parts/paging.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { TextField } from "../parts/text-field.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.ts";
import { UserProse } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { actText, kindText } from "./report-words.ts";

/** The operators' decisions about the account and what is its own, with an appeal against each that holds. */
export function Decisions() {
  const client = useClient();
  const decisions = useInfiniteQuery(pagedQuery(["moderations"], (page) => client.moderations.list(page)));
  if (decisions.data?.pages[0]?.items.length === 0) return null;
  return (
    <section aria-labelledby="decisions">
      <h2 id="decisions">{i18n.t("Decisions")}</h2>
      <LongList
        label={i18n.t("Decisions")}
        listClass="cards"
        rowHeight={160}
        query={decisions}
        counted={(total) => i18n.t("{total, plural, one {# decision} other {# decisions}}", { total })}
      >
        {(decision) => <Decision decision={decision} />}
      </LongList>
    </section>
  );
}

function Decision({ decision }: { decision: Moderation }) {
  const { act, subject, reason, in_force: isInForce, because_of: ban, appeal, created_at } = decision;
  return (
    <article>
      <p>
        <Chip tone={isInForce ? "bad" : "neutral"}>{actText(act)}</Chip> {kindText(subject.kind)}{" "}
        <code>{subject.id}</code> · <Time at={created_at} />
      </p>
      <UserProse>{reason}</UserProse>
      {appeal && (
        <>
          <p className="quiet">
            {i18n.t("Your appeal")} · <Time at={appeal.at} />
          </p>
          <UserProse>{appeal.text}</UserProse>
        </>
      )}
      {isInForce && !ban && !appeal && <AppealForm id={decision.id} />}
    </article>
  );
}

function AppealForm({ id }: { id: string }) {
  const client = useClient();
  const queries = useQueryClient();
  const [text, setText] = useState("");
  const sending = useMutation({
    mutationFn: async () => client.moderations.appeal(id, { text: text.trim() }),
    onSuccess: () => {
      announce(i18n.t("Appeal sent."));
      void queries.invalidateQueries({ queryKey: ["moderations"] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== "") sending.mutate();
  };
  return (
    <details>
      <summary>{i18n.t("Appeal (1 left)")}</summary>
      <form onSubmit={submit} noValidate>
        <TextField
          label={i18n.t("Why is the decision wrong?")}
          help={i18n.t("The operators read it and answer.")}
          value={text}
          onChange={setText}
          isLong
          most={longest.appeal}
        />
        {sending.error && <ProblemNote error={sending.error} />}
        <div className="buttons">
          <Button type="submit" isPending={sending.isPending} isDisabled={text.trim() === ""}>
            {i18n.t("Send appeal")}
          </Button>
        </div>
      </form>
    </details>
  );
}
