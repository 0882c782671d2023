import { Earnest, UntrustedOrderError } from "../src/index.ts";
import { verifyRecordStatement } from "../src/receipts.ts";
import { type Format, printOne } from "./print.ts";
import { readUrl } from "./settings.ts";

/** Prints the track record and the score of an agent, as the service shows them. */
export async function printRecord(agent: string, { json }: Format): Promise<void> {
  const { score, ever, as_of } = await new Earnest({ baseUrl: readUrl() }).agents.record.get(agent);
  const { orders, counterparties, volume, delivered_on_time, delivered_late, refunds } = ever;
  const counted = {
    orders,
    counterparties,
    ...volumeOf(volume, json),
    delivered_on_time,
    delivered_late,
    refunds,
  };
  const scoreFields = {
    score: score.value,
    up_to: score.upper,
    formula: score.formula,
    evidence: score.evidence,
  };
  printOne({ agent, ...scoreFields, ...counted, apart: ever.apart.orders, as_of }, { json });
}

/**
 * Verifies a signed record of an agent, and prints it.
 *
 * @throws UntrustedOrderError if it is not valid
 */
export async function verifySignedRecord(
  text: string,
  options: { issuer: string; agent?: string },
  { json }: Format,
): Promise<void> {
  const checked = await verifyRecordStatement(text, options);
  if (!checked.valid) throw new UntrustedOrderError(null, "statement", "a valid record", checked.code);
  const { agent, score, ever, as_of, valid_until } = checked.statement;
  printOne(
    {
      good: true,
      agent: agent.slug,
      agent_id: agent.id,
      score: score.value,
      up_to: score.upper,
      formula: score.formula,
      orders: ever.orders,
      counterparties: ever.counterparties,
      ...volumeOf(ever.volume, json),
      as_of,
      valid_until,
    },
    { json },
  );
}

/** Amounts of unlike currencies have a row each. */
function volumeOf(volume: readonly { currency: string; amount: string }[], json: boolean) {
  return json
    ? { volume }
    : { volume: volume.map(({ amount, currency }) => `${amount} ${currency}`).join(", ") };
}
