import { Trans } from "@lingui/react";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { formatAmount, parseAmount } from "../../../protocol/settlement/money.ts";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { focusFirstFault } from "../form/focus-fault.ts";
import { Button } from "../parts/button.tsx";
import { cutText } from "../parts/cut-text.ts";
import { Field } from "../parts/field.tsx";
import { Money, moneyText } from "../parts/money.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useClient } from "../session/client.ts";
import { ActButton } from "../signing/act-button.tsx";
import { prepareDecision } from "../signing/dispute-signing.ts";
import { i18n } from "../text/i18n.ts";
import type { DisputeView } from "./dispute-queries.ts";

/** The arbiter's decision: the provider's share and the ruling. */
export function DecisionForm({
  view: { order, dispute },
  ruling,
  onRuling,
}: {
  view: DisputeView;
  ruling: string;
  onRuling: (ruling: string) => void;
}) {
  const client = useClient();
  const queries = useQueryClient();
  const [share, setShare] = useState("");
  const [showAll, setShowAll] = useState(false);
  const form = useRef<HTMLElement>(null);
  const { total_amount: whole, currency } = order;
  const { least, most } = dispute.decidable;
  const decimals = whole.split(".")[1]?.length ?? 0;
  const providerShare = parseAmount(share, decimals);
  const buyerShare = providerShare === null ? -1n : BigInt(order.total_amount_base_units) - providerShare;
  const [leastShare, mostShare] = [parseAmount(least, decimals) ?? 0n, parseAmount(most, decimals) ?? 0n];
  const isBad = providerShare === null || providerShare < leastShare || providerShare > mostShare;
  const wrong =
    isBad && (share !== "" || showAll)
      ? i18n.t("Enter a number from {least} to {most}.", { least: moneyText(least), most: moneyText(most) })
      : null;
  const prepare = (bySignature: boolean) => async () => {
    setShowAll(true);
    if (isBad) {
      focusFirstFault(form.current);
      return null;
    }
    return prepareDecision(
      client,
      order.id,
      { providerAmount: share, ruling },
      { account: order.arbiter, bySignature },
    );
  };
  const renew = () => void queries.invalidateQueries({ queryKey: ["order", order.id] });
  return (
    <section className="card next" aria-labelledby="deciding" ref={form}>
      <h2 id="deciding">{i18n.t("Decide")}</h2>
      <Field label={i18n.t("Provider's share ({currency})", { currency })} error={wrong} isRequired>
        {(wiring) => (
          <input
            {...wiring}
            inputMode="decimal"
            value={share}
            onChange={({ target }) => setShare(target.value.trim())}
          />
        )}
      </Field>
      <div className="buttons">
        <Button onPress={() => setShare(shortOf(most))}>{i18n.t("All to the provider")}</Button>
        <Button onPress={() => setShare(shortOf(least))}>{i18n.t("All to the buyer")}</Button>
      </div>
      {leastShare > 0n && (
        <p className="quiet">
          {i18n.t("The provider keeps {amount}, which parts have paid.", {
            amount: `${moneyText(least)} ${currency}`,
          })}
        </p>
      )}
      {!isBad && (
        <p role="status">
          <Trans
            id="The buyer gets {amount}."
            values={{ amount: <Money amount={formatAmount(buyerShare, decimals)} currency={currency} /> }}
          />
        </p>
      )}
      <TextField
        label={i18n.t("Ruling")}
        help={i18n.t("Both parties can read it. Only a hash is stored on-chain.")}
        isLong
        value={ruling}
        onChange={(text) => onRuling(cutText(text, longest.statement))}
        most={longest.statement}
      />
      <div className="buttons">
        <ActButton isPrimary prepare={prepare(true)} onDone={renew}>
          {i18n.t("Sign decision")}
        </ActButton>
      </div>
      <details>
        <summary>{i18n.t("Send it from your own wallet instead")}</summary>
        <div className="buttons">
          <ActButton prepare={prepare(false)} onDone={renew}>
            {i18n.t("Send decision (own transaction)")}
          </ActButton>
        </div>
      </details>
    </section>
  );
}

/** Leaves out the trailing zeros of a decimal amount. */
const shortOf = (amount: string): string => (amount.includes(".") ? amount.replace(/\.?0+$/, "") : amount);
