import { useEffect, useRef, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Field } from "../parts/field.tsx";
import { beginningOf, longestText, type Schema } from "./schema.ts";
import type { Fault, PlacedFault } from "./schema-check.ts";
import { SchemaForm } from "./schema-form.tsx";
import { useSchemaText } from "./schema-text.ts";

const noFaults: Fault[] = [];

/** The text of a JSON Schema, what is wrong with it and where, and the form that comes of it. */
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
  /** what the service found wrong with this very text */
  refused?: Fault[];
  /** is told whether the text may be sent */
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
    // No browser scrolls to what is selected. No line is wrapped, so that each is as high as the others.
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
            rows={12}
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
              key={`${fault.offset} ${fault.message}`}
              aria-label={`Go to: ${sentenceOf(fault)}`}
              onPress={() => goTo(fault)}
            >
              {`Line ${fault.line}`}
            </Button>
          ))}
        </div>
      )}
      {checked.state === "unknown" && (
        <p className="quiet">This page cannot check this schema by itself. The service does when you save.</p>
      )}
      {checked.state === "good" && <Preview label={label} schema={checked.schema} />}
    </>
  );
}

const sentenceOf = ({ line, column, message }: PlacedFault) => `Line ${line}, column ${column}: ${message}`;

/** The form as whoever fills it sees it; what is written here goes nowhere. */
function Preview({ label, schema }: { label: string; schema: Schema }) {
  const [value, setValue] = useState<unknown>(() => beginningOf(schema));
  const [isShown, setShown] = useState(false);
  useEffect(() => setValue(beginningOf(schema)), [schema]);
  return (
    <details onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>{`${label} as a form`}</summary>
      {isShown && (
        <SchemaForm
          key={JSON.stringify(schema)}
          schema={schema}
          value={value}
          onChange={setValue}
          showAll={false}
          legend="Try it: nothing is sent"
        />
      )}
    </details>
  );
}
