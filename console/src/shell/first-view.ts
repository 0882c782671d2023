import { useIsFetching } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";

/** Milliseconds without a read after which a page shows its data, and the longest wait for such a pause. */
const pauseMs = 100;
const longestWaitMs = 5_000;

/** Tells whether the first page shows its data. It stays true from then on. */
export function useFirstView(): boolean {
  const isRouting = useRouterState({ select: ({ isLoading }) => isLoading });
  const isReading = useIsFetching() > 0;
  const [isShown, setShown] = useState(false);
  const isQuiet = !isRouting && !isReading;
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), isQuiet ? pauseMs : longestWaitMs);
    return () => clearTimeout(timer);
  }, [isQuiet]);
  return isShown;
}
