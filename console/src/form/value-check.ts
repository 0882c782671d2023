import { useEffect, useState } from "react";
import { violationText } from "./fault-words.ts";
import type { Schema } from "./schema-input.ts";
import type { CheckReply, CheckRequest } from "./value-check.worker.ts";
import workerUrl from "./value-check.worker.ts?worker&url";
import { createThread } from "./worker-thread.ts";

const check = createThread<CheckRequest, CheckReply>(workerUrl);

/**
 * Returns the violations of a schema by a value, by their JSON pointers.
 *
 * @returns null if this page cannot check the schema, or the check takes too long
 */
export async function checkValue(schema: Schema, value: unknown): Promise<Map<string, string> | null> {
  // An absent value is checked as null.
  const violations = await check({ schema, value: value ?? null } as CheckRequest);
  // The map keeps the first violation at each pointer.
  const entries = violations?.map((each) => [each.pointer, violationText(each)] as const).reverse();
  return entries ? new Map(entries) : null;
}

export type Checked = { violations: Map<string, string> | null; isChecked: boolean };

/** Checks a value while the user edits it. */
export function useChecked(schema: Schema | null, value: unknown): Checked {
  const [checked, setChecked] = useState<Checked>({ violations: null, isChecked: false });
  useEffect(() => {
    let isStale = false;
    if (!schema) {
      setChecked({ violations: new Map(), isChecked: true });
      return;
    }
    setChecked((before) => ({ ...before, isChecked: false }));
    void checkValue(schema, value).then((violations) => {
      if (!isStale) setChecked({ violations, isChecked: true });
    });
    return () => {
      isStale = true;
    };
  }, [schema, value]);
  return checked;
}
