import { useEffect } from "react";

/** Milliseconds without a key press after which a typed text takes effect. */
const typingPauseMs = 250;

/**
 * Calls a function once it has not changed for some milliseconds, as after a pause in typing.
 *
 * @param act a function of `useCallback`. Its signal aborts when the function changes
 */
export function useAfterPause(act: (signal: AbortSignal) => void, pauseMs = typingPauseMs): void {
  useEffect(() => {
    const changed = new AbortController();
    const timer = setTimeout(() => act(changed.signal), pauseMs);
    return () => {
      clearTimeout(timer);
      changed.abort();
    };
  }, [act, pauseMs]);
}
