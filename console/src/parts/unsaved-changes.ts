import { useBlocker } from "@tanstack/react-router";

/** Asks before a page is left, or closed, with something on it that was not saved. */
export function useUnsavedChanges(isUnsaved: () => boolean): void {
  useBlocker({
    shouldBlockFn: () => isUnsaved() && !confirm("What you changed here is not saved. Leave the page?"),
    enableBeforeUnload: isUnsaved,
  });
}
