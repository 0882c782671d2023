/** The number of stages that an agreement may list. */
export const fewestStages = 2;
export const mostStages = 20;

/** A stage as an agreement lists it: its price in base units, and the hours that it may take. */
export type Stage = { title: string; amount: string; hours: number };

/** The part of an escrow's amount that a delivery claims: its sum so far in base units, and whether the provider claims no more. */
export type StageClaim = { sum: bigint; isFinal: boolean };

/** Returns the provider's sum in base units once the stages up to a number are accepted. Stages count from 1. */
export function sumUpTo(stages: readonly Pick<Stage, "amount">[], number: number): bigint {
  return stages.slice(0, number).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
}

/** Returns what the delivery of a stage claims. The last stage is final. */
export function claimOfStage(stages: readonly Pick<Stage, "amount">[], number: number): StageClaim {
  return { sum: sumUpTo(stages, number), isFinal: number === stages.length };
}

/** Counts the stages, from the first one, that a paid sum covers. */
export function countPaid(stages: readonly Pick<Stage, "amount">[], paid: bigint): number {
  const unpaid = stages.findIndex((_, index) => sumUpTo(stages, index + 1) > paid);
  return unpaid < 0 ? stages.length : unpaid;
}

export const stageStates = ["open", "delivered", "accepted", "disputed", "returned"] as const;
export type StageState = (typeof stageStates)[number];

/**
 * Returns the state of a stage of an order. Stages are worked on in order, so the first one that is not accepted is the only
 * one that can be delivered or disputed.
 *
 * @param order.acceptedStages the number of stages that are paid
 */
export function stateOfStage(
  number: number,
  order: { status: string; acceptedStages: number; deliveredStage: number | null },
): StageState {
  const { status, acceptedStages, deliveredStage } = order;
  if (number <= acceptedStages) return "accepted";
  if (status === "released" || status === "refunded") return "returned";
  if (number > acceptedStages + 1) return "open";
  if (status === "disputed") return "disputed";
  return status === "delivered" && number === deliveredStage ? "delivered" : "open";
}
