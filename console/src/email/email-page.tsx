import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ApiError, type Earnest, type MailMode, type MailSetting } from "earnest-client";
import { type FormEvent, useState } from "react";
import { Button } from "../parts/button.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { type ChosenEvents, EventChoice } from "../parts/event-choice.tsx";
import { Field } from "../parts/field.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { announce } from "../parts/toasts.tsx";
import { useClient } from "../session/client.ts";

const statusWords: Record<MailSetting["status"], string> = {
  unverified: "Not confirmed. Open the link in the email we sent you within a day.",
  active: "Confirmed",
  unsubscribed: "Unsubscribed. Save the address again to get email.",
  rejected: "The mail server rejected this address. Use another one.",
};

const modes: [MailMode, string][] = [
  ["at_once", "Immediately; busy periods are combined into one message"],
  ["digest", "Daily digest"],
];

/** Reads the setting, or null if there is none yet. */
async function readSetting(client: Earnest): Promise<MailSetting | null> {
  try {
    return await client.email.get();
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_found") return null;
    throw error;
  }
}

const isUnavailable = (error: unknown) => error instanceof ApiError && error.code === "email_unavailable";

/** The account's email address and the events that it gets. */
export function EmailPage() {
  const client = useClient();
  const setting = useQuery({
    queryKey: ["email"],
    queryFn: () => readSetting(client),
    // The link may be opened in another browser.
    refetchInterval: ({ state }) => (state.data?.status === "unverified" ? 3000 : false),
  });
  return (
    <Page title="Email">
      <p>Get an email when something happens to your orders.</p>
      {isUnavailable(setting.error) ? (
        <p>
          This installation sends no email. Use <Link to="/webhooks">webhooks</Link> instead.
        </p>
      ) : (
        <Loaded query={setting}>
          {(current) => (
            <>
              {current && <State setting={current} />}
              <SettingForm key={current?.updated_at ?? ""} setting={current} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}

function State({ setting: { address, status } }: { setting: MailSetting }) {
  const client = useClient();
  const queries = useQueryClient();
  const removing = useMutation({
    mutationFn: () => client.email.remove(),
    onSuccess: async () => {
      announce("Email address removed.");
      await queries.invalidateQueries({ queryKey: ["email"] });
    },
  });
  return (
    <>
      <dl className="facts">
        <div>
          <dt>Address</dt>
          <dd>{address}</dd>
        </div>
        <div>
          <dt>Status</dt>
          <dd>
            <span role="status">{statusWords[status]}</span>
          </dd>
        </div>
      </dl>
      <ConfirmButton
        label="Remove address"
        confirmLabel="Remove it and stop email"
        of={address}
        isPending={removing.isPending}
        error={removing.error}
        onPress={() => removing.mutate()}
      />
    </>
  );
}

function SettingForm({ setting }: { setting: MailSetting | null }) {
  const client = useClient();
  const queries = useQueryClient();
  const [address, setAddress] = useState(setting?.address ?? "");
  const [events, setEvents] = useState((setting?.events ?? ["*"]) as ChosenEvents);
  const [mode, setMode] = useState<MailMode>(setting?.mode ?? "at_once");
  const saving = useMutation({
    mutationFn: () => client.email.set({ address: address.trim(), events, mode }),
    onSuccess: async ({ status }) => {
      announce(status === "unverified" ? "Confirmation email sent." : "Settings saved.");
      await queries.invalidateQueries({ queryKey: ["email"] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Field label="Address" isRequired>
        {(wiring) => (
          <input
            {...wiring}
            type="email"
            required
            autoComplete="email"
            value={address}
            onChange={({ target }) => setAddress(target.value)}
          />
        )}
      </Field>
      <fieldset>
        <legend>Frequency</legend>
        {modes.map(([value, words]) => (
          <label className="check" key={value}>
            <input
              type="radio"
              name="mode"
              value={value}
              checked={mode === value}
              onChange={() => setMode(value)}
            />
            <span>{words}</span>
          </label>
        ))}
      </fieldset>
      <EventChoice chosen={events} onChange={setEvents} />
      {saving.error && <ProblemNote error={saving.error} />}
      <div className="buttons">
        <Button type="submit" variant="primary" isPending={saving.isPending} isDisabled={events.length === 0}>
          {setting?.status === "unverified" && address.trim() === setting.address
            ? "Save and resend link"
            : "Save"}
        </Button>
      </div>
    </form>
  );
}
