import { i18n } from "@lingui/core";
import { Link } from "@tanstack/react-router";
import { Menu, Search } from "lucide-react";
import { useState } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { NotificationBell } from "../notifications/bell.tsx";
import { Button } from "../parts/button.tsx";
import { Chip } from "../parts/status-chip.tsx";
import type { Session } from "../session/session.ts";
import { nameOfChain, settings } from "../settings.ts";
import { AccountMenu } from "./account-menu.tsx";
import { CommandPalette, useCommandKey } from "./command-palette.tsx";
import { openNavigation } from "./navigation.ts";
import { Brand, Sidebar } from "./sidebar.tsx";
import { ThemeButton } from "./theme.tsx";

/** The bar above every page: the drawer on phones, search, network, theme and account. */
export function TopBar({ session }: { session: Session | null }) {
  const [isSearching, setSearching] = useState(false);
  useCommandKey(() => setSearching(true));
  return (
    <header className="topbar">
      {session ? <Drawer /> : <Brand />}
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
        {settings.chain_id !== null && (
          <span className="only-desktop">
            <Chip>{nameOfChain(settings.chain_id)}</Chip>
          </span>
        )}
        <span className="only-phone">
          <Button
            variant="bare"
            icon={Search}
            aria-label={i18n.t("Search")}
            onPress={() => setSearching(true)}
          />
        </span>
        {session && <NotificationBell />}
        <ThemeButton />
        {session ? (
          <AccountMenu session={session} />
        ) : (
          <Link to="/sign-in" className="button primary">
            {i18n.t("Sign in")}
          </Link>
        )}
      </div>
      <CommandPalette isOpen={isSearching} onClose={() => setSearching(false)} />
    </header>
  );
}

/** The sidebar as a drawer, for phones. */
function Drawer() {
  const [isOpen, setOpen] = useState(false);
  return (
    <span className="only-phone">
      <Button variant="bare" icon={Menu} aria-label={i18n.t("Menu")} onPress={() => setOpen(true)} />
      <ModalOverlay className="overlay" isOpen={isOpen} onOpenChange={setOpen} isDismissable>
        <Modal className="drawer">
          <Dialog aria-label={i18n.t("Menu")}>
            <Sidebar onNavigate={() => setOpen(false)} />
          </Dialog>
        </Modal>
      </ModalOverlay>
    </span>
  );
}
