import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { SampleSignIn } from "../sample/sample-sign-in.tsx";
import { homeChainId, nameOfChain, serviceUrl, settings } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import type { ConsoleWallet } from "./console-wallet.ts";
import { OtherDevice } from "./other-device.tsx";
import { endReason, useSession } from "./session.ts";
import { signIn } from "./sign-in.ts";
import { signInMethods } from "./sign-in-methods.ts";

/** Signs in with a passkey, a wallet of this browser, or another device. */
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
    <div className="sign-in">
      <Page
        title={i18n.t("Sign in")}
        intro={i18n.t(
          "Choose how to prove who you are to {host} on {network}. Your account opens at the first use.",
          {
            host,
            network: nameOfChain(homeChainId),
          },
        )}
      >
        {reason && (
          <p className="note" role="status">
            {reason}
          </p>
        )}
        {settings.chain_id === null && (
          <p className="note">
            {i18n.t("This service is not set up yet: its operator has to deploy the escrow contract first.")}
          </p>
        )}
        {signingIn.error && <ProblemNote error={signingIn.error} />}
        <div className="ways">
          {signInMethods.map(({ id, Part }) => (
            <Part key={id} isPending={signingIn.isPending} onChoose={signingIn.mutate} />
          ))}
          <OtherDevice />
          <SampleSignIn />
        </div>
        <p className="quiet">
          {i18n.t("Browsing needs no account.")} <Link to="/market">{i18n.t("Browse services")}</Link>
        </p>
      </Page>
    </div>
  );
}

/** Returns the path to open after sign-in. Only paths of the console are accepted, against open redirects. */
function pathOf(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])\P{Cc}*$/u.test(next) ? next : "/";
}
