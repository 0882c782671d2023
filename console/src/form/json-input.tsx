import { useState } from "react";
import { parseJson } from "../../../protocol/json/parse.ts";
import { Field } from "../parts/field.tsx";
import { i18n } from "../text/i18n.ts";

/** An input for JSON text. While the text is not valid JSON, the value stays unchanged and the error says why. */
export function JsonInput({
  label,
  help,
  value,
  onChange,
  error,
  isRequired,
}: {
  label: string;
  help?: string | null;
  value: unknown;
  onChange: (value: unknown) => void;
  error: string | null;
  isRequired?: boolean;
}) {
  const [text, setText] = useState(() => (value === undefined ? "" : JSON.stringify(value, null, 2)));
  const [fault, setFault] = useState<string | null>(null);
  const write = (next: string) => {
    setText(next);
    if (next.trim() === "") {
      setFault(null);
      onChange(undefined);
      return;
    }
    try {
      onChange(parseJson(next));
      setFault(null);
    } catch (cause) {
      setFault(i18n.t("Not valid JSON: {message}", { message: (cause as Error).message }));
    }
  };
  return (
    <Field label={label} help={help} error={fault ?? error} isRequired={isRequired}>
      {(wiring) => (
        <textarea
          {...wiring}
          className="code"
          value={text}
          onChange={({ target }) => write(target.value)}
          spellCheck={false}
        />
      )}
    </Field>
  );
}
