import { Trans } from "@lingui/react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { OrderStage } from "earnest-client";
import { type FormEvent, useRef, useState } from "react";
import { digestOf, digestOrNull } from "../../../protocol/settlement/digest.ts";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { focusFirstFault } from "../form/focus-fault.ts";
import { initialValueOf } from "../form/initial-value.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import type { Schema } from "../form/schema-input.ts";
import { checkValue } from "../form/value-check.ts";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { TextField } from "../parts/text-field.tsx";
import { announce } from "../parts/toasts.ts";
import { UserProse, UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { ActButton } from "../signing/act-button.tsx";
import { prepareRecord } from "../signing/delivery-signing.ts";
import { i18n } from "../text/i18n.ts";
import { currentStageOf } from "./current-stage.ts";
import { type OrderView, stagesQuery } from "./order-queries.ts";
import { providerTask } from "./provider-task.ts";

/** The provider's task: start the work, deliver it, or sign the delivery record. */
export function ProviderWork({ view }: { view: OrderView }) {
  const { order, trail } = view;
  const task = providerTask(view);
  const stage = currentStageOf(order);
  const revision = trail.findLast(
    ({ type, data }) =>
      type === "order.revision_requested" && (stage === null || data.stage === stage.number),
  );
  return (
    <>
      {order.status === "started" && revision && (
        <div className="note">
          <p>{i18n.t("The buyer requested a revision. Deliver again; the deadline stays the same.")}</p>
          <UserProse>{String(revision.data.reason)}</UserProse>
        </div>
      )}
      {task === "start" && <Start view={view} />}
      {task === "deliver" &&
        (stage ? <StageDelivery key={stage.number} view={view} stage={stage} /> : <Delivery view={view} />)}
      {task === "record" && <Recording view={view} />}
    </>
  );
}

function Start({ view: { order } }: { view: OrderView }) {
  const client = useClient();
  const queries = useQueryClient();
  const starting = useMutation({
    mutationFn: () => client.orders.start(order.id),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ["order", order.id] }),
  });
  return (
    <>
      <p>{i18n.t("Payment is secured. Start work or decline and refund.")}</p>
      {starting.error && <ProblemNote error={starting.error} />}
      <div className="buttons">
        <Button variant="primary" isPending={starting.isPending} onPress={() => starting.mutate()}>
          {i18n.t("Start work")}
        </Button>
      </div>
    </>
  );
}

/** The delivery form, made from the output schema of the order's agreement. */
function Delivery({ view }: { view: OrderView }) {
  const { agreement } = view;
  const client = useClient();
  const agreed = useQuery({
    queryKey: ["order", view.order.id, "output-schema"],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const service = await client.services.get(String(agreement.agent_slug), String(agreement.service_slug));
      const isSame = digestOrNull(service.output_schema) === (agreement.output_schema_digest ?? null);
      return { isSame, schema: isSame ? (service.output_schema as Schema | null) : null };
    },
  });
  return (
    <Loaded query={agreed}>
      {({ isSame, schema }) => (
        <>
          {!isSame && (
            <p className="note">
              {i18n.t(
                "The service's output schema changed after this order was placed. Enter the output as JSON. It is checked against the agreed schema.",
              )}
            </p>
          )}
          <DeliveryForm
            view={view}
            schema={schema}
            before={view.order.output_payload}
            isFree={isSame && schema === null}
          />
        </>
      )}
    </Loaded>
  );
}

/** The delivery form of a stage, made from the stage's own schema. */
function StageDelivery({ view, stage }: { view: OrderView; stage: OrderStage }) {
  const delivered = useQuery(stagesQuery(useClient(), view.order.id));
  return (
    <>
      <p>
        <Trans
          id="Deliver stage {number}: {title}"
          values={{ number: stage.number, title: <UserText>{stage.title}</UserText> }}
        />
      </p>
      <Loaded query={delivered}>
        {(stages) => {
          const own = stages.find(({ number }) => number === stage.number);
          const schema = (own?.output_schema as Schema | null | undefined) ?? null;
          return (
            <DeliveryForm
              view={view}
              schema={schema}
              before={own?.output_payload ?? null}
              isFree={schema === null}
            />
          );
        }}
      </Loaded>
    </>
  );
}

