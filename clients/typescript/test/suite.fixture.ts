import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import setUpService from "../../../test/harness/suite.ts";

const run = promisify(execFile);

declare module "vitest" {
  interface ProvidedContext {
    /** the `dist/` of the client's package */
    clientPackage: string;
  }
}

/** Sets up the service's shared fixtures, and builds the package once for all tests that install it. */
export default async function setUp(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), "earnest-package-"));
  const dist = join(folder, "dist");
  const build = run(process.execPath, [resolve(import.meta.dirname, "../build.ts"), dist]);
  const [service, built] = await Promise.allSettled([setUpService(project), build]);
  const tearDown = async () => {
    if (service.status === "fulfilled") await service.value();
    await rm(folder, { recursive: true, force: true });
  };
  for (const one of [service, built]) {
    if (one.status === "fulfilled") continue;
    await tearDown();
    throw one.reason;
  }
  project.provide("clientPackage", dist);
  return tearDown;
}
