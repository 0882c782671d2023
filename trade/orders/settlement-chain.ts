import type { Chain, Config } from "../../config/config.ts";
import { Refusal } from "../refusal.ts";

/** @returns the chain that orders settle on. @throws Refusal `dependency_unavailable` where none is configured */
export function settlementChainOf({ defaultChain }: Pick<Config, "defaultChain">): Chain {
  if (defaultChain) return defaultChain;
  throw new Refusal("dependency_unavailable", "No chain is configured here, so nothing can be ordered.");
}
