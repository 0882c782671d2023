import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Connector } from "wagmi";
import type { VerifiedDocument } from "../../../receipts/index.ts";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { i18n } from "../text/i18n.ts";
import { useWallet, useWallets } from "../wallet/wallet-config.ts";
import { Checks } from "./checks-table.tsx";
import { type Check, checkChain, nodeOf } from "./receipt-checks.ts";

/**
 * Confirms the event with a wallet's node: with the connected wallet's at once, with others on request.
 *
 * @param onChecked gets the outcome
 */
export function ChainConfirmation({
  verified,
  onChecked,
}: {
  verified: VerifiedDocument;
  onChecked: (checks: Check[]) => void;
}) {
  const connectors = useWallets();
  const { connector: connected } = useWallet();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async (connector: Connector) => await checkChain(verified, await nodeOf(connector)),
    onSuccess: onChecked,
  });
  useEffect(() => {
    if (connected?.getProvider) mutate(connected);
  }, [connected, mutate]);
  return (
    <section aria-labelledby="chain-confirmation">
      <h2 id="chain-confirmation">{i18n.t("On-chain confirmation")}</h2>
      {data ? (
        <Checks title={i18n.t("On-chain checks")} checks={data} />
      ) : (
        <p>
          {i18n.t(
            "A signature shows who issued the receipt. Only the chain shows that the money moved. Check with a node you trust, such as your wallet's.",
          )}
        </p>
      )}
      {error && <ProblemNote error={error} />}
      {connectors.length === 0 && (
        <p>{i18n.t("No wallet found in this browser. Look up the transaction above with your own node.")}</p>
      )}
      <div className="buttons">
        {connectors.map((connector) => (
          <Button key={connector.uid} isPending={isPending} onPress={() => mutate(connector)}>
            {data
              ? i18n.t("Check with {wallet} again", { wallet: connector.name })
              : i18n.t("Check with {wallet}", { wallet: connector.name })}
          </Button>
        ))}
      </div>
    </section>
  );
}
