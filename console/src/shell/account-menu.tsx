import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Button } from "react-aria-components/Button";
import { Header } from "react-aria-components/Header";
import { Menu, MenuItem, MenuSection, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { disconnect } from "wagmi/actions";
import { shortAddress } from "../parts/address.tsx";
import { useClient } from "../session/client.ts";
import { actFor, currentSession, type Session } from "../session/session.ts";
import { organisationsQuery } from "../session/session-queries.ts";
import { signOut } from "../session/sign-out.ts";
import { walletConfig } from "../wallet/wallet-config.ts";

/** The account menu: organisation, email, audit log and sign-out. */
export function AccountMenu({ session }: { session: Session }) {
  const client = useClient();
  const navigate = useNavigate();
  const { data: organisations = [] } = useQuery(organisationsQuery(client));
  const acting = organisations.find(({ id }) => id === (session.organisation ?? session.accountId));
  const name = acting && !acting.is_own ? (acting.name ?? "Organisation") : shortAddress(session.address);
  return (
    <MenuTrigger>
      <Button aria-label={`Account ${name}`}>{name}</Button>
      <Popover className="popover" placement="bottom end">
        <Menu className="menu" aria-label="Account">
          <MenuSection
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[session.organisation ?? session.accountId]}
            onSelectionChange={(chosen) => {
              const [id] = [...(chosen as Set<string>)];
              actFor(id === undefined || id === session.accountId ? null : id);
            }}
          >
            <Header>Switch organisation</Header>
            {(organisations.length > 0 ? organisations : [own(session)]).map(({ id, name, is_own, role }) => (
              <MenuItem key={id} id={id} textValue={name ?? id}>
                {is_own
                  ? `${name ?? "Personal"} · ${shortAddress(session.address)}`
                  : `${name ?? id} · ${role}`}
              </MenuItem>
            ))}
          </MenuSection>
          <MenuSection>
            <Header>{session.address}</Header>
            <MenuItem onAction={() => void navigate({ to: "/settings/notifications" })}>Email</MenuItem>
            <MenuItem onAction={() => void navigate({ to: "/settings/sessions" })}>Sessions</MenuItem>
            <MenuItem onAction={() => void navigate({ to: "/settings/audit" })}>Audit log</MenuItem>
            <MenuItem onAction={leave}>Sign out</MenuItem>
          </MenuSection>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

const own = ({ accountId }: Session) => ({ id: accountId, name: null, is_own: true, role: "owner" });

function leave(): void {
  void signOut().then(async () => {
    if (!currentSession()) await disconnect(walletConfig);
  });
}
