/**
 * The keys of the data of facts. A key with `true` has a word of a person, which `earnest.erase_words` of the database
 * empties. A new key is added here, so that nobody forgets to decide.
 */
export const factKeys = {
  acceptance_ends_at: false,
  amount: false,
  amount_base_units: false,
  attachments: false,
  block_time: false,
  charge: false,
  charge_base_units: false,
  currency: false,
  decided_by: false,
  earned: false,
  earned_base_units: false,
  executed_by: false,
  execution_id: false,
  fact_id: false,
  fact_type: false,
  file_id: false,
  files: false,
  funding_deadline: false,
  is_final: false,
  name: true,
  note: true,
  order_hash: false,
  output_hash: false,
  party: false,
  period: false,
  quote_id: false,
  reason: true,
  reason_hash: false,
  settlement_rail: false,
  sha256: false,
  size: false,
  stage: false,
  stages: false,
  subscription_id: false,
  text: true,
  text_hash: false,
  title: true,
  unfunded_at_block: false,
  units: false,
  url: true,
} as const;

/** The data of a fact. Facts of the chain have other keys, which have no words: `chainFactOf` makes them of numbers and hashes. */
export type FactData = { [Key in keyof typeof factKeys]?: unknown };
