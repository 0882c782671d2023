import { countPaid, type Stage, sumUpTo } from "../settlement/stages.ts";
import { ofType, type StepFact, stageOf } from "./delivery-record.ts";

/** Returns the stages that the creation of an order lists; null for an order without stages. */
export function stagesIn(effective: readonly StepFact[]): Pick<Stage, "amount">[] | null {
  const listed = ofType(effective, "order.created")[0]?.data.stages;
  if (!Array.isArray(listed)) return null;
  return listed.map(({ amount_base_units }: Record<string, unknown>) => ({
    amount: String(amount_base_units),
  }));
}

export function isInStages(effective: readonly StepFact[]): boolean {
  return stagesIn(effective) !== null;
}

/** Returns what the escrow has paid the provider, in base units. A release counts all parts again. */
export function paidIn(effective: readonly StepFact[]): bigint {
  const sums = [
    ...ofType(effective, "order.part_released").map(({ data }) => data.released_so_far_base_units),
    ...ofType(effective, "order.released").map(({ data }) => data.amount_base_units),
  ].map((sum) => BigInt(String(sum)));
  return sums.reduce((most, sum) => (sum > most ? sum : most), 0n);
}

/** Returns the number of stages that are paid; null for an order without stages. */
export function acceptedStagesIn(effective: readonly StepFact[]): number | null {
  const stages = stagesIn(effective);
  return stages && countPaid(stages, paidIn(effective));
}

/** Whether a delivery is of a stage that is paid, so that the work goes on with the next one. */
export function isPaidStage(delivery: StepFact, effective: readonly StepFact[]): boolean {
  const stage = stageOf(delivery);
  return stage !== null && stage <= (acceptedStagesIn(effective) ?? 0);
}

/** Returns the stage that is to be delivered next, or again; null for an order without stages, or once all are paid. */
export function openStageIn(effective: readonly StepFact[]): number | null {
  const stages = stagesIn(effective);
  const open = (acceptedStagesIn(effective) ?? 0) + 1;
  return stages && open <= stages.length ? open : null;
}

/** Returns the payment that covered a stage: of a part, or of the whole; null while the stage is not paid. */
export function paymentOfStage<S extends StepFact>(effective: readonly S[], number: number): S | null {
  const stages = stagesIn(effective);
  if (!stages) return null;
  const due = sumUpTo(stages, number);
  const payments = [...ofType(effective, "order.part_released"), ...ofType(effective, "order.released")];
  return (
    payments.find(
      ({ data }) => BigInt(String(data.released_so_far_base_units ?? data.amount_base_units)) >= due,
    ) ?? null
  );
}
