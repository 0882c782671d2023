import { eventTypes } from "../../../protocol/settlement/vocabulary.ts";

/** Types of events, or `*` alone for all of them. */
export type ChosenEvents = ("*" | keyof typeof eventTypes)[];

const types = Object.entries(eventTypes) as [keyof typeof eventTypes, string][];

/** A choice of the events that somebody is told of. */
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
      <legend>Events</legend>
      <label className="check">
        <input type="checkbox" checked={isAll} onChange={() => onChange(isAll ? [] : ["*"])} />
        <span>All, also of types that come later</span>
      </label>
      {!isAll &&
        types.map(([type, meaning]) => (
          <label className="check" key={type}>
            <input
              type="checkbox"
              checked={chosen.includes(type)}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, type] : chosen.filter((one) => one !== type))
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
