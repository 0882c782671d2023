import { useEffect, useState } from "react";
import type { Asked, Told } from "./checker.worker.ts";
import workerUrl from "./checker.worker.ts?worker&url";
import type { Schema } from "./schema.ts";

/** Longer than this no check takes, in milliseconds; the service checks as well. */
const longestMs = 1_500;

/** Chromium's word for what may become a script (Trusted Types); other browsers take the address itself. */
type Policies = {
  trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL(url: string): string },
    ): { createScriptURL(url: string): string };
  };
};
const policy = (globalThis as Policies).trustedTypes?.createPolicy("earnest", {
  createScriptURL: (url) => {
    if (url !== address) throw new TypeError("This page runs one script, and not this one.");
    return url;
  },
});
const address = new URL(workerUrl, import.meta.url).href;

let worker: Worker | undefined;
let last = 0;

/**
 * What of a value violates a schema, by JSON pointers.
 *
 * @returns null where it cannot be told here: the schema is beyond this page, or takes too long
 */
export async function checkValue(schema: Schema, value: unknown): Promise<Map<string, string> | null> {
  worker ??= new Worker(policy ? policy.createScriptURL(address) : address, { type: "module" });
  const asked = worker;
  const id = ++last;
  return await new Promise((resolve) => {
    const end = (result: Map<string, string> | null) => {
      clearTimeout(timer);
      asked.removeEventListener("message", hear);
      resolve(result);
    };
    const hear = ({ data }: MessageEvent<Told>) => {
      if (data.id !== id) return;
      // The first of several at one place, as a person mends one thing at a time.
      const entries = data.violations?.map(({ pointer, message }) => [pointer, message] as const).reverse();
      end(entries ? new Map(entries) : null);
    };
    const timer = setTimeout(() => {
      asked.terminate();
      if (worker === asked) worker = undefined;
      end(null);
    }, longestMs);
    asked.addEventListener("message", hear);
    // A value that is not there is the empty one.
    asked.postMessage({ id, schema, value: value ?? null } as Asked);
  });
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
