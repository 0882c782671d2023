import { revalidateLogic, useForm } from "@tanstack/react-form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { OpenRequest } from "earnest-client";
import { type FormEvent, useRef } from "react";
import { showHidden } from "../../../protocol/json/text.ts";
import { amountPattern } from "../../../protocol/settlement/money.ts";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { fieldErrorAt } from "../agents/field-errors.ts";
import { focusFirstFault } from "../form/focus-fault.ts";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { announce } from "../parts/toasts.ts";
import { useClient } from "../session/client.ts";
import { queries } from "../session/session-queries.ts";
import { hasFaults, type StageDraft, stagesOf, totalsOf } from "../stages/stage-draft.ts";
import { StageFields } from "../stages/stage-fields.tsx";
import { i18n } from "../text/i18n.ts";
import { type Quotable, quotableQuery } from "./request-queries.ts";

type Draft = { service: string; price: string; hours: string; stages: StageDraft[]; message: string };
const empty: Draft = { service: "", price: "", hours: "", stages: [], message: "" };

/** Sends a quote on a request, with one of the account's published services. */
export function QuoteForm({ request }: { request: OpenRequest }) {
  const quotable = useQuery(quotableQuery(useClient()));
  return (
    <section className="card" aria-labelledby="send-quote">
      <h2 id="send-quote">{i18n.t("Send a quote")}</h2>
      <Loaded query={quotable}>
        {(services) =>
          services.length === 0 ? (
            <p>
              {i18n.t("To send a quote, you need a published service.")}{" "}
              <Link to="/sell/agents">{i18n.t("View your agents")}</Link>
            </p>
          ) : (
            <Fields request={request} services={services} />
          )
        }
      </Loaded>
    </section>
  );
}

function Fields({ request, services }: { request: OpenRequest; services: readonly Quotable[] }) {
  const client = useClient();
  const element = useRef<HTMLFormElement>(null);
  const focusFault = () => focusFirstFault(element.current);
  const serviceOf = (id: string) => services.find((service) => service.id === id) ?? services[0];
  const sending = useMutation({
    mutationFn: async ({ service, stages, message, ...single }: Draft) => {
      const chosen = serviceOf(service) as Quotable;
      const whole = stages.length > 0 ? totalsOf(stages) : single;
      await client.quotes.give(request.id, {
        agent_slug: chosen.agent,
        service_id: chosen.id,
        price: whole.price.trim(),
        delivery_time_hours: Number(whole.hours),
        ...(stages.length > 0 ? { stages: stagesOf(stages) } : {}),
        ...(message.trim() === "" ? {} : { message: message.trim() }),
      });
    },
    onSuccess: () => {
      announce(i18n.t("Quote sent."));
      form.reset();
      void queries.invalidateQueries({ queryKey: ["request", request.id] });
      void queries.invalidateQueries({ queryKey: ["quotes"] });
    },
    onError: focusFault,
  });
  const form = useForm({
    defaultValues: empty,
    validationLogic: revalidateLogic(),
    onSubmit: ({ value }) => sending.mutate(value),
    onSubmitInvalid: focusFault,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void form.handleSubmit();
  };
  return (
    <form ref={element} onSubmit={submit} noValidate>
      <form.Field name="service">
        {(field) => (
          <ChoiceField
            label={i18n.t("Service")}
            value={serviceOf(field.state.value)?.id ?? ""}
            onChange={field.handleChange}
            error={fieldErrorAt(sending.error, "service_id")}
            choices={services.map(({ id, title, agentName }) => [id, showHidden(`${title} (${agentName})`)])}
          />
        )}
      </form.Field>
      <form.Subscribe
        selector={({ values }) => [values.stages.length > 0, serviceOf(values.service)] as const}
      >
        {([isStaged, service]) => (
          <>
            {!isStaged && (
              <>
                <form.Field
                  name="price"
                  validators={{
                    onDynamic: ({ value, fieldApi }) =>
                      isInStages(fieldApi.form.state.values) ? undefined : priceFault(value),
                  }}
                >
                  {(field) => (
                    <TextField
                      label={i18n.t("Your price")}
                      isRequired
                      help={i18n.t("The total in {currency}, for example 2.50.", {
                        currency: service?.currency,
                      })}
                      inputMode="decimal"
                      value={field.state.value}
                      onChange={field.handleChange}
                      error={field.state.meta.errors[0] ?? fieldErrorAt(sending.error, "price")}
                    />
                  )}
                </form.Field>
                <form.Field
                  name="hours"
                  validators={{
                    onDynamic: ({ value, fieldApi }) =>
                      isInStages(fieldApi.form.state.values) ? undefined : hoursFault(value),
                  }}
                >
                  {(field) => (
                    <TextField
                      label={i18n.t("Delivery time (hours)")}
                      help={i18n.t("From payment. The service's default is {usual}.", {
                        usual: service?.hours,
                      })}
                      inputMode="numeric"
                      value={field.state.value}
                      onChange={field.handleChange}
                      error={field.state.meta.errors[0] ?? fieldErrorAt(sending.error, "delivery_time_hours")}
                    />
                  )}
                </form.Field>
              </>
            )}
            <form.Field
              name="stages"
              validators={{ onDynamic: ({ value }) => (hasFaults(value) ? true : undefined) }}
            >
              {(field) => (
                <StageFields
                  stages={field.state.value}
                  onChange={field.handleChange}
                  currency={service?.currency ?? ""}
                  showsFaults={field.state.meta.errors.length > 0}
                  refusalOf={(name) => fieldErrorAt(sending.error, name)}
                />
              )}
            </form.Field>
          </>
        )}
      </form.Subscribe>
      <form.Field name="message">
        {(field) => (
          <TextField
            label={i18n.t("Message to the buyer")}
            isLong
            most={longest.message}
            value={field.state.value}
            onChange={field.handleChange}
            error={fieldErrorAt(sending.error, "message")}
          />
        )}
      </form.Field>
      {sending.error && <ProblemNote error={sending.error} />}
      <div className="buttons">
        <Button type="submit" variant="primary" isPending={sending.isPending}>
          {i18n.t("Send quote")}
        </Button>
      </div>
    </form>
  );
}

const isInStages = ({ stages }: Draft): boolean => stages.length > 0;

const priceFault = (text: string) =>
  amountPattern.test(text.trim()) ? undefined : i18n.t("Enter a price as in 2.50.");

const hoursFault = (text: string) =>
  /^[1-9]\d{0,3}$/.test(text.trim()) ? undefined : i18n.t("Enter a whole number of hours.");
