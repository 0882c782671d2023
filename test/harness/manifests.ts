import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DeploymentManifest } from "../../config/config.ts";

/** The settings by which a chain is served, and its id. `manifestOf` is the id in its manifest's name, if it is another. */
type Place = { env: Record<string, string>; chainId: number; manifestOf?: number };

/**
 * Lets one installation serve several chains, the first one by default.
 *
 * @param change what differs from a chain's own manifest, such as further tokens
 * @returns the settings of the installation, whose manifests `change` changes again at once
 */
export function serveChains(
  chains: readonly Place[],
  change: (manifest: DeploymentManifest) => DeploymentManifest = (manifest) => manifest,
) {
  const folder = mkdtempSync(join(tmpdir(), "earnest-chains-"));
  function write(changed: typeof change): void {
    for (const { env, chainId, manifestOf = chainId } of chains) {
      const path = join(env.DEPLOYMENTS_DIR as string, `${manifestOf}.json`);
      const manifest: DeploymentManifest = JSON.parse(readFileSync(path, "utf8"));
      const served = changed({ ...manifest, chain_id: chainId });
      writeFileSync(join(folder, `${chainId}.json`), JSON.stringify(served));
    }
  }
  write(change);
  const env: Record<string, string> = {};
  for (const place of chains) Object.assign(env, place.env);
  return {
    env: { ...env, DEPLOYMENTS_DIR: folder, DEFAULT_CHAIN_ID: String(chains[0]?.chainId) },
    change: write,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
