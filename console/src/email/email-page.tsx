import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ApiError, type MailMode, type MailSetting } from "earnest-client";
import { MailX } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { focusFirstFault } from "../form/focus-fault.ts";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { type ChosenEvents, EventChoice } from "../parts/event-choice.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Chip, type Tone } from "../parts/status-chip.tsx";
import { TextField } from "../parts/text-field.tsx";
import { announce } from "../parts/toasts.ts";
import { useClient } from "../session/client.ts";
import { readIfThere } from "../session/read-if-there.ts";
import { type Language, languages } from "../text/catalogues.ts";
import { i18n } from "../text/i18n.ts";
import { currentLanguage } from "../text/language.ts";

/** Names the status of the address, with the colour of its chip. */
const statusOf = (status: MailSetting["status"]): [string, Tone] =>
  (
    ({
      unverified: [i18n.t("Not confirmed"), "warn"],
      active: [i18n.t("Confirmed"), "good"],
      unsubscribed: [i18n.t("Unsubscribed"), "neutral"],
      rejected: [i18n.t("Rejected"), "bad"],
    }) satisfies Record<MailSetting["status"], [string, Tone]>
  )[status] as [string, Tone];

/** Says what to do about a status; null if nothing is to be done. */
const adviceOf = (status: MailSetting["status"]): string | null =>
  ({
    unverified: i18n.t("Open the link in the email we sent you within a day."),
    active: null,
    unsubscribed: i18n.t("Save the address again to get email."),
    rejected: i18n.t("The mail server rejected this address. Use another one."),
  })[status];

const readModes = (): [MailMode, string][] => [
  ["at_once", i18n.t("Immediately; busy periods are combined into one message")],
  ["digest", i18n.t("Daily digest")],
];

const isUnavailable = (error: unknown) => error instanceof ApiError && error.code === "email_unavailable";

/** The account's email address and the events that it gets. */
export function EmailPage() {
  const client = useClient();
  const setting = useQuery({
    queryKey: ["email"],
    queryFn: () => readIfThere(client.email.get()),
    // The link may be opened in another browser.
    refetchInterval: ({ state }) => (state.data?.status === "unverified" ? 3000 : false),
  });
  return (
    <Page
      title={i18n.t("Notifications")}
      intro={i18n.t("Get an email when something happens to your orders.")}
    >
      {isUnavailable(setting.error) ? (
        <EmptyState
          icon={MailX}
          title={i18n.t("This installation sends no email")}
          action={
            <Link to="/webhooks" className="button primary">
              {i18n.t("Set up webhooks")}
            </Link>
          }
        >
          {i18n.t("Webhooks tell your programs about each event.")}
        </EmptyState>
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
      announce(i18n.t("Email address removed."));
      await queries.invalidateQueries({ queryKey: ["email"] });
    },
  });
  const [text, tone] = statusOf(status);
  const advice = adviceOf(status);
  return (
    <section className="card narrow" aria-label={i18n.t("Address")}>
      <div className="card-head">
        <strong>{address}</strong>
        <span role="status">
          <Chip tone={tone}>{text}</Chip>
        </span>
      </div>
      {advice && <p className="quiet">{advice}</p>}
      <ConfirmButton
        label={i18n.t("Remove address")}
        confirmLabel={i18n.t("Remove it and stop email")}
        of={address}
        isPending={removing.isPending}
        error={removing.error}
        onPress={() => removing.mutate()}
      />
    </section>
  );
}

function SettingForm({ setting }: { setting: MailSetting | null }) {
  const client = useClient();
  const queries = useQueryClient();
  const [address, setAddress] = useState(setting?.address ?? "");
  const [events, setEvents] = useState((setting?.events ?? ["*"]) as ChosenEvents);
  const [mode, setMode] = useState<MailMode>(setting?.mode ?? "at_once");
  const [language, setLanguage] = useState<Language>(setting?.language ?? currentLanguage());
  const saving = useMutation({
    mutationFn: () => client.email.set({ address: address.trim(), events, mode, language }),
    onSuccess: async ({ status }) => {
      announce(status === "unverified" ? i18n.t("Confirmation email sent.") : i18n.t("Settings saved."));
      await queries.invalidateQueries({ queryKey: ["email"] });
    },
  });
  const form = useRef<HTMLFormElement>(null);
  const [isChecked, setChecked] = useState(false);
  const addressFault = /^\S+@\S+\.\S+$/.test(address.trim()) ? null : i18n.t("Enter an email address.");
  const eventFault = events.length > 0 ? null : i18n.t("Choose at least one event.");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (addressFault || eventFault) focusFirstFault(form.current);
    else saving.mutate();
  };
  return (
    <form ref={form} onSubmit={submit} noValidate className="card narrow">
      <TextField
        label={i18n.t("Address")}
        error={isChecked ? addressFault : null}
        isRequired
        value={address}
        onChange={setAddress}
      />
      <fieldset>
        <legend>{i18n.t("Frequency")}</legend>
        {readModes().map(([value, words]) => (
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
      <ChoiceField
        label={i18n.t("Language of the emails")}
        value={language}
        onChange={setLanguage}
        choices={Object.entries(languages) as [Language, string][]}
      />
      <EventChoice chosen={events} error={isChecked ? eventFault : null} onChange={setEvents} />
      {saving.error && <ProblemNote error={saving.error} />}
      <div className="buttons">
        <Button type="submit" variant="primary" isPending={saving.isPending}>
          {setting?.status === "unverified" && address.trim() === setting.address
            ? i18n.t("Save and resend link")
            : i18n.t("Save")}
        </Button>
      </div>
    </form>
  );
}
