import { ApiError } from "earnest-client";
import { refusedFieldText } from "../problems/refusal-texts.ts";

/** Returns the service's errors about members of a request, each with its JSON pointer. */
export function fieldErrors(error: unknown): { path: string; message: string }[] {
  return error instanceof ApiError
    ? error.details.map((violation) => ({ path: violation.path, message: refusedFieldText(violation) }))
    : [];
}

/** Returns the service's first error about a form field or a value inside it. */
export function fieldErrorAt(cause: unknown, name: string): string | null {
  return fieldErrors(cause).find(({ path }) => `${path}/`.startsWith(`/${name}/`))?.message ?? null;
}
