import { useBlocker } from "@tanstack/react-router";
import { i18n } from "../text/i18n.ts";

/** Asks before the user leaves or closes a page with unsaved changes. */
export function useUnsavedChanges(isUnsaved: () => boolean): void {
  useBlocker({
    shouldBlockFn: () => isUnsaved() && !confirm(i18n.t("You have unsaved changes. Leave this page?")),
    enableBeforeUnload: isUnsaved,
  });
}
