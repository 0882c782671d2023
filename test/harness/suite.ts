import { tmpdir } from "node:os";
import type { TestProject } from "vitest/node";
import setUp from "./global.ts";
import { keepFilesInMemory } from "./memory.ts";

/** What the tests share, with less work for the system. The benches measure without that. */
export default async function setUpSuite(project: TestProject) {
  process.env.LASTING_TMPDIR = tmpdir();
  const forget = keepFilesInMemory();
  try {
    const tearDown = await setUp(project, { light: process.platform !== "win32" });
    return async () => {
      await tearDown();
      forget();
    };
  } catch (error) {
    forget();
    throw error;
  }
}
