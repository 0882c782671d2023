import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { EventType } from "earnest-client";
import { useState } from "react";
import { eventTypes } from "../../../protocol/settlement/vocabulary.ts";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";

/** Sends a test event to the endpoint, and opens its delivery. */
export function TestDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const client = useClient();
  const navigate = useNavigate();
  const [type, setType] = useState<EventType>("order.created");
  const sending = useMutation({
    mutationFn: async () => client.webhooks.sendTest(id, { type }),
    onSuccess: (delivery) =>
      navigate({
        to: "/webhooks/$webhookId/$deliveryId",
        params: { webhookId: id, deliveryId: delivery.id },
      }),
  });
  return (
    <FormDialog title={i18n.t("Send a test event")} onClose={onClose}>
      <p className="quiet">{i18n.t("The event is sent once, with sample data that is marked as a test.")}</p>
      <ChoiceField
        label={i18n.t("Event")}
        value={type}
        onChange={setType}
        choices={(Object.keys(eventTypes) as EventType[]).map((each) => [each, each] as const)}
      />
      {sending.error && <ProblemNote error={sending.error} />}
      <div className="dialog-end">
        <div className="buttons">
          <Button onPress={onClose}>{i18n.t("Cancel")}</Button>
          <Button variant="primary" isPending={sending.isPending} onPress={() => sending.mutate()}>
            {i18n.t("Send test")}
          </Button>
        </div>
      </div>
    </FormDialog>
  );
}
