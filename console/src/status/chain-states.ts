import type { Chain } from "earnest-client";
import type { Tone } from "../parts/status-chip.tsx";
import { i18n } from "../text/i18n.ts";

/** The state of a chain in a word, with a sentence for those whom it concerns; null if nothing is wrong. */
export type ChainState = { word: string; tone: Tone; sentence: string | null };

type Seen = Pick<Chain, "network_name" | "rpc_reachable" | "index_state" | "relayer">;

/** Returns the state of a chain: the worst of its node, its index and its relayer. */
export function stateOfChain({
  network_name: network,
  rpc_reachable,
  index_state: index,
  relayer,
}: Seen): ChainState {
  if (!rpc_reachable)
    return {
      word: i18n.t("Not reachable"),
      tone: "bad",
      sentence: i18n.t(
        "Earnest can't reach {network}. Its data may be out of date. Your wallet can still use the escrow directly.",
        { network },
      ),
    };
  if (index === "off_chain")
    return {
      word: i18n.t("Paused"),
      tone: "bad",
      sentence: i18n.t(
        "A reorganisation of {network} reversed final blocks. Its updates are paused until the operator has checked them.",
        { network },
      ),
    };
  if (index === "incomplete")
    return {
      word: i18n.t("Catching up"),
      tone: "warn",
      sentence: i18n.t("Earnest reads {network} again. Some orders may be delayed.", { network }),
    };
  if (index === "behind")
    return {
      word: i18n.t("Late"),
      tone: "warn",
      sentence: i18n.t("Earnest is behind {network}. On-chain updates may be delayed.", { network }),
    };
  if (relayer?.waiting_for)
    return {
      word: i18n.t("Waiting for gas"),
      tone: "warn",
      sentence: i18n.t(
        "Earnest's wallet on {network} is low on gas, so signed actions are delayed. You can send transactions from your own wallet.",
        { network },
      ),
    };
  return index === null
    ? { word: i18n.t("Not checked"), tone: "neutral", sentence: null }
    : { word: i18n.t("Up to date"), tone: "good", sentence: null };
}

/** Returns the chain with the worst state, the first one of equals; undefined if nothing is wrong. */
export function worstChainOf<One extends Seen>(chains: readonly One[]): One | undefined {
  const troubled = chains.filter((chain) => stateOfChain(chain).sentence !== null);
  return troubled.find((chain) => stateOfChain(chain).tone === "bad") ?? troubled[0];
}
