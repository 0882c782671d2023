import { useEffect, useState } from "react";
import type { Schema } from "./schema.ts";
import type { Fault, PlacedFault } from "./schema-check.ts";
import type { SchemaReply, SchemaRequest } from "./schema-check.worker.ts";
import workerUrl from "./schema-check.worker.ts?worker&url";
import { createThread } from "./worker-thread.ts";

const ask = createThread<SchemaRequest, SchemaReply>(workerUrl);

/** No fault of an earlier text is shown while somebody goes on typing. */
const pauseMs = 250;

/** A text that is to be a schema: being read, none at all, good, bad, or beyond this page. */
export type SchemaText =
  | { state: "reading" | "empty" | "unknown" }
  | { state: "good"; schema: Schema }
  | { state: "bad"; faults: PlacedFault[] };

/**
 * Checks a text as it is written.
 *
 * @param refused what the service found wrong with this very text
 */
export function useSchemaText(text: string, refused: Fault[]): SchemaText {
  const [checked, setChecked] = useState<SchemaText>({ state: "reading" });
  const isEmpty = text.trim() === "";
  useEffect(() => {
    if (isEmpty) return setChecked({ state: "empty" });
    let isOld = false;
    const timer = setTimeout(async () => {
      const verdict = await ask({ text, refused });
      if (isOld) return;
      if (verdict?.schema) setChecked({ state: "good", schema: verdict.schema });
      else setChecked(verdict ? { state: "bad", faults: verdict.faults } : { state: "unknown" });
    }, pauseMs);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [text, refused, isEmpty]);
  return checked;
}
