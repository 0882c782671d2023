import { Field } from "./field.tsx";

/** A text of a form, on one line or on several. */
export function TextField({
  value,
  onChange,
  isLong = false,
  inputMode,
  ...field
}: {
  label: string;
  help?: string | null;
  error?: string | null;
  isRequired?: boolean;
  value: string;
  onChange: (value: string) => void;
  isLong?: boolean;
  inputMode?: "numeric" | "decimal" | "url";
}) {
  return (
    <Field {...field}>
      {(wiring) =>
        isLong ? (
          <textarea {...wiring} value={value} onChange={({ target }) => onChange(target.value)} />
        ) : (
          <input
            {...wiring}
            inputMode={inputMode}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
        )
      }
    </Field>
  );
}
