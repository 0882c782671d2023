import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReportReason, SubjectKind } from "earnest-client";
import { Flag } from "lucide-react";
import { type FormEvent, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { announce } from "../parts/toasts.ts";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { i18n } from "../text/i18n.ts";
import { reasonChoices } from "./report-words.ts";

/**
 * A button that reports a subject to the operators, for signed-in people.
 *
 * @param of a name that tells the button from others on the page
 */
export function ReportButton({
  kind,
  id,
  of,
  onReported,
}: {
  kind: SubjectKind;
  id: string;
  of?: string;
  onReported?: () => void;
}) {
  const session = useSession();
  const [isOpen, setOpen] = useState(false);
  if (!session) return null;
  return (
    <>
      <Button
        size="small"
        variant={of === undefined ? undefined : "bare"}
        icon={Flag}
        aria-label={of === undefined ? undefined : i18n.t("Report {name}", { name: of })}
        onPress={() => setOpen(true)}
      >
        {i18n.t("Report")}
      </Button>
      {isOpen && (
        <FormDialog title={i18n.t("Report to the operators")} onClose={() => setOpen(false)}>
          <ReportForm
            kind={kind}
            id={id}
            onClose={(isSent) => {
              setOpen(false);
              if (isSent) onReported?.();
            }}
          />
        </FormDialog>
      )}
    </>
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