function DeliveryForm({
  view: { order, trail },
  schema,
  before,
  isFree,
}: {
  view: OrderView;
  schema: Schema | null;
  /** the output of the delivery before; null without one */
  before: Record<string, unknown> | null;
  /** whether the agreement accepts any output, so that one text is enough */
  isFree: boolean;
}) {
  const client = useClient();
  const queries = useQueryClient();
  const [output, setOutput] = useState<unknown>(() => before ?? initialValueOf(schema));
  const [note, setNote] = useState("");
  const isMetered = order.pricing_model === "metered";
  const [units, setUnits] = useState(String(order.units ?? order.quantity));
  const charged = /^[1-9]\d{0,9}$/.test(units) && Number(units) <= order.quantity ? Number(units) : null;
  const [showAll, setShowAll] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const delivering = useMutation({
    mutationFn: async () => {
      setShowAll(true);
      const violations = schema ? await checkValue(schema, output) : null;
      if ((violations && violations.size > 0) || (isMetered && charged === null))
        return focusFirstFault(form.current);
      const output_payload = (output ?? null) as Record<string, unknown> | null;
      // The same output sent again is the same delivery, except after a revision request.
      const count = trail.filter(({ type }) => type === "order.delivered").length;
      const noteField = note.trim() === "" ? {} : { note: note.trim() };
      const unitsField = isMetered && charged !== null ? { units: charged } : {};
      const idempotencyKey = `deliver-${order.id}-${count + 1}-${digestOf({ output_payload, ...unitsField, ...noteField }).slice(2, 34)}`;
      await client.orders.deliver(
        order.id,
        { output_payload, ...unitsField, ...noteField },
        { idempotencyKey },
      );
      announce(i18n.t("Delivered. Now confirm the delivery on-chain."));
      await queries.invalidateQueries({ queryKey: ["order", order.id] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    delivering.mutate();
  };
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <SchemaForm
        schema={schema}
        value={output}
        onChange={setOutput}
        showsAllFaults={showAll}
        legend={i18n.t("Output")}
        {...(isFree ? { plain: { name: "result", label: i18n.t("Your result") } } : {})}
      />
      {isMetered && (
        <Field
          label={i18n.t("Units to charge")}
          help={i18n.t("At most {most}. The buyer gets the rest back.", { most: order.quantity })}
          error={charged === null ? i18n.t("Enter a whole number above zero.") : null}
          isRequired
        >
          {(wiring) => (
            <input
              {...wiring}
              inputMode="numeric"
              value={units}
              disabled={order.units !== null}
              onChange={({ target }) => setUnits(target.value)}
            />
          )}
        </Field>
      )}
      <TextField
        label={i18n.t("Message to the buyer")}
        value={note}
        onChange={setNote}
        isLong
        most={longest.note}
      />
      {delivering.error && <ProblemNote error={delivering.error} />}
      <div className="buttons">
        <Button type="submit" variant="primary" isPending={delivering.isPending}>
          {i18n.t("Deliver")}
        </Button>
      </div>
    </form>
  );
}

function Recording({ view: { order, trail } }: { view: OrderView }) {
  const client = useClient();
  const session = useSession();
  const queries = useQueryClient();
  const delivered = trail.findLast(({ type }) => type === "order.delivered");
  return (
    <>
      <p>
        {i18n.t(
          "The delivery is not confirmed on-chain yet. Until then, only the buyer can release your payment, and can reclaim it after the deadline.",
        )}
      </p>
      {order.provider_address.toLowerCase() === session?.address.toLowerCase() ? (
        <div className="buttons">
          <ActButton
            isPrimary
            prepare={() =>
              prepareRecord(client, order.id, order.provider_address, delivered?.data.output_hash)
            }
            onDone={() => void queries.invalidateQueries({ queryKey: ["order", order.id] })}
          >
            {i18n.t("Confirm delivery on-chain")}
          </ActButton>
        </div>
      ) : (
        <p>{i18n.t("Sign in with the wallet {wallet} to confirm it.", { wallet: order.provider_address })}</p>
      )}
    </>
  );
}
