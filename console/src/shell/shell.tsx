import { Link, Outlet, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { useFeed } from "../feed/event-feed.ts";
import { Notices } from "../parts/notices.tsx";
import { useSession } from "../session/session.ts";
import { endWithWallet } from "../session/sign-out.ts";
import { walletConfig } from "../wallet/wallet-config.ts";
import { AccountMenu } from "./account-menu.tsx";
import { navigation } from "./navigation.ts";
import { ServiceState } from "./service-state.tsx";
import { ThemeButton } from "./theme.tsx";

/** The frame of every page: header, navigation, main content and footer. */
export function Shell() {
  const session = useSession();
  useEffect(() => endWithWallet(walletConfig), []);
  useFeed();
  const router = useRouter();
  const isSignedIn = session !== null;
  // After the session has ended, the guard redirects pages of the account.
  useEffect(() => {
    if (!isSignedIn) void router.invalidate();
  }, [isSignedIn, router]);
  return (
    <>
      {/* A button, because with the page's base URL a link to `#main` opens the first page. */}
      <button type="button" className="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <header className="bar">
        <Link to="/" className="brand">
          Earnest
        </Link>
        <div className="tools">
          <ThemeButton />
          {session ? (
            <AccountMenu session={session} />
          ) : (
            <Link to="/sign-in" className="button primary">
              Sign in
            </Link>
          )}
        </div>
        <nav aria-label="Console">
          <ul>
            {navigation
              .filter(({ own }) => !own || session)
              .map(({ to, label }) => (
                <li key={to}>
                  <Link to={to} activeOptions={{ exact: to === "/" }}>
                    {label}
                  </Link>
                </li>
              ))}
          </ul>
        </nav>
      </header>
      <ServiceState />
      <main id="main" tabIndex={-1}>
        <Outlet />
      </main>
      <Footer />
      <Notices />
    </>
  );
}

/** Links to the service itself, for developers and verifiers. */
function Footer() {
  return (
    <footer className="foot">
      <ul>
        <li>
          <a href="./docs">API reference</a>
        </li>
        <li>
          <a href="./api/v1/openapi.json">OpenAPI</a>
        </li>
        <li>
          <a href="./api/v1/chain/status">Chain status</a>
        </li>
        <li>
          <a href="./.well-known/did.json">Signing keys</a>
        </li>
      </ul>
    </footer>
  );
}
