import { useId } from "react";
import type { EventType } from "../../../protocol/settlement/vocabulary.ts";
import { i18n } from "../text/i18n.ts";
import { eventMeanings } from "./event-words.ts";

/** The chosen event types, or only `*` for all. */
export type ChosenEvents = ("*" | EventType)[];

/** A choice of the events to subscribe to. */
export function EventChoice({
  chosen,
  error = null,
  onChange,
}: {
  chosen: ChosenEvents;
  error?: string | null;
  onChange: (chosen: ChosenEvents) => void;
}) {
  const id = useId();
  const isAll = chosen.includes("*");
  const wiring = { "aria-invalid": error !== null || undefined, "aria-describedby": error ? id : undefined };
  return (
    <fieldset>
      <legend>{i18n.t("Events")}</legend>
      <label className="check">
        <input {...wiring} type="checkbox" checked={isAll} onChange={() => onChange(isAll ? [] : ["*"])} />
        <span>{i18n.t("All events (including future types)")}</span>
      </label>
      {!isAll &&
        (Object.entries(eventMeanings()) as [EventType, string][]).map(([type, meaning]) => (
          <label className="check" key={type}>
            <input
              type="checkbox"
              checked={chosen.includes(type)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, type] : chosen.filter((each) => each !== type))
              }
            />
            <span>
              <code>{type}</code> <span className="quiet">{meaning}</span>
            </span>
          </label>
        ))}
      {error && (
        <p className="wrong" id={id} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
