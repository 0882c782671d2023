import type { SigningWallet } from "earnest-client";
import { RotateCw, Wallet } from "lucide-react";
import type { Connector } from "wagmi";
import { connect, getConnection, signMessage } from "wagmi/actions";
import { Button } from "../parts/button.tsx";
import { UserText } from "../parts/user-text.tsx";
import { i18n } from "../text/i18n.ts";
import { useWallet, useWallets, walletConfig } from "../wallet/wallet-config.ts";
import { SignInMethod } from "./sign-in-method.tsx";

/** The wallets that announce themselves in this browser (EIP-6963). */
export function InjectedWallets({
  isPending,
  onChoose,
}: {
  isPending: boolean;
  onChoose: (open: () => Promise<SigningWallet>) => void;
}) {
  const connectors = useWallets();
  const { address } = useWallet();
  return (
    <SignInMethod
      icon={Wallet}
      title={i18n.t("Wallet in this browser")}
      text={
        connectors.length > 0
          ? i18n.t("You sign a message. It is free and moves no funds.")
          : i18n.t("No wallet found. Install MetaMask, Coinbase Wallet or Rabby, then reload this page.")
      }
    >
      {connectors.length === 0 ? (
        <div className="buttons">
          <a
            className="button"
            href="https://ethereum.org/wallets/find-wallet/"
            target="_blank"
            rel="noreferrer"
          >
            {i18n.t("Find a wallet")}
          </a>
          <Button variant="bare" icon={RotateCw} onPress={() => location.reload()}>
            {i18n.t("Reload")}
          </Button>
        </div>
      ) : (
        <ul className="wallets" aria-label={i18n.t("Wallets in this browser")}>
          {connectors.map((connector) => (
            <li key={connector.uid}>
              <Button
                className="wallet"
                isPending={isPending}
                onPress={() => onChoose(() => connectWallet(connector))}
              >
                {connector.icon && <img src={connector.icon} alt="" width={24} height={24} />}
                <UserText>{connector.name}</UserText>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {isPending && connectors.length > 0 && (
        <p role="status">
          {address ? i18n.t("Confirm in your wallet…") : i18n.t("Choose an account in your wallet…")}
        </p>
      )}
    </SignInMethod>
  );
}

async function connectWallet(connector: Connector): Promise<SigningWallet> {
  const current = getConnection(walletConfig);
  if (current.connector?.uid !== connector.uid) await connect(walletConfig, { connector });
  const { address } = getConnection(walletConfig);
  if (!address) throw new Error(i18n.t("The wallet returned no account."));
  return {
    address,
    signMessage: ({ message }) => signMessage(walletConfig, { message, account: address }),
  };
}
