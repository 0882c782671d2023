import { Plus, Trash2 } from "lucide-react";
import { fewestStages, mostStages } from "../../../protocol/settlement/stages.ts";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { Button } from "../parts/button.tsx";
import { moneyText } from "../parts/money.tsx";
import { TextField } from "../parts/text-field.tsx";
import { durationText } from "../parts/time-text.ts";
import { i18n } from "../text/i18n.ts";
import { emptyStage, type StageDraft, stageFaults, totalsOf } from "./stage-draft.ts";

/**
 * The fields of the stages of a quote or a service. Without a stage, only the button that adds the first ones is shown.
 *
 * @param showsFaults whether fields without a value show their fault
 * @param refusalOf returns the service's refusal of a member, such as `stages/0/amount`
 */
export function StageFields({
  stages,
  onChange,
  currency,
  showsFaults,
  refusalOf,
}: {
  stages: readonly StageDraft[];
  onChange: (stages: StageDraft[]) => void;
  currency: string;
  showsFaults: boolean;
  refusalOf: (name: string) => string | null;
}) {
  if (stages.length === 0) {
    return (
      <div className="buttons">
        <Button icon={Plus} onPress={() => onChange(Array(fewestStages).fill(emptyStage))}>
          {i18n.t("Split into stages")}
        </Button>
      </div>
    );
  }
  const faults = showsFaults ? stageFaults(stages) : [];
  const { price, hours } = totalsOf(stages);
  const change = (index: number, changed: Partial<StageDraft>) =>
    onChange(stages.map((stage, at) => (at === index ? { ...stage, ...changed } : stage)));
  // A quote of one stage is a quote without stages.
  const remove = (index: number) =>
    onChange(stages.length > fewestStages ? stages.filter((_, at) => at !== index) : []);
  return (
    <>
      <ol className="stage-fields" aria-label={i18n.t("Stages")}>
        {stages.map((stage, index) => {
          const number = index + 1;
          const errorOf = (name: keyof StageDraft, member: string = name) =>
            faults[index]?.[name] ?? refusalOf(`stages/${index}/${member}`);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a stage has no identity but its number
            <li key={index}>
              <fieldset>
                <legend>{i18n.t("Stage {number}", { number })}</legend>
                <TextField
                  label={i18n.t("Title")}
                  isRequired
                  most={longest.title}
                  value={stage.title}
                  onChange={(title) => change(index, { title })}
                  error={errorOf("title")}
                />
                <div className="side-by-side">
                  <TextField
                    label={i18n.t("Amount ({currency})", { currency })}
                    isRequired
                    inputMode="decimal"
                    value={stage.amount}
                    onChange={(amount) => change(index, { amount })}
                    error={errorOf("amount")}
                  />
                  <TextField
                    label={i18n.t("Hours")}
                    isRequired
                    inputMode="numeric"
                    value={stage.hours}
                    onChange={(next) => change(index, { hours: next })}
                    error={errorOf("hours")}
                  />
                </div>
                <details open={errorOf("schema", "output_schema") !== null || undefined}>
                  <summary>{i18n.t("Output schema (JSON Schema)")}</summary>
                  <TextField
                    label={i18n.t("Output schema of stage {number}", { number })}
                    help={i18n.t("Leave empty to deliver any object.")}
                    isLong
                    value={stage.schema}
                    onChange={(schema) => change(index, { schema })}
                    error={errorOf("schema", "output_schema")}
                  />
                </details>
                <Button variant="bare" size="small" icon={Trash2} onPress={() => remove(index)}>
                  {i18n.t("Remove stage {number}", { number })}
                </Button>
              </fieldset>
            </li>
          );
        })}
      </ol>
      <div className="buttons">
        <Button
          icon={Plus}
          isDisabled={stages.length >= mostStages}
          onPress={() => onChange([...stages, emptyStage])}
        >
          {i18n.t("Add stage")}
        </Button>
      </div>
      <p className="total">
        {i18n.t("Total")}
        <strong className="money">{`${moneyText(price)} ${currency} · ${durationText(hours * 3600)}`}</strong>
      </p>
    </>
  );
}
