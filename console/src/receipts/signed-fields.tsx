import { useQuery } from "@tanstack/react-query";
import { formatAmount } from "../../../protocol/settlement/money.ts";
import type { SignedSettlementDocument } from "../../../receipts/document.ts";
import { claimWords } from "../orders/order-words.ts";
import { Money } from "../parts/money.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { nameOfChain } from "../settings.ts";

/** What a good document says, field by field, as it was signed. */
export function Statement({ document: said }: { document: SignedSettlementDocument }) {
  const client = useClient();
  // For the name of the token alone: the signed number is in its smallest unit.
  const { data: chain } = useQuery({ queryKey: ["chain-status"], queryFn: () => client.chain.getStatus() });
  const isKnown =
    chain?.token_address === said.token && said.chain === `eip155:${chain.chain_id}` && chain.token_symbol;
  const { proof: _proof, terms: _terms, ...fields } = said as Record<string, unknown>;
  return (
    <>
      <h2>What it says</h2>
      <p>
        {claimWords[said.claim]}:{" "}
        {isKnown ? (
          <Money
            amount={formatAmount(BigInt(said.amount), chain.token_decimals ?? 0)}
            currency={chain.token_symbol ?? ""}
          />
        ) : (
          `${said.amount} of the smallest unit of ${said.token}`
        )}{" "}
        on {nameOfChain(Number(said.chain.slice("eip155:".length)))}, signed <Time at={said.issued_at} />.
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
