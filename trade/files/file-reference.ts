import type { Hex } from "viem";
import { isId } from "../../protocol/facts/ids.ts";
import { mostPayloadFiles } from "../../protocol/settlement/vocabulary.ts";
import { Refusal } from "../refusal.ts";

export { mostPayloadFiles };

/** A reference to a file, as payloads, messages and statements have it. Members have the API's names. */
export type FileReference = { file_id: string; sha256: Hex; size: number; name: string };

const names = ["file_id", "sha256", "size", "name"] as const satisfies (keyof FileReference)[];

/** Whether a value has exactly the members of a reference, each of its type. */
function isReference(value: Record<string, unknown>): value is FileReference {
  const { file_id, sha256, size, name } = value;
  return (
    Object.keys(value).length === names.length &&
    typeof file_id === "string" &&
    isId("fil", file_id) &&
    typeof sha256 === "string" &&
    /^0x[0-9a-f]{64}$/.test(sha256) &&
    Number.isSafeInteger(size) &&
    typeof name === "string"
  );
}

/**
 * Finds the references to files in a payload, at any depth. An object with a member `file_id` is a reference. The nesting of
 * a payload is bounded where it is parsed.
 *
 * @param field the payload's field, for the message of a refusal
 * @throws Refusal `file_mismatch` for an object with `file_id` that is no reference, and for too many references
 */
export function referencesIn(payload: unknown, field: string): FileReference[] {
  const found: FileReference[] = [];
  visit(payload, "");
  return found;

  function visit(value: unknown, path: string): void {
    if (typeof value !== "object" || value === null) return;
    if (!Array.isArray(value) && Object.hasOwn(value, "file_id")) {
      if (!isReference(value as Record<string, unknown>)) throw refuseShape(`/${field}${path}`);
      found.push(value as FileReference);
      if (found.length > mostPayloadFiles) {
        throw new Refusal("file_mismatch", `Field ${field}: name at most ${mostPayloadFiles} files.`);
      }
      return;
    }
    for (const [key, item] of Object.entries(value))
      visit(item, `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  }
}

function refuseShape(path: string): Refusal {
  const message =
    "an object with file_id refers to a file, so it has exactly file_id, sha256 (0x and 64 hex digits), size and name";
  return new Refusal("file_mismatch", `${path}: ${message}. GET /files/{id} shows them.`, [
    { path, keyword: "file", message },
  ]);
}

/**
 * Refuses references in the payload of a caller without an account.
 *
 * @throws Refusal `file_not_found`
 */
export function refuseReferences(payload: unknown, field: string): void {
  if (referencesIn(payload, field).length === 0) return;
  const message = `Field ${field}: a purchase without an account cannot name files. Sign in, upload the file, and place an order.`;
  throw new Refusal("file_not_found", message);
}
