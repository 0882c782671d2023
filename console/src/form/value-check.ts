import { useEffect, useState } from "react";
import type { Schema } from "./schema.ts";
import type { Asked, Told } from "./value-check.worker.ts";
import workerUrl from "./value-check.worker.ts?worker&url";
import { createThread } from "./worker-thread.ts";

const ask = createThread<Asked, Told>(workerUrl);

/**
 * What of a value violates a schema, by JSON pointers.
 *
 * @returns null where it cannot be told here: the schema is beyond this page, or takes too long
 */
export async function checkValue(schema: Schema, value: unknown): Promise<Map<string, string> | null> {
  // A value that is not there is the empty one.
  const violations = await ask({ schema, value: value ?? null } as Asked);
  // The first of several at one place, as a person mends one thing at a time.
  const entries = violations?.map(({ pointer, message }) => [pointer, message] as const).reverse();
  return entries ? new Map(entries) : null;
}

export type Checked = { violations: Map<string, string> | null; isChecked: boolean };

/** The violations of a value as it is written. */
export function useChecked(schema: Schema | null, value: unknown): Checked {
  const [checked, setChecked] = useState<Checked>({ violations: null, isChecked: false });
  useEffect(() => {
    let isOld = false;
    if (!schema) {
      setChecked({ violations: new Map(), isChecked: true });
      return;
    }
    setChecked((before) => ({ ...before, isChecked: false }));
    void checkValue(schema, value).then((violations) => {
      if (!isOld) setChecked({ violations, isChecked: true });
    });
    return () => {
      isOld = true;
    };
  }, [schema, value]);
  return checked;
}
