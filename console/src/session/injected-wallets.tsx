import { i18n } from "@lingui/core";
import type { SigningWallet } from "earnest-client";
import { type Connector, useConnection, useConnectors } from "wagmi";
import { connect, getConnection, signMessage } from "wagmi/actions";
import { Button } from "../parts/button.tsx";
import { walletConfig } from "../wallet/wallet-config.ts";

/** The wallets that announce themselves in this browser (EIP-6963). */
export function InjectedWallets({
  isPending,
  onChoose,
}: {
  isPending: boolean;
  onChoose: (open: () => Promise<SigningWallet>) => void;
}) {
  const connectors = useConnectors();
  const { address } = useConnection();
  if (connectors.length === 0) {
    return (
      <p className="note">
        {i18n.t(
          "No wallet found in this browser. Get MetaMask, Coinbase Wallet or Rabby, then reload this page.",
        )}
      </p>
    );
  }
  return (
    <>
      <ul className="wallets" aria-label={i18n.t("Wallets in this browser")}>
        {connectors.map((connector) => (
          <li key={connector.uid}>
            <Button
              className="wallet"
              isPending={isPending}
              onPress={() => onChoose(() => openWallet(connector))}
            >
              {connector.icon && <img src={connector.icon} alt="" width={24} height={24} />}
              {connector.name}
            </Button>
          </li>
        ))}
      </ul>
      {isPending && (
        <p role="status">
          {address ? i18n.t("Confirm in your wallet…") : i18n.t("Choose an account in your wallet…")}
        </p>
      )}
    </>
  );
}

async function openWallet(connector: Connector): Promise<SigningWallet> {
  const current = getConnection(walletConfig);
  if (current.connector?.uid !== connector.uid) await connect(walletConfig, { connector });
  const { address } = getConnection(walletConfig);
  if (!address) throw new Error(i18n.t("The wallet returned no account."));
  return {
    address,
    signMessage: ({ message }) => signMessage(walletConfig, { message, account: address }),
  };
}
