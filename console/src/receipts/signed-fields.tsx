import { useQuery } from "@tanstack/react-query";
import { formatAmount } from "../../../protocol/settlement/money.ts";
import type { SignedSettlementDocument } from "../../../receipts/document.ts";
import { claimText } from "../orders/order-words.ts";
import { Money } from "../parts/money.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { nameOfChain } from "../settings.ts";

/** The signed fields of a valid document. */
export function SignedFields({ document: signed }: { document: SignedSettlementDocument }) {
  const client = useClient();
  // The status names the token. The signed amount is in base units.
  const { data: chain } = useQuery({ queryKey: ["chain-status"], queryFn: () => client.chain.getStatus() });
  const isKnown =
    chain?.token_address === signed.token &&
    signed.chain === `eip155:${chain.chain_id}` &&
    chain.token_symbol;
  const { proof: _proof, terms: _terms, ...fields } = signed as Record<string, unknown>;
  return (
    <>
      <h2>Contents</h2>
      <p>
        {claimText(signed.claim)}:{" "}
        {isKnown ? (
          <Money
            amount={formatAmount(BigInt(signed.amount), chain.token_decimals ?? 0)}
            currency={chain.token_symbol ?? ""}
          />
        ) : (
          `${signed.amount} base units of ${signed.token}`
        )}{" "}
        on {nameOfChain(Number(signed.chain.slice("eip155:".length)))}, signed <Time at={signed.issued_at} />.
      </p>
      <dl className="facts">
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
    </>
  );
}
