import type { Evidence as EvidenceOf } from "earnest-client";
import { useMemo } from "react";
import { digestOrNull } from "../../../protocol/settlement/digest.ts";
import { Button } from "../parts/button.tsx";
import { saveText } from "../parts/save-file.ts";

/** All that the dispute is judged by. This page recomputes its digests; the escrow's is the service's word. */
export function Evidence({ evidence: { digest, checks, bundle } }: { evidence: EvidenceOf }) {
  const lines = useMemo(() => {
    const { agreement, agreement_digest, input_payload, output_payload, deliveries } = bundle;
    const latest = deliveries.at(-1);
    const isAgreed = checks.agreement && recompute(agreement) === agreement_digest;
    return [
      ["Bundle", recompute(bundle) === digest, "All of it has the digest below."],
      ["Agreement", isAgreed, "It is the one that the escrow on the chain names."],
      ["Input", recompute(input_payload) === agreement.input_digest, "It is the one that was agreed."],
      [
        "Output",
        latest ? recompute(output_payload) === latest.output_hash : null,
        "It is the one that was delivered.",
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
                "Nothing to compare yet."
              ) : isGood ? (
                `Good. ${what}`
              ) : (
                <strong>{`Differs. This should hold: ${what}`}</strong>
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
          Save the evidence
        </Button>
      </div>
    </section>
  );
}

/** Of nothing, null; nothing at all where it has no digest, as with numbers that no canonical JSON has. */
function recompute(value: unknown): string | null | undefined {
  try {
    return digestOrNull(value);
  } catch {
    return undefined;
  }
}
