import { afterEach } from "vitest";
// The report declares the pages of a test.
import type {} from "../../../scripts/test-report.ts";

// The report of a failed test shows what its pages showed. Vitest runs this before each file.
afterEach(async ({ task }) => {
  if (!task.file.filepath.includes("/test/console/") || task.result?.state !== "fail") return;
  const { describePages } = await import("./browser.ts");
  const pages = await describePages();
  task.meta.pages = [...(task.meta.pages ?? []), ...pages];
});
