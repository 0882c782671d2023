import { type ReactNode, useSyncExternalStore } from "react";

let isUsed = false;
const listeners = new Set<() => void>();

/**
 * Shows a notice for ten seconds, which screen readers announce. The focus stays.
 *
 * @param link leads to the notice's subject
 */
export function announce(content: ReactNode, link: ReactNode = null): void {
  isUsed = true;
  for (const notify of listeners) notify();
  void import("./toast-region.tsx").then(({ addToast }) => addToast({ content, link }));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Tells whether there has been a notice. The region of notices loads with the first one. */
export const useNotices = (): boolean => useSyncExternalStore(subscribe, () => isUsed);
