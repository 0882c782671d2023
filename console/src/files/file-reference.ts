import type { FileReference } from "earnest-client";
import type { Schema } from "../form/schema-input.ts";
import { locale } from "../text/language.ts";

const members = ["file_id", "sha256", "size", "name"] as const;

/** Tells whether a value of a payload refers to a file: it has exactly the four members of a reference. */
export function isFileReference(value: unknown): value is FileReference {
  if (!(value instanceof Object) || Object.keys(value).length !== members.length) return false;
  const { file_id, sha256, size, name } = value as Partial<Record<(typeof members)[number], unknown>>;
  return (
    typeof file_id === "string" &&
    file_id.startsWith("fil_") &&
    typeof sha256 === "string" &&
    typeof size === "number" &&
    typeof name === "string"
  );
}

/** Tells whether a schema describes a reference to a file, for which the form has an upload. */
export function isFileSchema({ type, properties = {} }: Schema): boolean {
  return type === "object" && members.every((name) => Object.hasOwn(properties, name));
}

/** Writes a number of bytes, as in "48 kB". */
export function sizeText(bytes: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  const at = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const options = { style: "unit", unit: units[at], unitDisplay: "short", maximumFractionDigits: 1 } as const;
  return (bytes / 1000 ** at).toLocaleString(locale(), options);
}
