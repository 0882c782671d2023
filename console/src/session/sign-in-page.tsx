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

/** Signs a wallet in: the client checks the text before the wallet shows it. */
export function SignInPage() {
  const connectors = useConnectors();
  const { address } = useConnection();
  const { next } = useSearch({ from: "/sign-in" });
  const navigate = useNavigate();
  const signingIn = useMutation({
    mutationFn: signIn,
    onSuccess: () => navigate({ to: pathOf(next), replace: true }),
  });
  const ending = endReason();
  return (
    <Page title="Sign in">
      {ending && (
        <p className="note" role="status">
          {ending}
        </p>
      )}
      <p>
        Your wallet is your account. You sign a text that names this service, {new URL(serviceUrl).host}, and{" "}
        {nameOfChain(homeChainId)}. It moves no money and costs nothing.
      </p>
      {settings.chain_id === null && (
        <p className="note">
          This service has no chain yet: its operator has to deploy the escrow contract first.
        </p>
      )}
      {connectors.length === 0 ? (
        <p className="note">
          No wallet announces itself in this browser. Install a wallet that does (EIP-6963), then reload the
          page.
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
        <p role="status">
          {address ? "Your wallet asks you to sign." : "Your wallet asks you which account to use."}
        </p>
      )}
      {signingIn.error && <ProblemNote error={signingIn.error} />}
    </Page>
  );
}

/** Where to go on: a page of the console, whatever a link to here said. */
function pathOf(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])\P{Cc}*$/u.test(next) ? next : "/";
}

async function signIn(connector: Connector): Promise<void> {
  const now = getConnection(walletConfig);
  if (now.connector?.uid !== connector.uid) await connect(walletConfig, { connector });
  const { address } = getConnection(walletConfig);
  if (!address) throw new Error("The wallet names no account.");
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
