import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { OpenRequest } from "earnest-client";
import { type FormEvent, useState } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { fieldErrorAt } from "../agents/field-errors.ts";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { announce } from "../parts/toasts.tsx";
import { useClient } from "../session/client.ts";
import { queries } from "../session/session-queries.ts";
import { quotableQuery } from "./request-queries.ts";

const empty = { service: "", price: "", hours: "", message: "" };

/** Sends a quote on a request, with one of the account's published services. */
export function QuoteForm({ request }: { request: OpenRequest }) {
  const client = useClient();
  const quotable = useQuery(quotableQuery(client));
  const [draft, setDraft] = useState(empty);
  const [showAll, setShowAll] = useState(false);
  const chosen = quotable.data?.find(({ id }) => id === draft.service) ?? quotable.data?.[0];
  const sending = useMutation({
    mutationFn: async () => {
      setShowAll(true);
      if (!chosen || hoursFault) return;
      await client.quotes.give(request.id, {
        agent_slug: chosen.agent,
        service_id: chosen.id,
        price: draft.price.trim(),
        delivery_time_hours: Number(draft.hours),
        ...(draft.message.trim() === "" ? {} : { message: draft.message.trim() }),
      });
      announce("Quote sent.");
      setDraft(empty);
      setShowAll(false);
      void queries.invalidateQueries({ queryKey: ["request", request.id] });
      void queries.invalidateQueries({ queryKey: ["quotes"] });
    },
  });
  const hoursFault = /^[1-9]\d{0,3}$/.test(draft.hours.trim()) ? null : "Enter a whole number of hours.";
  const change = (part: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...part }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    sending.mutate();
  };
  return (
    <section aria-labelledby="send-quote">
      <h2 id="send-quote">Send a quote</h2>
      <Loaded query={quotable}>
        {(services) =>
          services.length === 0 ? (
            <p>
              To send a quote, you need a published service. <Link to="/sell/agents">Publish one first.</Link>
            </p>
          ) : (
            <form onSubmit={submit} noValidate>
              <ChoiceField
                label="Service"
                value={String(chosen?.id)}
                onChange={(service) => change({ service })}
                error={fieldErrorAt(sending.error, "service_id")}
                choices={services.map(({ id, words }) => [id, words] as const)}
              />
              <TextField
                label="Your price"
                help={`The total in ${request.currency}, for example 2.50.`}
                inputMode="decimal"
                value={draft.price}
                onChange={(price) => change({ price })}
                error={fieldErrorAt(sending.error, "price")}
              />
              <TextField
                label="Delivery time (hours)"
                help={`From payment. The service's default is ${chosen?.hours}.`}
                inputMode="numeric"
                value={draft.hours}
                onChange={(hours) => change({ hours })}
                error={(showAll ? hoursFault : null) ?? fieldErrorAt(sending.error, "delivery_time_hours")}
              />
              <TextField
                label="Message to the buyer (optional)"
                isLong
                most={longest.message}
                value={draft.message}
                onChange={(message) => change({ message })}
                error={fieldErrorAt(sending.error, "message")}
              />
              {sending.error && <ProblemNote error={sending.error} />}
              <div className="buttons">
                <Button type="submit" variant="primary" isPending={sending.isPending}>
                  Send quote
                </Button>
              </div>
            </form>
          )
        }
      </Loaded>
    </section>
  );
}
