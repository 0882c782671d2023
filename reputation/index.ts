/** The record and the score of an agent, for whoever recomputes them from public outcomes; it asks nobody and needs no Node. */

export { countOtherProviders, type Payment } from "./other-providers.ts";
export {
  type Counterparty,
  counterpartySchema,
  knownAt,
  type Outcome,
  outcomeSchema,
} from "./outcome.ts";
export { type AgentRecord, foldOutcomes, recordSchema, type Tally, tallySchema } from "./record.ts";
export {
  type CounterpartySums,
  countedOf,
  formula,
  type Score,
  scoreOf,
  scoreSchema,
  sumCounterparties,
  weightOf,
} from "./score.ts";
