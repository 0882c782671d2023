import type { ReactNode } from "react";
import { formatAmount } from "../../../protocol/settlement/money.ts";
import type { SignedSettlementDocument } from "../../../receipts/document.ts";
import { claimText } from "../orders/order-words.ts";
import { Address } from "../parts/address.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { Money } from "../parts/money.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { findToken, nameOfChain } from "../settings.ts";
import { i18n } from "../text/i18n.ts";

/** The amount, the parties and the transaction of a valid document. */
export function ReceiptSummary({ document: signed }: { document: SignedSettlementDocument }) {
  const { claim, buyer, provider, contract, order_id: order, transaction } = signed;
  const escrow = <Party address={contract} role={i18n.t("escrow contract")} />;
  const payer = <Party address={buyer} role={i18n.t("buyer")} />;
  const payee = <Party address={provider} role={i18n.t("provider")} />;
  return (
    <>
      <p className="amount">
        <SignedAmount document={signed} />
      </p>
      <p className="quiet">{claimText(claim)}</p>
      <LabelledValues
        rows={[
          [i18n.t("From"), claim === "funded" ? payer : escrow],
          [i18n.t("To"), { funded: escrow, part_released: payee, released: payee, refunded: payer }[claim]],
          [i18n.t("Network"), nameOfChain(Number(signed.chain.slice("eip155:".length)))],
          [i18n.t("Signed"), <Time key="signed" at={signed.issued_at} />],
          [i18n.t("Order"), <Copied key="order" text={order} what={i18n.t("order ID")} />],
          [
            i18n.t("Transaction"),
            <Copied key="transaction" text={transaction} what={i18n.t("transaction hash")} />,
          ],
        ]}
      />
    </>
  );
}

function Party({ address, role }: { address: string; role: string }) {
  return (
    <>
      <Address of={address} /> <span className="quiet">{role}</span>
    </>
  );
}

function Copied({ text, what }: { text: string; what: string }) {
  return (
    <span className="copied">
      <code>{text}</code> <CopyButton text={text} what={what} />
    </span>
  );
}

/** The signed amount, which is in base units, in the token of the signed chain. */
function SignedAmount({ document: signed }: { document: SignedSettlementDocument }): ReactNode {
  const token = findToken(Number(signed.chain.replace("eip155:", "")), signed.token);
  return token ? (
    <Money amount={formatAmount(BigInt(signed.amount), token.decimals)} currency={token.symbol} />
  ) : (
    i18n.t("{amount} base units of {token}", { amount: signed.amount, token: signed.token })
  );
}

/** All signed fields of a valid document, by their names in the document. */
export function SignedFields({ document: signed }: { document: SignedSettlementDocument }) {
  const { proof: _proof, terms: _terms, ...fields } = signed as Record<string, unknown>;
  return (
    <details>
      <summary>{i18n.t("All signed fields")}</summary>
      <dl className="labelled-values">
        {Object.entries(fields).map(([name, value]) => (
          <div key={name}>
            <dt>
              <UserText>{name}</UserText>
            </dt>
            <dd>
              <UserText>{String(value)}</UserText>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
