import { expect, test } from "vitest";
import { readConfig } from "../../../config/config.ts";
import { deploymentSchema } from "../../../tools/indexer/deployment-schema.ts";
import { ponderCommand } from "../../../tools/indexer/ponder.ts";
import { getFixture } from "../../harness/fixtures/fixture.ts";

const config = readConfig({ DEPLOYMENTS_DIR: (await getFixture("baseChain")).deployments });

test("the schema's name is the same for the same deployment, and different for another contract or block", () => {
  const name = deploymentSchema(config);
  expect(name).toMatch(/^ponder_[0-9a-f]{12}$/);
  expect(deploymentSchema({ ...config })).toBe(name);
  const [chain] = config.chains;
  if (!chain) throw new Error("There is no base chain.");
  for (const change of [
    { escrow_contract: chain.token.address },
    { deployment_block: chain.deployment_block + 1 },
    { chain_id: 1 },
    { anchors: undefined },
    { anchors: { contract: chain.escrow_contract, deployment_block: chain.deployment_block } },
  ]) {
    expect(deploymentSchema({ ...config, chains: [{ ...chain, ...change }] })).not.toBe(name);
  }
  // The URL of a chain's node does not change the indexed data.
  const reached = { rpc_url: "http://elsewhere.example", polling_interval: 5000, confirmations: 9 };
  expect(deploymentSchema({ ...config, chains: [{ ...chain, ...reached }] })).toBe(name);
});

test("the indexer writes its own schema and moves the views", () => {
  const schema = deploymentSchema(config);
  const start = ponderCommand(config, schema, {});
  expect(start.args.join(" ")).toContain(`start --schema ${schema} --views-schema idx`);
  expect(start.env).toMatchObject({ PONDER_TELEMETRY_DISABLED: "1" });
});

test("without a deployment it explains how to make one", () => {
  expect(() => ponderCommand({ ...config, chains: [] }, "any", {})).toThrow(/npm run deploy/);
});
