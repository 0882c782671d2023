import { useCallback, useEffect, useState } from "react";
import { useAfterPause } from "../parts/after-pause.ts";
import type { Fault, PlacedFault } from "./schema-check.ts";
import type { SchemaReply, SchemaRequest } from "./schema-check.worker.ts";
import workerUrl from "./schema-check.worker.ts?worker&url";
import type { Schema } from "./schema-input.ts";
import { createThread } from "./worker-thread.ts";

const checkText = createThread<SchemaRequest, SchemaReply>(workerUrl);

/** The state of a schema's text. `unknown`: this page cannot check it. */
export type SchemaText =
  | { state: "reading" | "empty" | "unknown" }
  | { state: "good"; schema: Schema }
  | { state: "bad"; faults: PlacedFault[] };

/**
 * Checks a schema's text while the user edits it.
 *
 * @param refused the service's errors about this exact text
 */
export function useSchemaText(text: string, refused: Fault[]): SchemaText {
  const [checked, setChecked] = useState<SchemaText>({ state: "reading" });
  const isEmpty = text.trim() === "";
  useEffect(() => {
    if (isEmpty) setChecked({ state: "empty" });
  }, [isEmpty]);
  useAfterPause(
    useCallback(
      async (signal) => {
        if (isEmpty) return;
        const verdict = await checkText({ text, refused });
        if (signal.aborted) return;
        if (verdict?.schema) setChecked({ state: "good", schema: verdict.schema });
        else setChecked(verdict ? { state: "bad", faults: verdict.faults } : { state: "unknown" });
      },
      [text, refused, isEmpty],
    ),
  );
  return checked;
}
