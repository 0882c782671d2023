import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../../config/config.ts";
import manifest from "../../package.json" with { type: "json" };

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Returns the database schema of this deployment of the indexer. Ponder refuses a schema that other code or contracts wrote,
 * so the name is a hash of the inputs of Ponder's build id and of Ponder's version.
 */
export function deploymentSchema(config: Config): string {
  const hash = createHash("sha256");
  const add = (part: string) => hash.update(`${part.length}:${part}`);
  for (const { chain_id, escrow_contract, deployment_block, erc8004, anchors } of config.chains) {
    add(`${chain_id} ${escrow_contract} ${deployment_block}`);
    if (erc8004) add(`${erc8004.identity_registry} ${erc8004.reputation_registry}`);
    if (anchors) add(`anchors ${anchors.contract} ${anchors.deployment_block}`);
  }
  const handlers = readdirSync(join(root, "src"), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => `src/${entry.name}`)
    .sort();
  for (const file of [
    "ponder.config.ts",
    "ponder.schema.ts",
    "abis/anchors.ts",
    "abis/escrow.ts",
    "abis/registries.ts",
    ...handlers,
  ]) {
    add(file);
    add(readFileSync(join(root, file), "utf8"));
  }
  add(manifest.dependencies.ponder);
  return `ponder_${hash.digest("hex").slice(0, 12)}`;
}
