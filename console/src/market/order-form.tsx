import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Agent, Quote, Service, SettlementRail } from "earnest-client";
import { type FormEvent, useMemo, useRef, useState } from "react";
import { zeroAddress } from "viem";
import { formatAmount } from "../../../protocol/settlement/money.ts";
import { focusFirstFault } from "../form/focus-fault.ts";
import { initialValueOf } from "../form/initial-value.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import type { Schema } from "../form/schema-input.ts";
import { checkValue } from "../form/value-check.ts";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { Field } from "../parts/field.tsx";
import { moneyText } from "../parts/money.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { findPasskey } from "../passkey/stored-passkeys.ts";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { i18n } from "../text/i18n.ts";
import { PayWith, preferredOf, usePayables } from "./pay-with.tsx";
import { placeOrder } from "./place-order.ts";

const railChoices = (): [SettlementRail, string][] => [
  ["x402", i18n.t("Sign once, no gas fee (recommended)")],
  ["escrow", i18n.t("Pay from wallet, two transactions")],
];

/**
 * Orders a service at its own price or at a quote's. No money moves here: the order's page opens with its payment.
 *
 * @param quote sets the price and the delivery time, for a quantity of one
 */
export function OrderForm({ service, agent, quote }: { service: Service; agent: Agent; quote?: Quote }) {
  const client = useClient();
  const session = useSession();
  const navigate = useNavigate();
  const schema = service.input_schema as Schema | null;
  const [input, setInput] = useState<unknown>(() => initialValueOf(schema));
  const [quantity, setQuantity] = useState(quote ? "1" : String(startQuantity(service)));
  const [rail, setRail] = useState<SettlementRail>("x402");
  // The default is never an arbiter that only the provider may trust.
  const [arbiter, setArbiter] = useState("");
  const [showAll, setShowAll] = useState(false);
  const [payKey, setPayKey] = useState<string | null>(null);
  const payables = usePayables(service, quote);
  const count = /^[1-9]\d{0,8}$/.test(quantity) ? BigInt(quantity) : null;
  const payable = payables.find((each) => each.key === payKey) ?? preferredOf(payables, count ?? 1n);
  const payingRail = payable?.takesSignatures === false ? "escrow" : rail;
  // The idempotency key changes only with the input, so a retry after a lost answer places no second order.
  const key = useMemo(
    () => newKey(input, quantity, payingRail, arbiter, payable?.key),
    [input, quantity, payingRail, arbiter, payable?.key],
  );
  const placing = useMutation({
    mutationFn: async () => {
      setShowAll(true);
      const violations = schema ? await checkValue(schema, input) : null;
      if ((violations && violations.size > 0) || !payable || !session) return null;
      const passkey = findPasskey(session.address);
      if (passkey) {
        const { requireKnownOn } = await import("../passkey/known-account.ts");
        const { accountId } = session;
        await requireKnownOn(client, passkey, { chainId: payable.accepted.chain_id, accountId });
      }
      return await placeOrder(client, {
        service,
        agent,
        quote,
        input: (input ?? null) as Record<string, unknown> | null,
        quantity: Number(quantity),
        rail: payingRail,
        arbiter: arbiter || undefined,
        payable,
        buyer: session.address,
        key,
      });
    },
    onSuccess: (order) => {
      if (order)
        void navigate({
          to: "/orders/$orderId",
          params: { orderId: order.id },
          state: { isJustPlaced: true },
        });
    },
  });
  const form = useRef<HTMLFormElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    placing.mutate(undefined, { onSuccess: (order) => order ?? focusFirstFault(form.current) });
  };
  const isPlan = service.pricing_model === "subscription";
  const isMetered = service.pricing_model === "metered";
  const hasQuantity = !quote && !isPlan && !service.stages && service.max_quantity !== 1;
  const total = count !== null && payable && payable.unitPrice !== null ? count * payable.unitPrice : null;
  if (service.pricing_model === "per_call") {
    return (
      <p>{i18n.t("This service is called by a program, which opens a session and pays for each call.")}</p>
    );
  }
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <SchemaForm
        schema={schema}
        value={input}
        onChange={setInput}
        showsAllFaults={showAll}
        legend={i18n.t("Your input")}
        plain={{ name: "request", label: i18n.t("Your request") }}
        isTheirs
      />
      {hasQuantity && (
        <Field
          label={isMetered ? i18n.t("Maximum units") : i18n.t("Quantity")}
          help={
            service.price_unit && i18n.t("Unit, set by the provider: {unit}", { unit: service.price_unit })
          }
          error={count === null ? i18n.t("Enter a whole number above zero.") : null}
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
      <PayWith payables={payables} chosen={payable} onChange={setPayKey} />
      <details>
        <summary>{i18n.t("Payment and dispute options")}</summary>
        <ChoiceField
          label={i18n.t("Payment method")}
          value={payingRail}
          onChange={setRail}
          choices={railChoices().filter(([id]) => id === "escrow" || payable?.takesSignatures !== false)}
        />
        <ChoiceField
          label={i18n.t("Dispute resolution")}
          help={i18n.t("Choose from the arbiters this provider accepts.")}
          value={arbiter}
          onChange={setArbiter}
          choices={[
            ["", i18n.t("Default arbiter")] as const,
            ...(payable?.accepted ?? service).arbiters.map(
              (address) =>
                [address, address === zeroAddress ? i18n.t("None (deadlines only)") : address] as const,
            ),
          ]}
        />
      </details>
      {total !== null && payable && (
        <p className="total">
          {isMetered ? i18n.t("Most you pay") : i18n.t("Total")}
          <strong className="money">
            {`${moneyText(formatAmount(total, payable.accepted.decimals))} ${payable.accepted.symbol}`}
          </strong>
        </p>
      )}
      {placing.error && <ProblemNote error={placing.error} />}
      <div className="buttons">
        <Button
          type="submit"
          variant="primary"
          className="wide"
          isPending={placing.isPending}
          isDisabled={count === null || !payable || payable.obstacle !== null}
        >
          {quote
            ? i18n.t("Accept quote and place order")
            : isPlan
              ? i18n.t("Subscribe")
              : i18n.t("Place order")}
        </Button>
      </div>
      <p className="quiet">
        {isMetered
          ? i18n.t("You pay for the units delivered. The rest comes back to you.")
          : i18n.t("You review the payment next. The escrow pays the provider only after delivery.")}
      </p>
    </form>
  );
}

/** The quantity that the form shows first: of a metered service the most units, as the service has it by default. */
function startQuantity({ pricing_model, min_quantity, max_quantity }: Service): number {
  return pricing_model === "metered" ? (max_quantity ?? min_quantity) : min_quantity;
}

/** Creates an idempotency key. The arguments are the values whose change makes a new order. */
function newKey(..._changes: readonly unknown[]): string {
  return `console-${Array.from(crypto.getRandomValues(new Uint32Array(4))).join("-")}`;
}
