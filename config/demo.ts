import { localNetwork } from "../protocol/settlement/networks.ts";
import type { Config } from "./config.ts";

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/;
/** Tells whether a URL is of this machine. */
export const isLoopback = (url: string) => loopback.test(new URL(url).hostname);

/**
 * Tells whether visitors may try orders with a sample wallet. They may if orders settle on the local chain, and the service
 * and the chain's node have addresses of this machine.
 */
export function isDemo({ publicUrl, defaultChain }: Pick<Config, "publicUrl" | "defaultChain">): boolean {
  return (
    defaultChain?.chain_id === localNetwork.chain_id &&
    isLoopback(publicUrl) &&
    isLoopback(defaultChain.rpc_url)
  );
}
