import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { formatAmount, parseAmount } from "../../../protocol/settlement/money.ts";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { cutText } from "../parts/cut-text.ts";
import { Field } from "../parts/field.tsx";
import { Money } from "../parts/money.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useClient } from "../session/client.ts";
import { ActButton } from "../signing/act-button.tsx";
import { prepareDecision } from "../signing/dispute-signing.ts";
import type { DisputeView } from "./dispute-queries.ts";

/** The arbiter's decision: the provider's share and the ruling. */
export function DecisionForm({
  view: { order },
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
  const { total_amount: whole, currency } = order;
  const decimals = whole.split(".")[1]?.length ?? 0;
  const providerShare = parseAmount(share, decimals);
  const buyerShare = providerShare === null ? -1n : BigInt(order.total_amount_base_units) - providerShare;
  const wrong = share !== "" && buyerShare < 0n ? `Enter a number from 0 to ${whole}.` : null;
  const prepare = (bySignature: boolean) => () =>
    prepareDecision(
      client,
      order.id,
      { providerAmount: share, ruling },
      { account: order.arbiter, bySignature },
    );
  const renew = () => void queries.invalidateQueries({ queryKey: ["order", order.id] });
  return (
    <section aria-labelledby="deciding">
      <h2 id="deciding">Decide</h2>
      <Field label={`Provider's share (${currency})`} error={wrong} isRequired>
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
        <Button onPress={() => setShare(whole)}>All to the provider</Button>
        <Button onPress={() => setShare(formatAmount(0n, decimals))}>All to the buyer</Button>
      </div>
      {buyerShare >= 0n && (
        <p role="status">
          The buyer gets <Money amount={formatAmount(buyerShare, decimals)} currency={currency} />.
        </p>
      )}
      <TextField
        label="Ruling"
        help="Both parties can read it. Only a hash is stored on-chain."
        isLong
        value={ruling}
        onChange={(text) => onRuling(cutText(text, longest.statement))}
        most={longest.statement}
      />
      <div className="buttons">
        <ActButton isPrimary prepare={prepare(true)} onDone={renew}>
          Sign decision
        </ActButton>
        <ActButton prepare={prepare(false)} onDone={renew}>
          Send decision (own transaction)
        </ActButton>
      </div>
    </section>
  );
}
