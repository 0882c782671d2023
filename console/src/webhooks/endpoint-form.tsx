import { type FormEvent, useEffect, useRef, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { fieldErrorAt } from "../agents/field-errors.ts";
import { focusFirstFault } from "../form/focus-fault.ts";
import { Button } from "../parts/button.tsx";
import { cutText } from "../parts/cut-text.ts";
import { type ChosenEvents, EventChoice } from "../parts/event-choice.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { i18n } from "../text/i18n.ts";

export type EndpointFields = { url: string; description: string; events: ChosenEvents };

/** The form of an endpoint in a dialog: URL, description and events. */
export function EndpointForm({
  initial,
  submit,
  isPending,
  error,
  onCancel,
  onSubmit,
}: {
  initial: EndpointFields;
  /** the label of the submit button */
  submit: string;
  isPending: boolean;
  error: unknown;
  onCancel: () => void;
  onSubmit: (fields: EndpointFields) => void;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [fields, setFields] = useState(initial);
  const [isChecked, setChecked] = useState(false);
  const change = (changed: Partial<EndpointFields>) => setFields((before) => ({ ...before, ...changed }));
  const urlFault = URL.canParse(fields.url.trim()) ? null : i18n.t("Enter the full URL, with https://.");
  const eventFault = fields.events.length > 0 ? null : i18n.t("Choose at least one event.");
  useEffect(() => {
    if (error != null) focusFirstFault(form.current);
  }, [error]);
  const send = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (urlFault || eventFault) focusFirstFault(form.current);
    else onSubmit({ ...fields, url: fields.url.trim() });
  };
  return (
    <form ref={form} onSubmit={send} noValidate>
      <TextField
        label={i18n.t("URL")}
        help={i18n.t("An https URL at a public address.")}
        error={(isChecked && urlFault) || fieldErrorAt(error, "url")}
        isRequired
        inputMode="url"
        value={fields.url}
        onChange={(url) => change({ url: cutText(url, 2048) })}
      />
      <TextField
        label={i18n.t("Description")}
        help={i18n.t("For example, the program that listens there.")}
        error={fieldErrorAt(error, "description")}
        value={fields.description}
        onChange={(description) => change({ description })}
        most={longest.purpose}
      />
      <EventChoice
        chosen={fields.events}
        error={isChecked ? eventFault : null}
        onChange={(events) => change({ events })}
      />
      {error != null && <ProblemNote error={error} />}
      <div className="dialog-end">
        <div className="buttons">
          <Button onPress={onCancel}>{i18n.t("Cancel")}</Button>
          <Button type="submit" variant="primary" isPending={isPending}>
            {submit}
          </Button>
        </div>
      </div>
    </form>
  );
}
