import type { Evidence as EvidenceOf } from "earnest-client";
import { Download } from "lucide-react";
import { useMemo } from "react";
import { digestOrNull } from "../../../protocol/settlement/digest.ts";
import { Button } from "../parts/button.tsx";
import { saveFile } from "../parts/save-file.ts";
import { i18n } from "../text/i18n.ts";

/** The evidence bundle. This page recomputes its digests. Only the escrow's digest is taken from the service. */
export function Evidence({ evidence: { digest, checks, bundle } }: { evidence: EvidenceOf }) {
  const lines = useMemo(() => {
    const { agreement, agreement_digest, input_payload, output_payload, deliveries } = bundle;
    const latest = deliveries.at(-1);
    const isAgreed = checks.agreement && recompute(agreement) === agreement_digest;
    return [
      [i18n.t("Bundle"), recompute(bundle) === digest, i18n.t("The bundle matches the digest below.")],
      [i18n.t("Agreement"), isAgreed, i18n.t("The agreement matches the escrow on the chain.")],
      [
        i18n.t("Input"),
        // The words of an erased account give nothing to compare.
        checks.input === null ? null : recompute(input_payload) === agreement.input_digest,
        i18n.t("The input matches the agreement."),
      ],
      [
        i18n.t("Output"),
        latest && checks.output !== null ? recompute(output_payload) === latest.output_hash : null,
        i18n.t("The output matches the delivery."),
      ],
    ] as [string, boolean | null, string][];
  }, [bundle, digest, checks]);
  return (
    <section className="card" aria-labelledby="evidence">
      <div className="card-head">
        <h2 id="evidence">{i18n.t("Evidence")}</h2>
        <Button
          variant="bare"
          size="small"
          icon={Download}
          onPress={() =>
            saveFile(`evidence-${bundle.order_id}.json`, JSON.stringify(bundle), "application/json")
          }
        >
          {i18n.t("Download evidence")}
        </Button>
      </div>
      <dl className="labelled-values">
        {lines.map(([name, isGood, what]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {isGood === null ? (
                i18n.t("Nothing to compare yet")
              ) : isGood ? (
                i18n.t("Verified. {what}", { what })
              ) : (
                <strong>{i18n.t("Mismatch. Expected: {what}", { what })}</strong>
              )}
            </dd>
          </div>
        ))}
        <div>
          <dt>{i18n.t("Digest")}</dt>
          <dd>
            <code>{digest}</code>
          </dd>
        </div>
      </dl>
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
