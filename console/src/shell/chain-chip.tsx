import { Link } from "@tanstack/react-router";
import { Chip } from "../parts/status-chip.tsx";
import type { TabSession } from "../session/session.ts";
import { nameOfChain, settings } from "../settings.ts";
import { useChains } from "../status/chain-queries.ts";
import { stateOfChain } from "../status/chain-states.ts";

/** Names the default chain, or the worst chain that concerns the viewer with its state. Hovering lists all chains. */
export function ChainChip({ session }: { session: TabSession | null }) {
  const { chains, worst } = useChains(session);
  if (settings.chain_id === null) return null;
  const line = (chain: (typeof chains)[number]) => `${chain.network_name}: ${stateOfChain(chain).word}`;
  return (
    <Link to="/chain-status" className="only-desktop" title={chains.map(line).join("\n")}>
      <Chip tone={worst && stateOfChain(worst).tone}>
        {worst ? line(worst) : nameOfChain(settings.chain_id)}
      </Chip>
    </Link>
  );
}
