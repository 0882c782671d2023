import type { ReactNode } from "react";

/**
 * Shows a notice for ten seconds, which screen readers announce. The focus stays.
 *
 * @param link leads to the notice's subject
 */
export function announce(content: ReactNode, link: ReactNode = null): void {
  void import("./toast-region.tsx").then(({ addToast }) => addToast({ content, link }));
}
