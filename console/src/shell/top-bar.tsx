import { Link } from "@tanstack/react-router";
import { Menu, Search } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { shortAddress } from "../parts/address.tsx";
import { Button } from "../parts/button.tsx";
import type { TabSession } from "../session/session.ts";
import { i18n } from "../text/i18n.ts";
import { ChainChip } from "./chain-chip.tsx";
import { useCommandKey } from "./command-key.ts";
import { useFirstView } from "./first-view.ts";
import { openNavigation } from "./navigation.ts";
import { Brand } from "./sidebar.tsx";
import { ThemeButton } from "./theme.tsx";

// The first view of a page does not wait for what opens over the page.
const SessionTools = lazy(() =>
  import("./session-tools.tsx").then(({ SessionTools: loaded }) => ({ default: loaded })),
);
const CommandPalette = lazy(() =>
  import("./command-palette.tsx").then(({ CommandPalette: loaded }) => ({ default: loaded })),
);
const Drawer = lazy(() => import("./drawer.tsx").then(({ Drawer: loaded }) => ({ default: loaded })));

/** The bar above every page: the drawer on phones, search, network, theme and account. */
export function TopBar({ session }: { session: TabSession | null }) {
  const [isSearching, setSearching] = useState(false);
  useCommandKey(() => setSearching(true));
  return (
    <header className="topbar">
      {session ? <MenuButton /> : <Brand />}
      {!session && (
        <nav aria-label={i18n.t("Pages")} className="only-desktop">
          <ul>
            {openNavigation.map(({ to, label }) => (
              <li key={to}>
                <Link to={to}>{label()}</Link>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {session && (
        <Button className="search only-desktop" icon={Search} onPress={() => setSearching(true)}>
          {i18n.t("Search")}
          <kbd>{/Mac|iPhone/.test(navigator.userAgent) ? "⌘K" : "Ctrl K"}</kbd>
        </Button>
      )}
      <div className="tools">
        <ChainChip session={session} />
        <span className="only-phone">
          <Button
            variant="bare"
            icon={Search}
            aria-label={i18n.t("Search")}
            onPress={() => setSearching(true)}
          />
        </span>
        <ThemeButton />
        {session ? (
          <LaterTools session={session} />
        ) : (
          <Link to="/sign-in" className="button primary">
            {i18n.t("Sign in")}
          </Link>
        )}
      </div>
      {isSearching && (
        <Suspense>
          <CommandPalette onClose={() => setSearching(false)} />
        </Suspense>
      )}
    </header>
  );
}

/** The tools of a session. On a slow network they load after the data of the page. */
function LaterTools({ session }: { session: TabSession }) {
  const place = <span className="button">{shortAddress(session.address)}</span>;
  if (!useFirstView()) return place;
  return (
    <Suspense fallback={place}>
      <SessionTools session={session} />
    </Suspense>
  );
}

/** Opens the sidebar as a drawer, on phones. */
function MenuButton() {
  const [isOpen, setOpen] = useState(false);
  return (
    <span className="only-phone">
      <Button variant="bare" icon={Menu} aria-label={i18n.t("Menu")} onPress={() => setOpen(true)} />
      {isOpen && (
        <Suspense>
          <Drawer onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </span>
  );
}
