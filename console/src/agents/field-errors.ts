import { ApiError } from "earnest-client";

/** What the service found wrong with each member of a request, by its JSON pointer. */
export function fieldErrors(error: unknown): { path: string; message: string }[] {
  return error instanceof ApiError ? error.details : [];
}

/** What the service found wrong with a member of a form, or with what lies in it. */
export function fieldErrorAt(error: unknown, name: string): string | null {
  const found = fieldErrors(error).find(({ path }) => `${path}/`.startsWith(`/${name}/`));
  return found ? found.message.charAt(0).toUpperCase() + found.message.slice(1) : null;
}
