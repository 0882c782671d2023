import type { TestProject } from "vitest/node";
import setUp from "./fixtures/server.ts";
import { keepFilesInMemory } from "./memory.ts";

/** Serves the fixtures of the tests, with less work for the system than a bench may have. */
export default async function setUpSuite(project: TestProject) {
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
