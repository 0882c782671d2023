/** The record and the score of an agent, for anybody who recomputes them from public outcomes; it asks nobody and needs no Node. */

export { type AgentRecord, foldOutcomes, recordSchema, type Tally, tallySchema } from "./agent-record.ts";
export { countOtherProviders, type Payment } from "./other-providers.ts";
export {
  type Counterparty,
  counterpartySchema,
  knownAt,
  type Outcome,
  outcomeSchema,
} from "./public-outcome.ts";
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
