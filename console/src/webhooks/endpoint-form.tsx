import { type FormEvent, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { cutText } from "../parts/cut-text.ts";
import { type ChosenEvents, EventChoice } from "../parts/event-choice.tsx";
import { Field } from "../parts/field.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";

export type EndpointFields = { url: string; description: string; events: ChosenEvents };

/** The form of an endpoint: URL, description and events. */
export function EndpointForm({
  initial,
  submit,
  isPending,
  error,
  onSubmit,
}: {
  initial: EndpointFields;
  /** the label of the submit button */
  submit: string;
  isPending: boolean;
  error: unknown;
  onSubmit: (fields: EndpointFields) => void;
}) {
  const [fields, setFields] = useState(initial);
  const change = (changed: Partial<EndpointFields>) => setFields((before) => ({ ...before, ...changed }));
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(fields);
  };
  return (
    <form onSubmit={send}>
      <Field label="URL" help="An https URL at a public address." isRequired>
        {(wiring) => (
          <input
            {...wiring}
            type="url"
            required
            value={fields.url}
            onChange={({ target }) => change({ url: cutText(target.value, 2048) })}
          />
        )}
      </Field>
      <TextField
        label="Description"
        help="For example, the program that listens there."
        value={fields.description}
        onChange={(description) => change({ description })}
        most={longest.purpose}
      />
      <EventChoice chosen={fields.events} onChange={(events) => change({ events })} />
      {error != null && <ProblemNote error={error} />}
      <div className="buttons">
        <Button type="submit" variant="primary" isPending={isPending} isDisabled={fields.events.length === 0}>
          {submit}
        </Button>
      </div>
    </form>
  );
}
