import { useSyncExternalStore } from "react";
import { Button } from "./button.tsx";

type Notice = { id: number; text: string };

let notices: readonly Notice[] = [];
let last = 0;
const listeners = new Set<() => void>();
const shownMs = 10_000;

function change(next: readonly Notice[]): void {
  notices = next;
  for (const notify of listeners) notify();
}

/** Shows a notice, which screen readers announce. The focus stays. */
export function announce(text: string): void {
  const id = ++last;
  change([...notices.slice(-3), { id, text }]);
  setTimeout(() => dismiss(id), shownMs);
}

const dismiss = (id: number) => change(notices.filter((notice) => notice.id !== id));

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The live region of notices. Screen readers announce only changes of a region that already exists. */
export function Notices() {
  const shown = useSyncExternalStore(subscribe, () => notices);
  return (
    <div className="notices" role="status" aria-live="polite">
      {shown.map(({ id, text }) => (
        <div className="notice" key={id}>
          <p>{text}</p>
          <Button aria-label="Dismiss" onPress={() => dismiss(id)}>
            ×
          </Button>
        </div>
      ))}
    </div>
  );
}
