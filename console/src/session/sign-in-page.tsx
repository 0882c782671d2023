import { useMutation } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Earnest } from "earnest-client";
import { type Connector, useConnection, useConnectors } from "wagmi";
import { connect, getConnection, signMessage } from "wagmi/actions";
import { Button } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { nameOfChain, serviceUrl, settings } from "../settings.ts";
import { homeChainId, walletConfig } from "../wallet/wallet-config.ts";
import { beginSession, endReason } from "./session.ts";

/** Signs in with a wallet. The client checks the message before the wallet shows it. */
export function SignInPage() {
  const connectors = useConnectors();
  const { address } = useConnection();
  const { next } = useSearch({ from: "/sign-in" });
  const navigate = useNavigate();
  const signingIn = useMutation({
    mutationFn: signIn,
    onSuccess: () => navigate({ to: pathOf(next), replace: true }),
  });
  const reason = endReason();
  return (
    <Page title="Sign in">
      {reason && (
        <p className="note" role="status">
          {reason}
        </p>
      )}
      <p>
        Sign in with your wallet. You'll sign a message for {new URL(serviceUrl).host} on{" "}
        {nameOfChain(homeChainId)}; it's free and moves no funds.
      </p>
      {settings.chain_id === null && (
        <p className="note">
          This service is not set up yet: its operator has to deploy the escrow contract first.
        </p>
      )}
      {connectors.length === 0 ? (
        <p className="note">
          No wallet found. Get MetaMask, Coinbase Wallet or Rabby, then reload this page.
        </p>
      ) : (
        <ul className="wallets" aria-label="Wallets in this browser">
          {connectors.map((connector) => (
            <li key={connector.uid}>
              <Button
                className="wallet"
                isPending={signingIn.isPending}
                onPress={() => signingIn.mutate(connector)}
              >
                {connector.icon && <img src={connector.icon} alt="" width={24} height={24} />}
                {connector.name}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {signingIn.isPending && (
        <p role="status">{address ? "Confirm in your wallet…" : "Choose an account in your wallet…"}</p>
      )}
      {signingIn.error && <ProblemNote error={signingIn.error} />}
    </Page>
  );
}

/** Returns the path to open after sign-in. Only paths of the console are accepted, against open redirects. */
function pathOf(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])\P{Cc}*$/u.test(next) ? next : "/";
}

async function signIn(connector: Connector): Promise<void> {
  const current = getConnection(walletConfig);
  if (current.connector?.uid !== connector.uid) await connect(walletConfig, { connector });
  const { address } = getConnection(walletConfig);
  if (!address) throw new Error("The wallet returned no account.");
  const wallet = {
    address,
    signMessage: ({ message }: { message: string }) =>
      signMessage(walletConfig, { message, account: address }),
  };
  const { tokens, account } = await new Earnest({ baseUrl: serviceUrl }).signIn({
    wallet,
    chainId: homeChainId,
  });
  beginSession({
    token: tokens.access_token,
    address,
    accountId: account.id,
    expiresAt: tokens.expires_at,
    organisation: null,
  });
}
