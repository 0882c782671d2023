import { useQuery } from "@tanstack/react-query";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";

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
  if (!status.escrow_configured)
    return i18n.t("Orders are not available yet: the escrow contract is not deployed.");
  if (!status.rpc_reachable)
    return i18n.t(
      "Earnest can't reach the blockchain. Data may be out of date. Your wallet can still use the escrow directly.",
    );
  if (status.index_state === "behind")
    return i18n.t("Earnest is behind the blockchain. On-chain updates may be delayed.");
  if (status.index_state === "off_chain")
    return i18n.t(
      "A blockchain reorganisation reversed final blocks. On-chain updates are paused until the operator has checked them.",
    );
  if (status.index_state === "incomplete")
    return i18n.t("Earnest reads the blockchain again. Some orders may be delayed.");
  if (status.relayer?.waiting_for)
    return i18n.t(
      "Earnest's wallet is low on gas, so signed actions are delayed. You can send transactions from your own wallet.",
    );
  return null;
}
