import { Field } from "./field.tsx";

/** A select field: values with their labels. */
export function ChoiceField<Word extends string>({
  value,
  onChange,
  choices,
  ...field
}: {
  label: string;
  help?: string | null;
  error?: string | null;
  value: Word;
  onChange: (value: Word) => void;
  choices: readonly (readonly [Word, string])[];
}) {
  return (
    <Field {...field}>
      {(wiring) => (
        <select {...wiring} value={value} onChange={({ target }) => onChange(target.value as Word)}>
          {choices.map(([word, words]) => (
            <option key={word} value={word}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
