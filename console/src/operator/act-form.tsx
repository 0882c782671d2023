import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ModerationAct, ModerationSubjectDetail as Subject } from "earnest-client";
import { useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { withholdingActs } from "../../../protocol/settlement/vocabulary.ts";
import { ChoiceField } from "../parts/choice-field.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { TextField } from "../parts/text-field.tsx";
import { announce } from "../parts/toasts.ts";
import { asPerson } from "../session/as-person.ts";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";

const labelOf = (act: ModerationAct): string => {
  const labels: Record<ModerationAct, string> = {
    suspend: i18n.t("Suspend"),
    hide: i18n.t("Hide"),
    ban: i18n.t("Ban"),
    restore: i18n.t("Restore"),
    dismiss: i18n.t("Take no action"),
  };
  return labels[act];
};

/** The form by which an operator decides about a subject. */
export function ActForm({ subject }: { subject: Subject }) {
  const client = useClient();
  const queries = useQueryClient();
  const hasOpen = subject.open_reports > 0 || subject.appealed;
  const acts: ModerationAct[] = [
    subject.withheld ? "restore" : withholdingActs[subject.subject.kind],
    ...(hasOpen ? (["dismiss"] as const) : []),
  ];
  const [act, setAct] = useState<ModerationAct>(acts[0] ?? "dismiss");
  const [reason, setReason] = useState("");
  const [answer, setAnswer] = useState("");
  const [isMissing, setMissing] = useState(false);
  const acting = useMutation({
    mutationFn: async () => {
      const text = answer.trim();
      const decision = { act, reason: reason.trim(), ...(text === "" ? {} : { answer: text }) };
      return client.operator.subjects.act(subject.subject.id, decision, asPerson);
    },
    onSuccess: () => {
      announce(i18n.t("Decided."));
      void queries.invalidateQueries({ queryKey: ["operator"] });
    },
  });
  return (
    <section className="card" aria-labelledby="decide">
      <h2 id="decide">{i18n.t("Decide")}</h2>
      <ChoiceField
        label={i18n.t("Action")}
        value={act}
        onChange={setAct}
        choices={acts.map((one) => [one, labelOf(one)] as const)}
      />
      <TextField
        label={i18n.t("Reason")}
        help={i18n.t("The owner reads it. It is in the audit log.")}
        error={isMissing && reason.trim() === "" ? i18n.t("Write the reason.") : null}
        isRequired
        value={reason}
        onChange={setReason}
        isLong
        most={longest.act}
      />
      {subject.open_reports > 0 && (
        <TextField
          label={i18n.t("Answer to the reporters")}
          value={answer}
          onChange={setAnswer}
          isLong
          most={longest.act}
        />
      )}
      <p className="quiet">{i18n.t("Open orders go on. No decision moves money.")}</p>
      <ConfirmButton
        label={labelOf(act)}
        confirmLabel={i18n.t("Confirm: {act}", { act: labelOf(act) })}
        of={subject.title}
        isPending={acting.isPending}
        error={acting.error}
        onPress={() => (reason.trim() === "" ? setMissing(true) : acting.mutate())}
      />
    </section>
  );
}
