import type { Evidence as EvidenceOf } from "earnest-client";
import { useMemo } from "react";
import { digestOrNull } from "../../../protocol/settlement/digest.ts";
import { Button } from "../parts/button.tsx";
import { saveText } from "../parts/save-file.ts";

/** The evidence bundle. This page recomputes its digests. Only the escrow's digest is taken from the service. */
export function Evidence({ evidence: { digest, checks, bundle } }: { evidence: EvidenceOf }) {
  const lines = useMemo(() => {
    const { agreement, agreement_digest, input_payload, output_payload, deliveries } = bundle;
    const latest = deliveries.at(-1);
    const isAgreed = checks.agreement && recompute(agreement) === agreement_digest;
    return [
      ["Bundle", recompute(bundle) === digest, "The bundle matches the digest below."],
      ["Agreement", isAgreed, "The agreement matches the escrow on the chain."],
      ["Input", recompute(input_payload) === agreement.input_digest, "The input matches the agreement."],
      [
        "Output",
        latest ? recompute(output_payload) === latest.output_hash : null,
        "The output matches the delivery.",
      ],
    ] as [string, boolean | null, string][];
  }, [bundle, digest, checks.agreement]);
  return (
    <section aria-labelledby="evidence">
      <h2 id="evidence">Evidence</h2>
      <dl className="facts">
        {lines.map(([name, isGood, what]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {isGood === null ? (
                "Nothing to compare yet"
              ) : isGood ? (
                `Verified. ${what}`
              ) : (
                <strong>{`Mismatch. Expected: ${what}`}</strong>
              )}
            </dd>
          </div>
        ))}
        <div>
          <dt>Digest</dt>
          <dd>
            <code>{digest}</code>
          </dd>
        </div>
      </dl>
      <div className="buttons">
        <Button
          onPress={() =>
            saveText(`evidence-${bundle.order_id}.json`, JSON.stringify(bundle), "application/json")
          }
        >
          Download evidence
        </Button>
      </div>
    </section>
  );
}

/** Returns the digest of a value, null for null, and undefined if canonical JSON cannot express the value. */
function recompute(value: unknown): string | null | undefined {
  try {
    return digestOrNull(value);
  } catch {
    return undefined;
  }
}
