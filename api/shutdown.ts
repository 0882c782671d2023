import type { Context } from "./context.ts";

const made = new WeakMap<Context, AbortController>();

/** The controller that is aborted when this process shuts down. Requests that wait are then answered with their current state. */
export function shutdownOf(context: Context): AbortController {
  const ending = made.get(context) ?? new AbortController();
  made.set(context, ending);
  return ending;
}
