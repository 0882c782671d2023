import { useState } from "react";
import { Field } from "../parts/field.tsx";
import { i18n } from "../text/i18n.ts";

/** An input for a JSON number. The number is kept as text, so no digit is rounded away unseen. */
export function NumberInput({
  label,
  help,
  error,
  isRequired,
  value,
  onChange,
}: {
  label: string;
  help?: string | null;
  error: string | null;
  isRequired: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const [text, setText] = useState(() => (typeof value === "number" ? String(value) : ""));
  const [fault, setFault] = useState<string | null>(null);
  const write = (next: string) => {
    setText(next);
    const trimmed = next.trim();
    if (trimmed === "") {
      setFault(null);
      onChange(undefined);
    } else if (!/^-?(0|[1-9]\d*)(\.\d+)?$/.test(trimmed)) {
      setFault(i18n.t("Enter a number."));
      // The text makes every schema of a number fail.
      onChange(trimmed);
    } else if (Math.abs(Number(trimmed)) > Number.MAX_SAFE_INTEGER) {
      setFault(i18n.t("This number is too large to store exactly."));
      onChange(trimmed);
    } else {
      setFault(null);
      onChange(Number(trimmed));
    }
  };
  return (
    <Field label={label} help={help} error={fault ?? error} isRequired={isRequired}>
      {(wiring) => (
        <input {...wiring} inputMode="decimal" value={text} onChange={({ target }) => write(target.value)} />
      )}
    </Field>
  );
}
