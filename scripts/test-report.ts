import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

declare module "vitest" {
  interface TaskMeta {
    /** The open pages of a browser when the test failed, one entry for each page and failure. */
    pages?: string[];
  }
}

/** The result of a run of Vitest. A line of `failures` names a test with its file and the first line of its error. */
export type TestReport = {
  passed: number;
  failed: number;
  skipped: number;
  failures: string[];
  /** The tests that failed once and passed in a retry, with the first line of the error. */
  repeated: string[];
};

/** Writes a {@link TestReport} to the file that `EARNEST_TEST_REPORT` names: scripts/test.ts reads it. */
export default class ReportWriter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const file = process.env.EARNEST_TEST_REPORT;
    if (!file) return;
    const report: TestReport = { passed: 0, failed: 0, skipped: 0, failures: [], repeated: [] };
    for (const module of modules) {
      const path = relative(process.cwd(), module.moduleId);
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        if (state === "passed") report.passed++;
        if (state === "skipped") report.skipped++;
        if (state === "failed") report.failed++;
        const name = `${path}: ${test.fullName}`;
        const pages = (test.meta().pages ?? []).map((page) => `\n    page ${page}`).join("");
        if (state === "failed") report.failures.push(`${name}: ${firstLine(errors)}${pages}`);
        if (test.diagnostic()?.flaky) report.repeated.push(`${name}: ${firstLine(errors)}${pages}`);
      }
      for (const suite of module.children.allSuites()) {
        if (suite.errors().length > 0)
          report.failures.push(`${path}: ${suite.fullName}: ${firstLine(suite.errors())}`);
      }
      // A file that does not load fails without a failed test.
      if (module.errors().length > 0) report.failures.push(`${path}: ${firstLine(module.errors())}`);
    }
    for (const error of unhandled) report.failures.push(`outside all tests: ${firstLine([error])}`);
    writeFileSync(file, JSON.stringify(report));
  }
}

function firstLine(errors: readonly { message?: string; stack?: string }[] = []): string {
  const { message = "no message", stack = "" } = errors[0] ?? {};
  const place = /\n\s+at .*?\/((?:test|clients)\/[^\s)]+)/.exec(stack.replace(/\?[^\s:)]*/g, ""))?.[1];
  return `${message.split("\n")[0]}${place ? ` (${place})` : ""}`.slice(0, 300);
}
