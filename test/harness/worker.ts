// Ends each test process, with its children, when the run that started it is killed.

import { afterEach } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** The open pages of a browser when the test failed, one entry for each failure. */
    pages?: string[];
  }
}

// Vitest runs this before each file of a process.
const isKnown = Symbol.for("earnest.test.worker");
if (!Reflect.has(globalThis, isKnown)) {
  Reflect.set(globalThis, isKnown, true);
  process.once("disconnect", () => process.exit(1));
  // Ends a process whose file is done. An orderly exit stores the compiled code for the next process.
  process.once("SIGTERM", () => process.exit());
}

// The report of a failed test shows what its pages showed.
afterEach(async ({ task }) => {
  if (!task.file.filepath.includes("/test/console/") || task.result?.state !== "fail") return;
  const { describePages } = await import("./console/browser.ts");
  const pages = await describePages();
  task.meta.pages = [...(task.meta.pages ?? []), ...pages];
});
