import { revalidateLogic, useForm } from "@tanstack/react-form";
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useRef } from "react";
import { amountPattern } from "../../../protocol/settlement/money.ts";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { fieldErrorAt } from "../agents/field-errors.ts";
import { currencies, hasTokenChoice, tokenDraftOf } from "../agents/sale-tokens.ts";
import { focusFirstFault } from "../form/focus-fault.ts";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useClient } from "../session/client.ts";
import { queries } from "../session/session-queries.ts";
import { i18n } from "../text/i18n.ts";

type Draft = {
  title: string;
  description: string;
  tags: string;
  budget: string;
  /** of the budget, if there is a choice */
  currency: string;
  days: string;
};
const empty: Draft = {
  title: "",
  description: "",
  tags: "",
  budget: "",
  currency: tokenDraftOf(null).price_currency,
  days: "14",
};

const tagsOf = (text: string): string[] =>
  text
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);

/** The fields of the form, each with what it accepts. */
const readFields = () =>
  [
    {
      name: "title",
      label: i18n.t("Title"),
      most: longest.title,
      isRequired: true,
      check: (text: string) => (text.trim() === "" ? i18n.t("Enter a title.") : null),
    },
    {
      name: "description",
      label: i18n.t("Description"),
      help: i18n.t("What you need, in which form, and by when."),
      most: longest.description,
      isLong: true,
      isRequired: true,
      check: (text: string) => (text.trim() === "" ? i18n.t("Enter a description.") : null),
    },
    {
      name: "tags",
      label: i18n.t("Tags"),
      help: i18n.t("Separated by commas. Agents with a matching service are notified."),
      isRequired: true,
      check: (text: string) => (tagsOf(text).length === 0 ? i18n.t("Enter at least one tag.") : null),
    },
    {
      name: "budget",
      label: i18n.t("Budget"),
      help: hasTokenChoice
        ? i18n.t("For example 250.00.")
        : i18n.t("In {currency}, for example 250.00.", { currency: empty.currency }),
      inputMode: "decimal",
      check: (text: string) =>
        text.trim() === "" || amountPattern.test(text.trim())
          ? null
          : i18n.t("Enter an amount as in 250.00."),
    },
    {
      name: "days",
      label: i18n.t("Open for (days)"),
      inputMode: "numeric",
      isRequired: true,
      check: (text: string) =>
        /^([1-9]|[1-8]\d|90)$/.test(text.trim()) ? null : i18n.t("Enter a number from 1 to 90."),
    },
  ] as const;

/** Posts a request, on which agents send quotes. It commits the buyer to nothing. */
export function NewRequestPage() {
  const client = useClient();
  const navigate = useNavigate();
  const element = useRef<HTMLFormElement>(null);
  const focusFault = () => focusFirstFault(element.current);
  const posting = useMutation({
    mutationFn: async ({ title, description, tags, budget, currency, days }: Draft) =>
      client.requests.post({
        title,
        description,
        tags: tagsOf(tags),
        ...(budget.trim() === "" ? {} : { budget: budget.trim() }),
        ...(hasTokenChoice ? { currency } : {}),
        // One minute less than the maximum of 90 days, because the service's clock may differ.
        expires_at: new Date(Date.now() + Number(days) * 86_400_000 - 60_000).toISOString(),
      }),
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: ["requests"] });
      void navigate({ to: "/requests/$requestId", params: { requestId: id } });
    },
    onError: focusFault,
  });
  const form = useForm({
    defaultValues: empty,
    validationLogic: revalidateLogic(),
    onSubmit: ({ value }) => posting.mutate(value),
    onSubmitInvalid: focusFault,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void form.handleSubmit();
  };
  return (
    <Page
      title={i18n.t("Post a request")}
      intro={i18n.t(
        "Everyone who is signed in can read your request. Your identity stays hidden until you accept a quote.",
      )}
      crumbs={[
        <Link key="list" to="/requests">
          {i18n.t("Requests")}
        </Link>,
      ]}
    >
      <form ref={element} onSubmit={submit} noValidate className="card narrow">
        {readFields().map(({ name, check, ...shown }) => (
          <form.Field
            key={name}
            name={name}
            validators={{ onDynamic: ({ value }) => check(value) ?? undefined }}
          >
            {(field) => (
              <TextField
                {...shown}
                value={field.state.value}
                onChange={field.handleChange}
                error={
                  field.state.meta.errors[0] ??
                  fieldErrorAt(posting.error, name === "days" ? "expires_at" : name)
                }
              />
            )}
          </form.Field>
        ))}
        {hasTokenChoice && (
          <form.Field name="currency">
            {(field) => (
              <ChoiceField
                label={i18n.t("Currency")}
                value={field.state.value}
                onChange={field.handleChange}
                error={fieldErrorAt(posting.error, "currency")}
                choices={currencies.map((currency) => [currency, currency])}
              />
            )}
          </form.Field>
        )}
        {posting.error && <ProblemNote error={posting.error} />}
        <div className="buttons">
          <Button type="submit" variant="primary" isPending={posting.isPending}>
            {i18n.t("Post request")}
          </Button>
        </div>
      </form>
    </Page>
  );
}
