import { describe, expect, test } from "vitest";
import { readScenarios, type Scenario, type Step } from "../../scenarios/scenario.ts";
import { describeFailure } from "./outcomes.fixture.ts";
import { Scene } from "./stage.fixture.ts";

const { EARNEST_STAGE_URL } = process.env;
const { before, scenarios } = readScenarios();

async function open(scenario: Scenario): Promise<Scene> {
  if (EARNEST_STAGE_URL) return await Scene.open(EARNEST_STAGE_URL, scenario);
  throw new Error("EARNEST_STAGE_URL is not set: `npm run test:clients -- typescript` starts a stage.");
}

async function take(scene: Scene, step: Step): Promise<void> {
  const fails = "fails" in step ? step.fails : undefined;
  const failure = await scene.act(step).then(
    () => null,
    (error: unknown) => {
      if (fails) return describeFailure(error, fails);
      throw new Error(`${JSON.stringify(step)}, with the seed ${scene.opened.seed}`, { cause: error });
    },
  );
  expect(failure, JSON.stringify(step)).toEqual(fails ?? null);
}

describe.concurrent("over a bad network", () => {
  test.each(scenarios)("$name", { timeout: 600_000 }, async (scenario) => {
    const scene = await open(scenario);
    for (const step of scenario.alone ? [] : before) await take(scene, step);
    for (const step of scenario.steps) await take(scene, step);
    const { wrong, requests, faults } = await scene.close();
    expect(wrong, `seed ${scene.opened.seed}, ${requests} requests, ${JSON.stringify(faults)}`).toEqual([]);
  });

  test("what was bought twice is found, and a fault that did not happen", async () => {
    const scenario = scenarios.find(({ faults, end }) => faults.length > 0 && end.orders.released === 1);
    if (!scenario) throw new Error("No scenario has an order that is released.");
    const scene = await open(scenario);
    for (const step of before) await take(scene, step);
    for (const number of [1, 2]) await take(scene, { do: "buy", number });
    const { wrong } = await scene.close({ wait_ms: 1_000 });
    expect(wrong).toContain("the fault did not happen: 1. POST /orders/*/release");
    expect(wrong.filter((one) => !one.startsWith("the fault"))).toEqual([
      'the orders\' statuses: {"funded":2}, expected {"released":1}',
      "payments of the buyer's wallet: 2, expected 1",
      'what escrows hold: "5.00", expected "0.00"',
      'what the provider has: "0.00", expected "2.50"',
    ]);
  });
});
