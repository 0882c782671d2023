import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { focusFirstFault } from "../form/focus-fault.ts";
import { Button } from "../parts/button.tsx";
import { DateField } from "../parts/date-field.tsx";
import { startOfDay } from "../parts/day.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";

/** Sends the events that an endpoint missed since a day. */
export function RecoveryDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const client = useClient();
  const form = useRef<HTMLFormElement>(null);
  const [since, setSince] = useState("");
  const [isChecked, setChecked] = useState(false);
  const starting = useMutation({
    mutationFn: async (from: string) => client.webhooks.recoveries.start(id, { since: from }),
  });
  const recoveryId = starting.data?.id;
  const recovery = useQuery({
    queryKey: ["webhook", id, "recovery", recoveryId],
    queryFn: async () => client.webhooks.recoveries.get(id, recoveryId ?? ""),
    enabled: recoveryId !== undefined,
    refetchInterval: ({ state }) => (state.data?.status === "running" ? 1000 : false),
  });
  const from = startOfDay(since);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (from === undefined) focusFirstFault(form.current);
    else starting.mutate(from);
  };
  const current = recovery.data ?? starting.data;
  return (
    <FormDialog title={i18n.t("Replay missed events")} onClose={onClose}>
      <form ref={form} onSubmit={submit} noValidate>
        <p className="quiet">
          {i18n.t("Sends every event since this day that the endpoint missed, at most 30 days back.")}
        </p>
        <DateField
          label={i18n.t("Since")}
          error={isChecked && from === undefined ? i18n.t("Choose a day.") : null}
          value={since}
          onChange={setSince}
        />
        {starting.error && <ProblemNote error={starting.error} />}
        {recovery.error && <ProblemNote error={recovery.error} />}
        {current && (
          <p role="status">
            {current.status === "running" &&
              i18n.t("{queued} of {total} events queued.", { queued: current.queued, total: current.total })}
            {current.status === "done" &&
              i18n.t("{queued, plural, one {# event} other {# events}} queued. See Deliveries.", {
                queued: current.queued,
              })}
            {current.status === "failed" && i18n.t("The replay failed. Start it again.")}
          </p>
        )}
        <div className="dialog-end">
          <div className="buttons">
            <Button onPress={onClose}>{i18n.t("Close")}</Button>
            <Button
              type="submit"
              variant="primary"
              isPending={starting.isPending || current?.status === "running"}
            >
              {i18n.t("Replay events")}
            </Button>
          </div>
        </div>
      </form>
    </FormDialog>
  );
}
