import { useQuery } from "@tanstack/react-query";
import { useClient } from "../session/client.ts";

/** A warning if the service cannot read the chain or pay for gas, so that pages may be out of date. */
export function ServiceState() {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ["chain-status"],
    queryFn: () => client.chain.getStatus(),
    refetchInterval: 30_000,
  });
  const sentence = data && sentenceOf(data);
  return (
    <div role="status" className="state">
      {sentence && <p className="note">{sentence}</p>}
    </div>
  );
}

function sentenceOf(status: {
  escrow_configured: boolean;
  rpc_reachable: boolean;
  index_state: string | null;
  relayer: { waiting_for: string | null } | null;
}): string | null {
  if (!status.escrow_configured) return "Orders are not available yet: the escrow contract is not deployed.";
  if (!status.rpc_reachable) {
    return "Earnest can't reach the blockchain right now. Data may be out of date. Your wallet can still use the escrow directly.";
  }
  if (status.index_state === "behind") {
    return "Earnest is behind the blockchain. On-chain updates may be delayed.";
  }
  if (status.index_state === "off_chain") {
    return "A blockchain reorganisation reversed final blocks. On-chain updates are paused until the operator has checked them.";
  }
  if (status.index_state === "incomplete") {
    return "Earnest is re-reading the blockchain. Some orders may be delayed.";
  }
  if (status.relayer?.waiting_for) {
    return "Earnest's wallet is low on gas, so signed actions are delayed. You can send transactions from your own wallet.";
  }
  return null;
}
