import { charactersOf, findDeceptiveCharacter } from "../../../protocol/json/text.ts";
import { i18n } from "../text/i18n.ts";
import { Field } from "./field.tsx";

/** A text field of one or several lines. It shows what the service would refuse, by the service's own rules. */
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
  /** the most characters that the service accepts, for a text that others read */
  most?: number;
}) {
  const { help, fault } = most === undefined ? { help: null, fault: null } : checkText(value.trim(), most);
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

/** The share of the limit from which a text shows its length. */
const nearLimit = 0.8;

function checkText(text: string, most: number): { help: string | null; fault: string | null } {
  const length = charactersOf(text);
  if (length > most)
    return {
      help: null,
      fault: i18n.t("Use at most {most, number} characters. This has {length, number}.", { most, length }),
    };
  const deceit = findDeceptiveCharacter(text);
  return {
    help:
      length > most * nearLimit
        ? i18n.t("{length, number} of {most, number} characters.", { length, most })
        : null,
    fault: deceit && i18n.t("This {deceit}.", { deceit }),
  };
}
