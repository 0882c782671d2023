import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ChevronDown, LogOut } from "lucide-react";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Header } from "react-aria-components/Header";
import { Menu, MenuItem, MenuSection, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { disconnect } from "wagmi/actions";
import { showHidden } from "../../../protocol/json/text.ts";
import { roleName } from "../organisation/roles.ts";
import { shortAddress } from "../parts/address.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { actFor, currentSession, type TabSession } from "../session/session.ts";
import { organisationsQuery } from "../session/session-queries.ts";
import { signOut } from "../session/sign-out.ts";
import { type Language, languages } from "../text/catalogues.ts";
import { i18n } from "../text/i18n.ts";
import { chooseLanguage, currentLanguage } from "../text/language.ts";
import { walletConfig } from "../wallet/wallet-config.ts";

/** The account menu: organisation, settings, language and sign-out. */
export function AccountMenu({ session }: { session: TabSession }) {
  const client = useClient();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  // The button of the own account has no name to read.
  const isNeeded = isOpen || session.organisation !== null;
  const { data: organisations = [] } = useQuery({ ...organisationsQuery(client), enabled: isNeeded });
  const acting = organisations.find(({ id }) => id === (session.organisation ?? session.accountId));
  const own = { id: session.accountId, name: null, is_own: true, role: "owner" as const };
  const name =
    acting && !acting.is_own ? (acting.name ?? i18n.t("Organisation")) : shortAddress(session.address);
  const open = (to: string) => () => void navigate({ to });
  return (
    <MenuTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button aria-label={i18n.t("Account {name}", { name: showHidden(name) })}>
        <UserText>{name}</UserText>
        <ChevronDown size={14} aria-hidden />
      </Button>
      <Popover className="popover" placement="bottom end">
        <Menu className="menu" aria-label={i18n.t("Account")}>
          <MenuSection
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[session.organisation ?? session.accountId]}
            onSelectionChange={(chosen) => {
              const [id] = [...(chosen as Set<string>)];
              actFor(id === undefined || id === session.accountId ? null : id);
            }}
          >
            <Header>{i18n.t("Switch organisation")}</Header>
            {(organisations.length > 0 ? organisations : [own]).map(({ id, name: title, is_own, role }) => (
              <MenuItem key={id} id={id} textValue={showHidden(title ?? id)}>
                <UserText>{title ?? (is_own ? i18n.t("Personal") : id)}</UserText>
                {` · ${is_own ? shortAddress(session.address) : roleName(role)}`}
              </MenuItem>
            ))}
          </MenuSection>
          <MenuSection>
            <Header>{i18n.t("Settings")}</Header>
            <MenuItem onAction={open("/settings/organisation")}>{i18n.t("Organisation")}</MenuItem>
            <MenuItem onAction={open("/settings/notifications")}>{i18n.t("Notifications")}</MenuItem>
            <MenuItem onAction={open("/settings/billing")}>{i18n.t("Billing details")}</MenuItem>
            <MenuItem onAction={open("/settings/sessions")}>{i18n.t("Sessions")}</MenuItem>
            <MenuItem onAction={open("/settings/audit")}>{i18n.t("Audit log")}</MenuItem>
          </MenuSection>
          {languageNames.length > 1 && (
            <MenuSection
              selectionMode="single"
              disallowEmptySelection
              selectedKeys={[currentLanguage()]}
              onSelectionChange={(chosen) => {
                const [next] = [...(chosen as Set<Language>)];
                if (next) chooseLanguage(next);
              }}
            >
              <Header>{i18n.t("Language")}</Header>
              {languageNames.map(([id, title]) => (
                <MenuItem key={id} id={id}>
                  {title}
                </MenuItem>
              ))}
            </MenuSection>
          )}
          <MenuSection aria-label={i18n.t("Session")}>
            <MenuItem onAction={signOutAndDisconnect}>
              <LogOut size={14} aria-hidden /> {i18n.t("Sign out")}
            </MenuItem>
          </MenuSection>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

const languageNames = Object.entries(languages) as [Language, string][];

function signOutAndDisconnect(): void {
  void signOut().then(async () => {
    if (!currentSession()) await disconnect(walletConfig);
  });
}
