import { i18n } from "@lingui/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { nameOfChain, serviceUrl, settings } from "../settings.ts";
import { homeChainId } from "../wallet/wallet-config.ts";
import type { ConsoleWallet } from "./console-wallet.ts";
import { OtherDevice } from "./other-device.tsx";
import { endReason, useSession } from "./session.ts";
import { signIn } from "./sign-in.ts";
import { walletWays } from "./wallet-ways.ts";

/** Signs in with a wallet of this browser or of another device. */
export function SignInPage() {
  const { next } = useSearch({ from: "/sign-in" });
  const navigate = useNavigate();
  const session = useSession();
  const signingIn = useMutation({
    mutationFn: async (open: () => Promise<ConsoleWallet>) => signIn(await open()),
  });
  // The session may begin here, on another device or in another tab.
  useEffect(() => {
    if (session) void navigate({ to: pathOf(next), replace: true });
  }, [session, navigate, next]);
  const reason = endReason();
  const host = new URL(serviceUrl).host;
  return (
    <Page title={i18n.t("Sign in")}>
      {reason && (
        <p className="note" role="status">
          {reason}
        </p>
      )}
      <p>
        {i18n.t(
          "Sign in with your wallet. You'll sign a message for {host} on {network}; it's free and moves no funds.",
          { host, network: nameOfChain(homeChainId) },
        )}
      </p>
      {settings.chain_id === null && (
        <p className="note">
          {i18n.t("This service is not set up yet: its operator has to deploy the escrow contract first.")}
        </p>
      )}
      {walletWays.map(({ id, Part }) => (
        <Part key={id} isPending={signingIn.isPending} onChoose={signingIn.mutate} />
      ))}
      {signingIn.error && <ProblemNote error={signingIn.error} />}
      <OtherDevice />
    </Page>
  );
}

/** Returns the path to open after sign-in. Only paths of the console are accepted, against open redirects. */
function pathOf(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])\P{Cc}*$/u.test(next) ? next : "/";
}
