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
import { SignedFields } from "./signed-fields.tsx";

/** The checks of a receipt, made in this browser, and its contents if they pass. */
export function ReceiptVerdict({ parts }: { parts: ReceiptParts }) {
  const verdict = useQuery({
    // The key is text: an object as key would lose a member named `__proto__`, so two receipts could share a key.
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
          {document && <Checks title="Settlement document" checks={document.checks} />}
          {x402 && <Checks title="x402 receipt" checks={x402.checks} />}
          <InLog parts={parts} />
          {document?.verified && <OnChain verified={document.verified} />}
          {!document && <p>Only a settlement document can be confirmed on the chain.</p>}
          {document?.verified && <SignedFields document={document.verified.document} />}
        </>
      )}
    </Loaded>
  );
}

/** The receipt's inclusion in the issuer's log. */
function InLog({ parts }: { parts: ReceiptParts }) {
  const log = useQuery({
    queryKey: ["receipt-log", JSON.stringify(parts)],
    queryFn: () => checkLog(parts, settings.issuer),
    // A new receipt is not in the log yet.
    refetchInterval: ({ state }) =>
      state.data?.[0]?.outcome === "unknown" && state.dataUpdateCount < 5 ? 2000 : false,
  });
  return <Loaded query={log}>{(checks) => <Checks title="Receipt log" checks={checks} />}</Loaded>;
}

type Parts = (Verdict["document"] | Verdict["x402"])[];

const isAllGood = (parts: Parts) => parts.every((part) => part?.isGood ?? true);

function sentenceOf(parts: Parts, isRevoked: boolean): string {
  if (isRevoked) return `${settings.issuer} has revoked this receipt.`;
  if (!isAllGood(parts)) return "Not valid: do not rely on this receipt.";
  const isKnown = parts.every((part) => (part?.verified?.status ?? "good") === "good");
  if (!isKnown) return `Valid signature from ${settings.issuer}. Revocation: not checked.`;
  return `Valid signature from ${settings.issuer}. On-chain payment: not checked yet.`;
}

const outcomes: Record<Check["outcome"], string> = {
  good: "✓ Valid",
  bad: "✗ Not valid",
  unknown: "? Unknown",
};

export function Checks({ title, checks }: { title: string; checks: Check[] }) {
  return (
    <table className="checks">
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">Check</th>
          <th scope="col">Outcome</th>
          <th scope="col">Details</th>
        </tr>
      </thead>
      <tbody>
        {checks.map(({ name, outcome, message }) => (
          <tr key={name} data-outcome={outcome}>
            <th scope="row">{name}</th>
            <td>{outcomes[outcome]}</td>
            <td>
              <UserText>{message}</UserText>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Confirms the event with a wallet's node: with the connected wallet's at once, with others on request. */
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
      <h2>On-chain confirmation</h2>
      {data ? (
        <Checks title="On-chain checks" checks={data} />
      ) : (
        <p>
          A signature shows who issued the receipt. Only the chain shows that the money moved. Check with a
          node you trust, such as your wallet's.
        </p>
      )}
      {error && <ProblemNote error={error} />}
      {connectors.length === 0 && (
        <p>No wallet found in this browser. Look up the transaction below with your own node.</p>
      )}
      <div className="buttons">
        {connectors.map((connector) => (
          <Button key={connector.uid} isPending={isPending} onPress={() => mutate(connector)}>
            {`Check with ${connector.name}${data ? " again" : ""}`}
          </Button>
        ))}
      </div>
    </>
  );
}
