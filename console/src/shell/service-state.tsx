import type { TabSession } from "../session/session.ts";
import { useChains } from "../status/chain-queries.ts";
import { stateOfChain } from "../status/chain-states.ts";

/** A warning if the service cannot read a chain of the viewer or pay for gas there, so that pages may be out of date. */
export function ServiceState({ session }: { session: TabSession | null }) {
  const { worst } = useChains(session);
  return (
    <div role="status" className="state">
      {worst && <p className="note">{stateOfChain(worst).sentence}</p>}
    </div>
  );
}
