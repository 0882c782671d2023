import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ApiError, type Earnest, type MailMode, type MailSetting } from "earnest-client";
import { type FormEvent, useState } from "react";
import { Button } from "../parts/button.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { type ChosenEvents, EventChoice } from "../parts/event-choice.tsx";
import { Field } from "../parts/field.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { announce } from "../parts/notices.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { useClient } from "../session/client.ts";

const statusWords: Record<MailSetting["status"], string> = {
  unverified: "A link was sent there. Open it within a day; until then nothing else is sent.",
  active: "Confirmed: it gets mail.",
  unsubscribed: "It was unsubscribed by the link in a message, and gets no mail. Save it again to get mail.",
  rejected: "Its server says that there is no such address. Set another one.",
};

const modes: [MailMode, string][] = [
  ["at_once", "As it happens, several events in one message where much happens"],
  ["digest", "One message a day"],
];

/** The setting, or null where none is made yet. */
async function readSetting(client: Earnest): Promise<MailSetting | null> {
  try {
    return await client.email.get();
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_found") return null;
    throw error;
  }
}

const isUnavailable = (error: unknown) => error instanceof ApiError && error.code === "email_unavailable";

/** Where mail of the account's events goes, and of which. */
export function EmailPage() {
  const client = useClient();
  const setting = useQuery({
    queryKey: ["email"],
    queryFn: () => readSetting(client),
    // The link is opened elsewhere, maybe.
    refetchInterval: ({ state }) => (state.data?.status === "unverified" ? 3000 : false),
  });
  return (
    <Page title="E-mail">
      <p>
        The service can tell you of events by mail. A message names the type, the time and the order's id, and
        nothing that a stranger wrote.
      </p>
      {isUnavailable(setting.error) ? (
        <p>
          This installation sends no mail. The same events come by <Link to="/webhooks">webhooks</Link>.
        </p>
      ) : (
        <Loaded query={setting}>
          {(found) => (
            <>
              {found && <State setting={found} />}
              <SettingForm key={found?.updated_at ?? ""} setting={found} />
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
      announce("The address is forgotten.");
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
          <dt>State</dt>
          <dd>
            <span role="status">{statusWords[status]}</span>
          </dd>
        </div>
      </dl>
      <ConfirmButton
        label="Forget the address"
        sure="Forget it: no more mail"
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
      announce(status === "unverified" ? "A link was sent to the address." : "The setting is saved.");
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
        <legend>When</legend>
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
        <Button
          type="submit"
          className="primary"
          isPending={saving.isPending}
          isDisabled={events.length === 0}
        >
          {setting?.status === "unverified" && address.trim() === setting.address
            ? "Save, and send the link again"
            : "Save"}
        </Button>
      </div>
    </form>
  );
}
