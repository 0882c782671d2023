import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Connector, useConnection, useConnectors } from "wagmi";
import type { VerifiedDocument } from "../../../receipts/index.ts";
import { Button } from "../parts/button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { UserText } from "../parts/user-text.tsx";
import { settings } from "../settings.ts";
import {
  type Check,
  checkChain,
  checkLog,
  checkReceipt,
  nodeOf,
  type ReceiptParts,
  type Verdict,
} from "./receipt-checks.ts";
import { Statement } from "./signed-fields.tsx";

/** A receipt's checks, each with its outcome, and what it says where it is good. All of it is done in this browser. */
export function ReceiptVerdict({ parts }: { parts: ReceiptParts }) {
  const verdict = useQuery({
    // As text: a key that is an object loses a member of the name `__proto__`, and another receipt had the same.
    queryKey: ["receipt-check", JSON.stringify(parts)],
    queryFn: () => checkReceipt(parts, settings.issuer),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={verdict}>
      {({ document, x402 }) => (
        <>
          <p className="status" role="status" data-good={isAllGood([document, x402])}>
            {sentenceOf([document, x402], parts.revoked === true)}
          </p>
          {document && <Checks title="The settlement document" checks={document.checks} />}
          {x402 && <Checks title="The x402 receipt" checks={x402.checks} />}
          <InLog parts={parts} />
          {document?.verified && <OnChain verified={document.verified} />}
          {!document && <p>Only a settlement document names an event of the chain.</p>}
          {document?.verified && <Statement document={document.verified.document} />}
        </>
      )}
    </Loaded>
  );
}

/** What the issuer's log says, which anybody can hold against it. */
function InLog({ parts }: { parts: ReceiptParts }) {
  const log = useQuery({
    queryKey: ["receipt-log", JSON.stringify(parts)],
    queryFn: () => checkLog(parts, settings.issuer),
    // One that was issued a moment ago is not in the log yet.
    refetchInterval: ({ state }) =>
      state.data?.[0]?.outcome === "unknown" && state.dataUpdateCount < 5 ? 2000 : false,
  });
  return <Loaded query={log}>{(checks) => <Checks title="The log of receipts" checks={checks} />}</Loaded>;
}

type Parts = (Verdict["document"] | Verdict["x402"])[];

const isAllGood = (parts: Parts) => parts.every((part) => part?.isGood ?? true);

function sentenceOf(parts: Parts, isRevoked: boolean): string {
  if (isRevoked) return `${settings.issuer} has taken this receipt back.`;
  if (!isAllGood(parts)) return "Not good: do not rely on this receipt.";
  const isKnown = parts.every((part) => (part?.verified?.status ?? "good") === "good");
  if (!isKnown) return `${settings.issuer} signed this. Whether it took it back is not known.`;
  return `Good: ${settings.issuer} signed this. Whether the money moved, the chain tells.`;
}

const outcomes: Record<Check["outcome"], string> = {
  good: "✓ Good",
  bad: "✗ Not good",
  unknown: "? Not known",
};

export function Checks({ title, checks }: { title: string; checks: Check[] }) {
  return (
    <table className="checks">
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">Check</th>
          <th scope="col">Outcome</th>
          <th scope="col">What was found</th>
        </tr>
      </thead>
      <tbody>
        {checks.map(({ name, outcome, says }) => (
          <tr key={name} data-outcome={outcome}>
            <th scope="row">{name}</th>
            <td>{outcomes[outcome]}</td>
            <td>
              <UserText>{says}</UserText>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Asks the node of a wallet: the connected one by itself, another one where the reader wants it. */
function OnChain({ verified }: { verified: VerifiedDocument }) {
  const connectors = useConnectors();
  const { connector: connected } = useConnection();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async (connector: Connector) => await checkChain(verified, await nodeOf(connector)),
  });
  useEffect(() => {
    if (connected?.getProvider) mutate(connected);
  }, [connected, mutate]);
  return (
    <>
      <h2>Did the money move?</h2>
      {data ? (
        <Checks title="The chain, as the wallet's node has it" checks={data} />
      ) : (
        <p>
          A signature shows who said it. Only the chain shows that it is so. Ask a node that you trust: that
          of your wallet.
        </p>
      )}
      {error && <ProblemNote error={error} />}
      {connectors.length === 0 && (
        <p>No wallet announces itself in this browser. Look up the transaction below at a node of yours.</p>
      )}
      <div className="buttons">
        {connectors.map((connector) => (
          <Button key={connector.uid} isPending={isPending} onPress={() => mutate(connector)}>
            {`Ask the node of ${connector.name}${data ? " again" : ""}`}
          </Button>
        ))}
      </div>
    </>
  );
}
