import { i18n } from "@lingui/core";
import { useBlocker } from "@tanstack/react-router";

/** Asks before the user leaves or closes a page with unsaved changes. */
export function useUnsavedChanges(isUnsaved: () => boolean): void {
  useBlocker({
    shouldBlockFn: () => isUnsaved() && !confirm(i18n.t("You have unsaved changes. Leave this page?")),
    enableBeforeUnload: isUnsaved,
  });
}
