import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Agent, Quote, Service, SettlementRail } from "earnest-client";
import { type FormEvent, useMemo, useState } from "react";
import { zeroAddress } from "viem";
import { formatAmount } from "../../../protocol/settlement/money.ts";
import { initialValueOf, type Schema } from "../form/schema.ts";
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
  x402: "Sign once, no gas fee (recommended)",
  escrow: "Pay from wallet, two transactions",
};

/**
 * Orders a service at its own price or at a quote's. No money moves here: the buyer pays on the order's page.
 *
 * @param quote sets the price and the delivery time, for a quantity of one
 */
export function OrderForm({ service, agent, quote }: { service: Service; agent: Agent; quote?: Quote }) {
  const client = useClient();
  const session = useSession();
  const navigate = useNavigate();
  const schema = service.input_schema as Schema | null;
  const [input, setInput] = useState<unknown>(() => initialValueOf(schema));
  const [quantity, setQuantity] = useState(quote ? "1" : String(service.min_quantity));
  const [rail, setRail] = useState<SettlementRail>("x402");
  // The default is never an arbiter that only the provider may trust.
  const [arbiter, setArbiter] = useState("");
  const [showAll, setShowAll] = useState(false);
  // The idempotency key changes only with the input, so a retry after a lost answer places no second order.
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
  const hasQuantity = !quote && !isPlan && service.max_quantity !== 1;
  const { price, price_base_units } = quote ?? service;
  const units = /^[1-9]\d{0,8}$/.test(quantity) ? BigInt(quantity) * BigInt(price_base_units ?? 0) : null;
  return (
    <form onSubmit={submit} noValidate>
      <SchemaForm
        schema={schema}
        value={input}
        onChange={setInput}
        showAll={showAll}
        legend="Your input"
        isTheirs
      />
      {hasQuantity && (
        <Field
          label="Quantity"
          help={service.price_unit && `Unit, set by the provider: ${service.price_unit}`}
          error={units === null ? "Enter a whole number above zero." : null}
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
        label="Payment method"
        value={rail}
        onChange={setRail}
        choices={Object.entries(railWords) as [SettlementRail, string][]}
      />
      <ChoiceField
        label="Dispute resolution"
        help="Choose from the arbiters this provider accepts."
        value={arbiter}
        onChange={setArbiter}
        choices={[
          ["", "Default arbiter"] as const,
          ...service.arbiters.map(
            (address) => [address, address === zeroAddress ? "None (deadlines only)" : address] as const,
          ),
        ]}
      />
      {units !== null && price !== null && (
        <p>
          Total{" "}
          <strong>{`${moneyText(formatAmount(units, decimalsOf(price)))} ${service.price_currency}`}</strong>.
          Next: review and pay.
        </p>
      )}
      {placing.error && <ProblemNote error={placing.error} />}
      <div className="buttons">
        <Button
          type="submit"
          variant="primary"
          isPending={placing.isPending}
          isDisabled={hasQuantity && units === null}
        >
          {quote ? "Accept quote and place order" : isPlan ? "Subscribe" : "Place order"}
        </Button>
      </div>
    </form>
  );
}

/** Counts a price's decimals, which are the token's: the service writes all of them. */
const decimalsOf = (price: string): number => price.split(".")[1]?.length ?? 0;

/** Creates an idempotency key. The arguments are the values whose change makes a new order. */
function newKey(..._changes: readonly unknown[]): string {
  return `console-${Array.from(crypto.getRandomValues(new Uint32Array(4))).join("-")}`;
}
