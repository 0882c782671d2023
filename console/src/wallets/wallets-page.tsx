import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Wallet } from "earnest-client";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Address, shortAddress } from "../parts/address.tsx";
import { Button } from "../parts/button.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.ts";
import { findPasskey } from "../passkey/stored-passkeys.ts";
import { TransferForm } from "../passkey/transfer-form.tsx";
import { asPerson } from "../session/as-person.ts";
import { useClient } from "../session/client.ts";
import { nameOfChain } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import { AddWalletDialog } from "./add-wallet.tsx";
import { payoutsQuery, walletsQuery } from "./wallet-queries.ts";

/** The wallets of the user's account. Tokens of a passkey account can be moved out. */
export function WalletsPage() {
  const client = useClient();
  const [isAdding, setAdding] = useState(false);
  const wallets = useQuery(walletsQuery(client));
  return (
    <Page
      title={i18n.t("Wallets")}
      intro={i18n.t("Each wallet signs in to your account, pays, and can be paid.")}
      actions={
        <Button variant="primary" icon={Plus} onPress={() => setAdding(true)}>
          {i18n.t("Add wallet")}
        </Button>
      }
    >
      <Loaded query={wallets}>
        {(items) => (
          <ul className="cards" aria-label={i18n.t("Wallets")}>
            {items.map((wallet) => (
              <li key={wallet.id} className="card">
                <WalletCard wallet={wallet} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {isAdding && <AddWalletDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

function WalletCard({ wallet }: { wallet: Wallet }) {
  const client = useClient();
  const queries = useQueryClient();
  const { data: agents = [] } = useQuery(payoutsQuery(client));
  const passkey = findPasskey(wallet.address);
  const place = wallet.chain_id === null ? i18n.t("Every network") : nameOfChain(wallet.chain_id);
  const paid = agents.filter(({ payout_wallet }) => payout_wallet === wallet.address);
  const refresh = () => queries.invalidateQueries({ queryKey: ["wallets"] });
  const choosing = useMutation({
    mutationFn: async () => client.wallets.makePrimary(wallet.id, asPerson),
    onSuccess: async () => {
      announce(i18n.t("Primary wallet changed."));
      await refresh();
    },
  });
  const removing = useMutation({
    mutationFn: async () => client.wallets.remove(wallet.id, asPerson),
    onSuccess: async () => {
      announce(i18n.t("Wallet removed."));
      await refresh();
    },
  });
  return (
    <>
      <div className="card-head">
        <h2>
          <Address of={wallet.address} />
        </h2>
        {wallet.is_primary && <Chip tone="good">{i18n.t("Primary")}</Chip>}
      </div>
      <p className="quiet">
        {[passkey ? i18n.t("Passkey") : i18n.t("Wallet"), place].join(" · ")}
        {" · "}
        {i18n.t("Added")} <Time at={wallet.verified_at} isRelative />
      </p>
      {paid.length > 0 && (
        <p>
          {i18n.t("Paid here:")}{" "}
          {paid.map(({ slug, name }, at) => (
            <span key={slug}>
              {at > 0 && ", "}
              <Link to="/sell/agents/$agent" params={{ agent: slug }}>
                {name}
              </Link>
            </span>
          ))}
        </p>
      )}
      {passkey && wallet.chain_id !== null && (
        <TransferForm passkey={passkey} walletId={wallet.id} chainId={wallet.chain_id} />
      )}
      {choosing.error && <ProblemNote error={choosing.error} />}
      {!wallet.is_primary && (
        <div className="buttons">
          <Button isPending={choosing.isPending} onPress={() => choosing.mutate()}>
            {i18n.t("Make primary")}
          </Button>
          {paid.length === 0 && (
            <ConfirmButton
              label={i18n.t("Remove")}
              confirmLabel={i18n.t("Remove {wallet} now", { wallet: shortAddress(wallet.address) })}
              of={shortAddress(wallet.address)}
              isPending={removing.isPending}
              error={removing.error}
              onPress={() => removing.mutate()}
            />
          )}
        </div>
      )}
    </>
  );
}
