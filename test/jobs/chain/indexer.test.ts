import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { expect, inject, test } from "vitest";
import { readConfig } from "../../../config.ts";
import { deploymentSchema, ponderCommand } from "../../../indexer/ponder.ts";
import { checkPortFree } from "../../../indexer/port.ts";
import { ourProgram } from "../../harness/programs.ts";

const config = readConfig({ DEPLOYMENTS_DIR: inject("baseDeployments") });

test("the schema's name is the same for the same deployment, and another for another contract or block", () => {
  const name = deploymentSchema(config);
  expect(name).toMatch(/^ponder_[0-9a-f]{12}$/);
  expect(deploymentSchema({ ...config })).toBe(name);
  const [chain] = config.chains;
  if (!chain) throw new Error("There is no base chain.");
  for (const change of [
    { escrow_contract: chain.token.address },
    { deployment_block: chain.deployment_block + 1 },
    { chain_id: 1 },
  ]) {
    expect(deploymentSchema({ ...config, chains: [{ ...chain, ...change }] })).not.toBe(name);
  }
  // How a chain is reached is no matter of what is indexed.
  const reached = { rpc_url: "http://elsewhere.example", polling_interval: 5000, confirmations: 9 };
  expect(deploymentSchema({ ...config, chains: [{ ...chain, ...reached }] })).toBe(name);
});

test("the indexer writes its own schema and moves the views; the API alone reads the views", () => {
  const start = ponderCommand(config, { env: {} });
  expect(start.args.join(" ")).toContain(`start --schema ${deploymentSchema(config)} --views-schema idx`);
  const serve = ponderCommand(config, { env: {}, serve: true });
  expect(serve.args.join(" ")).toContain("serve --schema idx");
  expect(serve.env).toMatchObject({ PORT: "42069", PONDER_TELEMETRY_DISABLED: "1" });
});

test("without a deployment it says how to make one", () => {
  expect(() => ponderCommand({ ...config, chains: [] }, { env: {} })).toThrow(/npm run deploy/);
});

test("a taken port is refused in a sentence, and no other is taken instead", async () => {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await expect(checkPortFree(port)).rejects.toThrow(`Port ${port} is taken by another program`);

  const child = spawn(process.execPath, ourProgram("scripts/indexer.ts"), {
    env: {
      DEPLOYMENTS_DIR: inject("baseDeployments"),
      RPC_URL_31337: inject("baseRpcUrl"),
      PORT: String(port),
    },
  });
  let text = "";
  child.stderr.on("data", (part) => {
    text += part;
  });
  const [code] = await once(child, "close");
  expect(code).toBe(1);
  expect(text).toBe(`Port ${port} is taken by another program: end that one, or set PORT to a free one.\n`);
  server.close();
  await once(server, "close");
  await expect(checkPortFree(port)).resolves.toBeUndefined();
});
