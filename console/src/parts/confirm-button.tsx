import { useEffect, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { ProblemNote } from "./problem-note.tsx";

/** An act that nobody takes back takes two presses: the second says what it does to what. */
export function ConfirmButton({
  label,
  sure,
  of: name,
  isPending,
  error,
  onPress,
}: {
  /** as in `Revoke` */
  label: string;
  /** as in `Revoke counter for good` */
  sure: string;
  /** what it is done to, for who hears the button alone */
  of: string;
  isPending: boolean;
  error: unknown;
  onPress: () => void;
}) {
  const [isSure, setSure] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const wasSure = useRef(false);
  // The button that had the focus is gone. A second press of the same key shall not be the second press of this.
  useEffect(() => {
    if (isSure !== wasSure.current) place.current?.querySelector<HTMLElement>("button:last-of-type")?.focus();
    wasSure.current = isSure;
  }, [isSure]);
  return (
    <>
      {error != null && <ProblemNote error={error} />}
      <div className="buttons" ref={place}>
        {isSure ? (
          <>
            <Button isPending={isPending} onPress={onPress}>
              {sure}
            </Button>
            <Button onPress={() => setSure(false)}>Keep it</Button>
          </>
        ) : (
          <Button aria-label={`${label} ${name}`} onPress={() => setSure(true)}>
            {label}
          </Button>
        )}
      </div>
    </>
  );
}
