import { runVitest } from "../../scripts/test.ts";

/**
 * Runs the tests of the TypeScript client and of the generator.
 *
 * @param env what the tests are told of the service and of the stage of the scenarios
 */
export async function testTypeScript(
  env: Record<string, string>,
): Promise<{ passed: number; failed: number; remarks?: string[] }> {
  const { passed, failed, skipped, remarks } = await runVitest(
    ["--config=clients/typescript/vitest.config.ts"],
    env,
  );
  // One that is skipped has not passed.
  return { passed, failed: failed + skipped, remarks };
}
