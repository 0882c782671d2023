import { useMemo, useState } from "react";
import { showHidden } from "../../../protocol/json/text.ts";
import { isFileReference } from "../files/file-reference.ts";
import { PayloadFiles } from "../files/files-field.tsx";
import { Switch } from "../parts/switch.tsx";
import { TextField } from "../parts/text-field.tsx";
import { UserText } from "../parts/user-text.tsx";
import { i18n } from "../text/i18n.ts";
import { fitsForm } from "./form-size.ts";
import { JsonInput } from "./json-input.tsx";
import type { Schema } from "./schema-input.ts";
import { useChecked } from "./value-check.ts";
import { ValueInput } from "./value-input.tsx";

/** One text in place of a form: the value is an object with this text as its only member. */
export type PlainText = { name: string; label: string };

/**
 * A form made from a JSON Schema, for an order's input or a delivery's output. Each input shows its error once the user has
 * edited it, or always if `showsAllFaults` is set.
 *
 * @param schema null accepts any object, which the user writes as JSON, or as one text
 * @param plain the text that stands for an object without a schema
 */
export function SchemaForm({
  schema,
  value,
  onChange,
  showsAllFaults,
  legend,
  plain,
  isTheirs = false,
}: {
  schema: Schema | null;
  value: unknown;
  onChange: (value: unknown) => void;
  showsAllFaults: boolean;
  legend: string;
  plain?: PlainText;
  /** whether another party wrote the schema */
  isTheirs?: boolean;
}) {
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [asJson, setAsJson] = useState(false);
  const { violations, isChecked } = useChecked(schema, value);
  const canForm = useMemo(() => schema !== null && fitsForm(schema, value), [schema, value]);
  const text = schema === null && plain ? textOf(value, plain.name) : null;
  const hasInputs = canForm && !asJson;
  const isPlain = text !== null && !asJson;
  const errorAt = (pointer: string): string | null => {
    const message = violations?.get(pointer);
    return message && (showsAllFaults || touched.has(pointer)) ? showHidden(message) : null;
  };
  const touch = (pointer: string) => setTouched((before) => new Set(before).add(pointer));
  const unplaced = [...(violations ?? [])].filter(([pointer]) => pointer === "" || !hasInputs);
  const [firstUnplaced] = unplaced;
  return (
    <fieldset className={isTheirs && schema ? "theirs" : undefined}>
      <legend className={isPlain ? "hidden-text" : undefined}>{legend}</legend>
      {isTheirs && schema && (
        <p className="quiet">
          {i18n.t("The provider wrote this form. Never enter a password, private key or recovery phrase.")}
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
      ) : isPlain && plain ? (
        <TextField
          label={plain.label}
          isLong
          value={text}
          onChange={(next) => onChange(withText(value, plain.name, next))}
        />
      ) : (
        <JsonInput
          label={i18n.t("JSON")}
          value={value}
          onChange={onChange}
          error={showsAllFaults && firstUnplaced ? sentenceOf(firstUnplaced) : null}
        />
      )}
      {isChecked && schema && violations === null && (
        <p className="quiet">
          {i18n.t("This page can't check this input. The service checks it when you submit.")}
        </p>
      )}
      {showsAllFaults && unplaced.length > (hasInputs ? 0 : 1) && (
        <ul className="wrong" role="alert">
          {unplaced.map((violation) => (
            <li key={violation[0]}>
              <UserText>{sentenceOf(violation)}</UserText>
            </li>
          ))}
        </ul>
      )}
      {isPlain && <PayloadFiles value={value} onChange={onChange} />}
      {(canForm || text !== null) && (
        <Switch isOn={asJson} onChange={setAsJson}>
          {i18n.t("Edit as JSON")}
        </Switch>
      )}
    </fieldset>
  );
}

const sentenceOf = ([pointer, message]: readonly [string, string]): string =>
  showHidden(pointer === "" ? message : `${pointer}: ${message}`);

/** Returns a value with another text beside its files; undefined for an empty value. */
function withText(value: unknown, name: string, text: string): object | undefined {
  const { [name]: _, ...files } = value instanceof Object ? (value as Record<string, unknown>) : {};
  const written = text === "" ? files : { [name]: text, ...files };
  return Object.keys(written).length > 0 ? written : undefined;
}

/** Returns the only text of a value beside its files, or null if the value has more than these. */
function textOf(value: unknown, name: string): string | null {
  if (value === undefined || value === null) return "";
  const { files = [], ...others } = value as Record<string, unknown>;
  if (!Array.isArray(files) || !files.every(isFileReference)) return null;
  const [first, ...more] = Object.entries(others);
  if (!first) return "";
  return more.length === 0 && first[0] === name && typeof first[1] === "string" ? first[1] : null;
}
