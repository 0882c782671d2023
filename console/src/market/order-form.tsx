import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Agent, Quote, Service, SettlementRail } from "earnest-client";
import { type FormEvent, useMemo, useState } from "react";
import { zeroAddress } from "viem";
import { formatAmount } from "../../../protocol/settlement/money.ts";
import { beginningOf, type Schema } from "../form/schema.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import { checkValue } from "../form/value-check.ts";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { Field } from "../parts/field.tsx";
import { moneyText } from "../parts/money.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { placeOrder } from "./place-order.ts";

const railWords: Record<SettlementRail, string> = {
  x402: "By one signature, without gas (x402)",
  escrow: "By two transactions of your wallet",
};

/**
 * Orders a service, at its own price or at a quote's. No money moves here: the order's page has the payment.
 *
 * @param quote whose price and time count, for one of it
 */
export function OrderForm({ service, agent, quote }: { service: Service; agent: Agent; quote?: Quote }) {
  const client = useClient();
  const session = useSession();
  const navigate = useNavigate();
  const schema = service.input_schema as Schema | null;
  const [input, setInput] = useState<unknown>(() => beginningOf(schema));
  const [quantity, setQuantity] = useState(quote ? "1" : String(service.min_quantity));
  const [rail, setRail] = useState<SettlementRail>("x402");
  // Nobody is chosen for the buyer that the provider alone may trust.
  const [arbiter, setArbiter] = useState("");
  const [showAll, setShowAll] = useState(false);
  // One order for what is written, however often it is sent: an answer that was lost is asked for again.
  const key = useMemo(() => newKey(input, quantity, rail, arbiter), [input, quantity, rail, arbiter]);
  const placing = useMutation({
    mutationFn: async () => {
      setShowAll(true);
      const violations = schema ? await checkValue(schema, input) : null;
      if (violations && violations.size > 0) return null;
      return await placeOrder(client, {
        service,
        agent,
        quote,
        input: (input ?? null) as Record<string, unknown> | null,
        quantity: Number(quantity),
        rail,
        arbiter: arbiter || undefined,
        buyer: session?.address ?? "",
        key,
      });
    },
    onSuccess: (order) => {
      if (order) void navigate({ to: "/orders/$orderId", params: { orderId: order.id } });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    placing.mutate();
  };
  const isPlan = service.pricing_model === "subscription";
  const counts = !quote && !isPlan && service.max_quantity !== 1;
  const { price, price_base_units } = quote ?? service;
  const units = /^[1-9]\d{0,8}$/.test(quantity) ? BigInt(quantity) * BigInt(price_base_units ?? 0) : null;
  return (
    <form onSubmit={submit} noValidate>
      <SchemaForm
        schema={schema}
        value={input}
        onChange={setInput}
        showAll={showAll}
        legend="What it needs from you"
        isTheirs
      />
      {counts && (
        <Field
          label="How many"
          help={service.price_unit && `The provider counts: ${service.price_unit}`}
          error={units === null ? "This is a whole number above zero." : null}
          isRequired
        >
          {(wiring) => (
            <input
              {...wiring}
              inputMode="numeric"
              value={quantity}
              onChange={({ target }) => setQuantity(target.value)}
            />
          )}
        </Field>
      )}
      <ChoiceField
        label="How you pay"
        value={rail}
        onChange={setRail}
        choices={Object.entries(railWords) as [SettlementRail, string][]}
      />
      <ChoiceField
        label="Who decides a dispute"
        help="The provider says whom it accepts. Choose somebody that you trust."
        value={arbiter}
        onChange={setArbiter}
        choices={[
          ["", "This chain's arbiter"] as const,
          ...service.arbiters.map(
            (one) => [one, one === zeroAddress ? "Nobody: only time ends it" : one] as const,
          ),
        ]}
      />
      {units !== null && price !== null && (
        <p>
          It costs{" "}
          <strong>{`${moneyText(formatAmount(units, decimalsOf(price)))} ${service.price_currency}`}</strong>.
          You pay on the next page.
        </p>
      )}
      {placing.error && <ProblemNote error={placing.error} />}
      <div className="buttons">
        <Button
          type="submit"
          className="primary"
          isPending={placing.isPending}
          isDisabled={counts && units === null}
        >
          {quote ? "Accept the quote and place the order" : isPlan ? "Subscribe" : "Place the order"}
        </Button>
      </div>
    </form>
  );
}

/** The service writes prices with all of the token's decimals. */
const decimalsOf = (price: string): number => price.split(".")[1]?.length ?? 0;

/** A name for one purchase; another one for each change of what it is made from. */
function newKey(..._changes: readonly unknown[]): string {
  return `console-${Array.from(crypto.getRandomValues(new Uint32Array(4))).join("-")}`;
}
