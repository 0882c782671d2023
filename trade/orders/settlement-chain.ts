import type { Chain, Config } from "../../config/config.ts";
import { Refusal } from "../refusal.ts";

/** Returns the chain that orders settle on. @throws Refusal `dependency_unavailable` if no chain is configured */
export function settlementChainOf({ defaultChain }: Pick<Config, "defaultChain">): Chain {
  if (defaultChain) return defaultChain;
  throw new Refusal("dependency_unavailable", "No chain is configured, so nothing can be ordered.");
}
