import type { QuotedStage } from "earnest-client";
import { parseJson } from "../../../protocol/json/parse.ts";
import { amountPattern, formatAmount, parseAmount } from "../../../protocol/settlement/money.ts";
import { i18n } from "../text/i18n.ts";

/** A stage in a form, as its fields have it. */
export type StageDraft = { title: string; amount: string; hours: string; schema: string };

export const emptyStage: StageDraft = { title: "", amount: "", hours: "24", schema: "" };

/** The decimals that an amount in a form has at most. The service checks those of the token. */
const mostDecimals = 18;

/** Returns the fault of each stage's fields; empty if the stages can be sent. The service checks the rest. */
export function stageFaults(stages: readonly StageDraft[]): Partial<Record<keyof StageDraft, string>>[] {
  return stages.map(({ title, amount, hours, schema }) => ({
    ...(title.trim() === "" ? { title: i18n.t("Enter a title.") } : {}),
    ...(isAmount(amount) ? {} : { amount: i18n.t("Enter an amount, for example 2.50.") }),
    ...(/^[1-9]\d{0,3}$/.test(hours.trim()) ? {} : { hours: i18n.t("Enter a whole number of hours.") }),
    ...(isJson(schema) ? {} : { schema: i18n.t("Fix the schema before saving.") }),
  }));
}

export const hasFaults = (stages: readonly StageDraft[]): boolean =>
  stageFaults(stages).some((faults) => Object.keys(faults).length > 0);

/** Returns the sum of the amounts and of the hours. Fields with a fault count as zero. */
export function totalsOf(stages: readonly StageDraft[]): { price: string; hours: number } {
  const amounts = stages.map(({ amount }) => parseAmount(amount.trim(), mostDecimals) ?? 0n);
  const sum = amounts.reduce((total, amount) => total + amount, 0n);
  const hours = stages.map((stage) => Number(stage.hours)).filter(Number.isSafeInteger);
  return {
    price: formatAmount(sum, mostDecimals).replace(/(\.\d\d\d*?)0+$/, "$1"),
    hours: hours.reduce((total, each) => total + each, 0),
  };
}

/** Converts stages to the API's request. */
export const stagesOf = (stages: readonly StageDraft[]) =>
  stages.map(({ title, amount, hours, schema }) => ({
    title: title.trim(),
    amount: amount.trim(),
    hours: Number(hours),
    ...(schema.trim() === "" ? {} : { output_schema: parseJson(schema) as Record<string, unknown> }),
  }));

export const stageDraftsOf = (stages: readonly QuotedStage[] | null): StageDraft[] =>
  (stages ?? []).map(({ title, amount, hours, output_schema: schema }) => ({
    title,
    amount: amount.replace(/(\.\d\d\d*?)0+$/, "$1"),
    hours: String(hours),
    schema: schema ? JSON.stringify(schema, null, 2) : "",
  }));

const isAmount = (text: string): boolean =>
  amountPattern.test(text.trim()) && /[1-9]/.test(text) && parseAmount(text.trim(), mostDecimals) !== null;

function isJson(text: string): boolean {
  if (text.trim() === "") return true;
  try {
    const value: unknown = parseJson(text);
    return value instanceof Object && !Array.isArray(value);
  } catch {
    return false;
  }
}
