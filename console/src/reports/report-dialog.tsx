import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReportReason, SubjectKind } from "earnest-client";
import { type FormEvent, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { announce } from "../parts/toasts.ts";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { reasonChoices } from "./report-words.ts";

/** The dialog of a report to the operators. */
export function ReportDialog({
  onClose,
  ...subject
}: {
  kind: SubjectKind;
  id: string;
  onClose: (isSent: boolean) => void;
}) {
  return (
    <FormDialog title={i18n.t("Report to the operators")} onClose={() => onClose(false)}>
      <ReportForm {...subject} onClose={onClose} />
    </FormDialog>
  );
}

function ReportForm({
  kind,
  id,
  onClose,
}: {
  kind: SubjectKind;
  id: string;
  onClose: (isSent: boolean) => void;
}) {
  const client = useClient();
  const queries = useQueryClient();
  const [reason, setReason] = useState<ReportReason>("fraud");
  const [text, setText] = useState("");
  const sending = useMutation({
    mutationFn: async () => client.reports.create({ subject: { kind, id }, reason, text: text.trim() }),
    onSuccess: () => {
      announce(i18n.t("Report sent."));
      void queries.invalidateQueries({ queryKey: ["reports"] });
      onClose(true);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== "") sending.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <ChoiceField label={i18n.t("Reason")} value={reason} onChange={setReason} choices={reasonChoices()} />
      <TextField
        label={i18n.t("What is wrong?")}
        help={i18n.t("Only the operators read this. A report hides nothing by itself.")}
        value={text}
        onChange={setText}
        isLong
        most={longest.report}
      />
      {sending.error && <ProblemNote error={sending.error} />}
      <div className="buttons">
        <Button onPress={() => onClose(false)}>{i18n.t("Cancel")}</Button>
        <Button type="submit" variant="primary" isPending={sending.isPending} isDisabled={text.trim() === ""}>
          {i18n.t("Send report")}
        </Button>
      </div>
    </form>
  );
}
