import { type ReactNode, useId } from "react";
import { i18n } from "../text/i18n.ts";

/** The attributes that connect an input with its label, help and error. */
export type FieldWiring = { id: string; "aria-describedby"?: string; "aria-invalid"?: boolean };

/** A form field: label, input, help and error. */
export function Field({
  label,
  help,
  error,
  isRequired,
  children,
}: {
  label: string;
  help?: string | null;
  error?: string | null;
  isRequired?: boolean;
  children: (wiring: FieldWiring) => ReactNode;
}) {
  const id = useId();
  const described = [help ? `${id}-help` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ");
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {isRequired && <span className="quiet"> {i18n.t("(required)")}</span>}
      </label>
      {children({
        id,
        ...(described ? { "aria-describedby": described } : {}),
        ...(error ? { "aria-invalid": true } : {}),
      })}
      {help && (
        <p className="quiet" id={`${id}-help`}>
          {help}
        </p>
      )}
      {error && (
        <p className="wrong" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
