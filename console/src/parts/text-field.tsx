import { charactersOf, findDeceit } from "../../../protocol/json/text.ts";
import { Field } from "./field.tsx";

/** A text of a form, on one line or on several. It shows what the service would refuse, by the service's own rules. */
export function TextField({
  value,
  onChange,
  isLong = false,
  inputMode,
  most,
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
  /** for a text that others read: how many characters the service takes */
  most?: number;
}) {
  const { help, fault } = most === undefined ? { help: null, fault: null } : judge(value.trim(), most);
  return (
    <Field
      {...field}
      help={[field.help, help].filter(Boolean).join(" ") || null}
      error={fault ?? field.error}
    >
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

/** The part of its bound from which a text shows its length. */
const nearly = 0.8;

function judge(text: string, most: number): { help: string | null; fault: string | null } {
  const length = charactersOf(text);
  if (length > most) return { help: null, fault: `Use at most ${most} characters. This has ${length}.` };
  const deceit = findDeceit(text);
  return {
    help: length > most * nearly ? `${length} of ${most} characters.` : null,
    fault: deceit && `This ${deceit}.`,
  };
}
