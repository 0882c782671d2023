import { useMemo, useState } from "react";
import { showHidden } from "../../../protocol/json/text.ts";
import { UserText } from "../parts/user-text.tsx";
import { JsonInput } from "./json-input.tsx";
import { isForm, type Schema } from "./schema.ts";
import { useChecked } from "./value-check.ts";
import { ValueInput } from "./value-input.tsx";

/**
 * A form made from a JSON Schema, for an order's input or a delivery's output. Each input shows its error once the user has
 * edited it, or always if `showAll` is set.
 *
 * @param schema null accepts any object, which the user writes as JSON
 */
export function SchemaForm({
  schema,
  value,
  onChange,
  showAll,
  legend,
  isTheirs = false,
}: {
  schema: Schema | null;
  value: unknown;
  onChange: (value: unknown) => void;
  showAll: boolean;
  legend: string;
  /** whether another party wrote the schema */
  isTheirs?: boolean;
}) {
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [asJson, setAsJson] = useState(false);
  const { violations, isChecked } = useChecked(schema, value);
  const canForm = useMemo(() => schema !== null && isForm(schema, value), [schema, value]);
  const hasInputs = canForm && !asJson;
  const errorAt = (pointer: string): string | null => {
    const message = violations?.get(pointer);
    return message && (showAll || touched.has(pointer)) ? showHidden(message) : null;
  };
  const touch = (pointer: string) => setTouched((before) => new Set(before).add(pointer));
  const unplaced = [...(violations ?? [])].filter(([pointer]) => pointer === "" || !hasInputs);
  return (
    <fieldset className={isTheirs ? "theirs" : undefined}>
      <legend>{legend}</legend>
      {isTheirs && (
        <p className="note">
          The provider wrote this form. Never enter a password, private key or recovery phrase.
        </p>
      )}
      {schema && hasInputs ? (
        <ValueInput
          schema={schema}
          root={schema}
          pointer=""
          label=""
          isRequired
          value={value}
          depth={0}
          onChange={onChange}
          errorAt={errorAt}
          touch={touch}
        />
      ) : (
        <JsonInput label="JSON" value={value} onChange={onChange} error={null} />
      )}
      {isChecked && schema && violations === null && (
        <p className="quiet">This page can't check this input. The service checks it when you submit.</p>
      )}
      {showAll && unplaced.length > 0 && (
        <ul className="wrong" role="alert">
          {unplaced.map(([pointer, message]) => (
            <li key={pointer}>
              <UserText>{pointer === "" ? message : `${pointer}: ${message}`}</UserText>
            </li>
          ))}
        </ul>
      )}
      {canForm && (
        <label className="check">
          <input type="checkbox" checked={asJson} onChange={({ target }) => setAsJson(target.checked)} />
          <span>Edit as JSON</span>
        </label>
      )}
    </fieldset>
  );
}
