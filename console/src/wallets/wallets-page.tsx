import { i18n } from "@lingui/core";
import { useQuery } from "@tanstack/react-query";
import type { Wallet } from "earnest-client";
import { Address } from "../parts/address.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { findPasskey } from "../passkey/stored-passkeys.ts";
import { TransferForm } from "../passkey/transfer-form.tsx";
import { useClient } from "../session/client.ts";
import { nameOfChain } from "../settings.ts";

/** Wallets belong to the person, whichever organisation the tab acts for. */
const own = { organisation: null } as const;

/** The wallets of the user's account. Tokens of a passkey account can be moved out. */
export function WalletsPage() {
  const client = useClient();
  const wallets = useQuery({
    queryKey: ["wallets"],
    queryFn: async () => (await client.wallets.list(own)).items,
  });
  return (
    <Page title={i18n.t("Wallets")}>
      <p>{i18n.t("Each wallet signs in to your account, pays, and can be paid.")}</p>
      <Loaded query={wallets}>
        {(items) => (
          <ul className="cards" aria-label={i18n.t("Wallets")}>
            {items.map((wallet) => (
              <li key={wallet.id}>
                <WalletCard wallet={wallet} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Page>
  );
}

function WalletCard({ wallet }: { wallet: Wallet }) {
  const passkey = findPasskey(wallet.address);
  const place = wallet.chain_id === null ? i18n.t("Every network") : nameOfChain(wallet.chain_id);
  return (
    <>
      <p>
        <Address of={wallet.address} />
      </p>
      <p className="quiet">
        {[passkey ? i18n.t("Passkey") : i18n.t("Wallet"), place, wallet.is_primary && i18n.t("Primary")]
          .filter(Boolean)
          .join(" · ")}
      </p>
      {passkey && wallet.chain_id !== null && (
        <TransferForm passkey={passkey} walletId={wallet.id} chainId={wallet.chain_id} />
      )}
    </>
  );
}
