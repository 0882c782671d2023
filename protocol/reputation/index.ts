/** Recomputes an agent's record and score from public outcomes. Makes no requests, and runs without Node. */

export { type AgentRecord, foldOutcomes, recordSchema, type Tally, tallySchema } from "./agent-record.ts";
export { countOtherProviders, type Payment } from "./other-providers.ts";
export {
  type Counterparty,
  counterpartySchema,
  type Outcome,
  outcomeSchema,
  recordedUntil,
} from "./public-outcome.ts";
export {
  type CounterpartySums,
  countedOf,
  formula,
  fullSizes,
  type Score,
  scoreOf,
  scoreSchema,
  sumCounterparties,
  weightOf,
} from "./score.ts";
export { releasedVolume, sumVolume, type Volume, volumeSchema } from "./volume.ts";
