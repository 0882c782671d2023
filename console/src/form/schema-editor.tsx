import { useEffect, useRef, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { i18n } from "../text/i18n.ts";
import { faultText } from "./fault-words.ts";
import { initialValueOf } from "./initial-value.ts";
import type { Fault, PlacedFault } from "./schema-check.ts";
import { SchemaForm } from "./schema-form.tsx";
import { longestText, type Schema } from "./schema-input.ts";
import { useSchemaText } from "./schema-text.ts";

const noFaults: Fault[] = [];

/** The lines of an editor without a text, and with one. */
const [emptyRows, filledRows] = [3, 12];

/** An editor for a JSON Schema, with its faults and a preview of its form. */
export function SchemaEditor({
  label,
  help,
  text,
  onChange,
  refused = noFaults,
  onState,
}: {
  label: string;
  help: string;
  text: string;
  onChange: (text: string) => void;
  /** the service's errors about this exact text */
  refused?: Fault[];
  /** gets whether the text has faults */
  onState: (isBad: boolean) => void;
}) {
  const area = useRef<HTMLTextAreaElement>(null);
  const checked = useSchemaText(text, refused);
  const faults = checked.state === "bad" ? checked.faults : [];
  const isBad = faults.length > refused.length;
  useEffect(() => onState(isBad), [isBad, onState]);
  const goTo = ({ offset, line }: PlacedFault) => {
    const text = area.current;
    if (!text) return;
    text.focus();
    text.setSelectionRange(offset, offset + 1);
    // No browser scrolls to a selection that a script makes. Lines are not wrapped, so all have the same height.
    text.scrollTop = Math.max(0, line - 4) * Number.parseFloat(getComputedStyle(text).lineHeight);
  };
  return (
    <>
      <Field label={label} help={help} error={faults[0] ? sentenceOf(faults[0]) : null}>
        {(wiring) => (
          <textarea
            {...wiring}
            ref={area}
            className="code"
            rows={text.trim() === "" ? emptyRows : filledRows}
            wrap="off"
            maxLength={longestText}
            value={text}
            onChange={({ target }) => onChange(target.value)}
            spellCheck={false}
            autoCapitalize="off"
          />
        )}
      </Field>
      {faults.length > 0 && (
        <div className="buttons">
          {faults.map((fault) => (
            <Button
              key={`${fault.offset} ${sentenceOf(fault)}`}
              aria-label={i18n.t("Go to: {fault}", { fault: sentenceOf(fault) })}
              onPress={() => goTo(fault)}
            >
              {i18n.t("Line {line}", { line: fault.line })}
            </Button>
          ))}
        </div>
      )}
      {checked.state === "unknown" && (
        <p className="quiet">
          {i18n.t("This page can't check this schema. The service checks it when you save.")}
        </p>
      )}
      {checked.state === "good" && <Preview label={label} schema={checked.schema} />}
    </>
  );
}

const sentenceOf = (fault: PlacedFault): string => {
  const { line, column } = fault;
  return i18n.t("Line {line}, column {column}: {message}", { line, column, message: faultText(fault) });
};

/** A preview of the form. Its values are not sent. */
function Preview({ label, schema }: { label: string; schema: Schema }) {
  const [value, setValue] = useState<unknown>(() => initialValueOf(schema));
  const [isShown, setShown] = useState(false);
  useEffect(() => setValue(initialValueOf(schema)), [schema]);
  return (
    <details onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>{i18n.t("Form preview: {label}", { label })}</summary>
      {isShown && (
        <SchemaForm
          key={JSON.stringify(schema)}
          schema={schema}
          value={value}
          onChange={setValue}
          showsAllFaults={false}
          legend={i18n.t("Preview: nothing is sent")}
        />
      )}
    </details>
  );
}
