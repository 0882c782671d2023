import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getFixture } from "./fixtures/fixture.ts";

/** The fixture's chain, and a second one of the same manifest, so that one address is a token on both. */
export const [firstChain, secondChain] = [31_337, 424_242];

/**
 * Writes the manifests of two chains.
 *
 * @param secondUrl the node of the second chain; nothing listens there by default
 */
export async function describeTwoChains(secondUrl = "http://127.0.0.1:9") {
  const folder = mkdtempSync(join(tmpdir(), "earnest-chains-"));
  const { deployments, rpcUrl } = await getFixture("baseChain");
  const manifest = JSON.parse(readFileSync(join(deployments, `${firstChain}.json`), "utf8"));
  for (const chain_id of [firstChain, secondChain])
    writeFileSync(join(folder, `${chain_id}.json`), JSON.stringify({ ...manifest, chain_id }));
  return {
    env: {
      DEPLOYMENTS_DIR: folder,
      [`RPC_URL_${firstChain}`]: rpcUrl,
      [`RPC_URL_${secondChain}`]: secondUrl,
    },
    token: manifest.token.address as string,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
