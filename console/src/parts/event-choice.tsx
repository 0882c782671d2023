import { i18n } from "@lingui/core";
import { eventTypes } from "../../../protocol/settlement/vocabulary.ts";

/** The chosen event types, or only `*` for all. */
export type ChosenEvents = ("*" | keyof typeof eventTypes)[];

const types = Object.entries(eventTypes) as [keyof typeof eventTypes, string][];

/** A choice of the events to subscribe to. */
export function EventChoice({
  chosen,
  onChange,
}: {
  chosen: ChosenEvents;
  onChange: (chosen: ChosenEvents) => void;
}) {
  const isAll = chosen.includes("*");
  return (
    <fieldset>
      <legend>{i18n.t("Events")}</legend>
      <label className="check">
        <input type="checkbox" checked={isAll} onChange={() => onChange(isAll ? [] : ["*"])} />
        <span>{i18n.t("All events (including future types)")}</span>
      </label>
      {!isAll &&
        types.map(([type, meaning]) => (
          <label className="check" key={type}>
            <input
              type="checkbox"
              checked={chosen.includes(type)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, type] : chosen.filter((each) => each !== type))
              }
            />
            <span>
              <code>{type}</code> {meaning}
            </span>
          </label>
        ))}
    </fieldset>
  );
}
