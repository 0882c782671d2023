import type { Context } from "./context.ts";

const made = new WeakMap<Context, AbortController>();

/** Aborted when this process begins to end: whoever lets a request wait answers it with what is known by then. */
export function endingOf(context: Context): AbortController {
  const ending = made.get(context) ?? new AbortController();
  made.set(context, ending);
  return ending;
}
