import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Loaded } from "../parts/loaded.tsx";
import { settings } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import { ChainConfirmation } from "./chain-confirmation.tsx";
import { Checks } from "./checks-table.tsx";
import { type Check, checkLog, checkReceipt, type ReceiptParts, type Verdict } from "./receipt-checks.ts";
import { ReceiptSummary, SignedFields } from "./signed-fields.tsx";
import { VerdictLine } from "./verdict-line.tsx";

/** The verdict on a receipt, made in this browser, its amount and parties if it is valid, and every check. */
export function ReceiptVerdict({ parts }: { parts: ReceiptParts }) {
  // Another receipt begins without the outcome of this one on the chain.
  return <Checked key={JSON.stringify(parts)} parts={parts} />;
}

function Checked({ parts }: { parts: ReceiptParts }) {
  const [onChain, setOnChain] = useState<readonly Check[] | null>(null);
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
          <section className="card receipt" aria-label={i18n.t("Verdict")}>
            <VerdictLine isGood={isAllGood([document, x402]) && parts.revoked !== true && !isDenied(onChain)}>
              {sentenceOf([document, x402], parts.revoked === true, onChain)}
            </VerdictLine>
            {document?.verified && <ReceiptSummary document={document.verified.document} />}
          </section>
          {document?.verified && <ChainConfirmation verified={document.verified} onChecked={setOnChain} />}
          <h2>{i18n.t("Checks")}</h2>
          {document && <Checks title={i18n.t("Settlement document")} checks={document.checks} />}
          {x402 && <Checks title={i18n.t("x402 receipt")} checks={x402.checks} />}
          <InLog parts={parts} />
          {!document && (
            <p className="quiet">{i18n.t("Only a settlement document can be confirmed on the chain.")}</p>
          )}
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
  return <Loaded query={log}>{(checks) => <Checks title={i18n.t("Receipt log")} checks={checks} />}</Loaded>;
}

type Parts = (Verdict["document"] | Verdict["x402"])[];

const isAllGood = (parts: Parts) => parts.every((part) => part?.isGood ?? true);

/** Tells whether the chain contradicts the receipt. */
const isDenied = (onChain: readonly Check[] | null) =>
  onChain?.some(({ outcome }) => outcome === "bad") ?? false;

function sentenceOf(parts: Parts, isRevoked: boolean, onChain: readonly Check[] | null): string {
  const { issuer } = settings;
  if (isRevoked) return i18n.t("{issuer} has revoked this receipt.", { issuer });
  if (!isAllGood(parts)) return i18n.t("Not valid: do not rely on this receipt.");
  if (isDenied(onChain)) return i18n.t("Not valid: the chain does not confirm this payment.");
  const isKnown = parts.every((part) => (part?.verified?.status ?? "good") === "good");
  if (!isKnown) return i18n.t("Valid signature from {issuer}. Revocation: not checked.", { issuer });
  return onChain?.every(({ outcome }) => outcome === "good")
    ? i18n.t("Valid signature from {issuer}. On-chain payment: confirmed.", { issuer })
    : i18n.t("Valid signature from {issuer}. On-chain payment: not checked yet.", { issuer });
}
