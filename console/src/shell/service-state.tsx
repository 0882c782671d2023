import { useQuery } from "@tanstack/react-query";
import { useClient } from "../session/client.ts";

/** What everybody has to know before they trust what a page shows: the chain is not read, or gas cannot be paid. */
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
  if (!status.escrow_configured) return "This service has no escrow contract yet, so nothing can be ordered.";
  if (!status.rpc_reachable) {
    return "The service cannot reach its node of the chain. What is shown may be old. Your wallet reaches the escrow by itself.";
  }
  if (status.index_state === "behind") {
    return "The service reads the chain more slowly than blocks come. Steps of the chain show late.";
  }
  if (status.index_state === "off_chain") {
    return "The chain took back blocks that counted as final. What is shown of it waits for the operator.";
  }
  if (status.index_state === "incomplete") {
    return "The service missed steps of the chain, and reads it again. Some orders show late.";
  }
  if (status.relayer?.waiting_for) {
    return "The service waits to send what was signed: its wallet is short of gas. You can send calls by your own wallet.";
  }
  return null;
}
