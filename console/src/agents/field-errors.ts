import { ApiError } from "earnest-client";

/** Returns the service's errors about members of a request, each with its JSON pointer. */
export function fieldErrors(error: unknown): { path: string; message: string }[] {
  return error instanceof ApiError ? error.details : [];
}

/** Returns the service's first error about a form field or a value inside it. */
export function fieldErrorAt(cause: unknown, name: string): string | null {
  const error = fieldErrors(cause).find(({ path }) => `${path}/`.startsWith(`/${name}/`));
  return error ? error.message.charAt(0).toUpperCase() + error.message.slice(1) : null;
}
