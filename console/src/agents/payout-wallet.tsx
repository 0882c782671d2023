import { Trans } from "@lingui/react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Agent, Wallet } from "earnest-client";
import { useState } from "react";
import { Address } from "../parts/address.tsx";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { announce } from "../parts/toasts.ts";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { nameOfChain } from "../settings.ts";
import { i18n } from "../text/i18n.ts";

/** Chooses the wallet that an agent is paid to, from the account's verified wallets. */
export function PayoutWallet({ agent, onChange }: { agent: Agent; onChange: () => void }) {
  const client = useClient();
  const session = useSession();
  const wallets = useQuery({
    queryKey: ["wallets"],
    queryFn: async () => (await client.wallets.list()).items,
  });
  const addresses = [...new Set(wallets.data?.map(({ address }) => address))];
  const own = addresses.find((address) => address.toLowerCase() === session?.address.toLowerCase());
  const [picked, setPicked] = useState(agent.payout_wallet);
  const chosen = picked ?? own ?? addresses[0] ?? "";
  const setting = useMutation({
    mutationFn: () => client.agents.setPayoutWallet(agent.slug, { address: chosen }),
    onSuccess: () => {
      announce(
        <Trans
          id="Payout wallet of {name}: {address}."
          values={{ name: <UserText>{agent.name}</UserText>, address: chosen }}
        />,
      );
      onChange();
    },
  });
  return (
    <section className="card narrow" aria-labelledby="payout">
      <h2 id="payout">{i18n.t("Payout wallet")}</h2>
      {agent.payout_wallet ? (
        <p>
          <Address of={agent.payout_wallet} />
          <br />
          <span className="quiet">
            {i18n.t("Buyers' payments go here. Open orders keep the wallet that they were placed with.")}
          </span>
        </p>
      ) : (
        <p>{i18n.t("Not set. Choose a wallet before you publish.")}</p>
      )}
      <Loaded query={wallets}>
        {() => (
          <ChoiceField
            label={i18n.t("Wallet")}
            help={i18n.t("A verified wallet of this account.")}
            value={chosen}
            onChange={setPicked}
            choices={addresses.map((address) => [address, choiceText(address, wallets.data ?? [])] as const)}
          />
        )}
      </Loaded>
      {setting.error && <ProblemNote error={setting.error} />}
      <div className="buttons">
        <Button
          variant={agent.payout_wallet ? "secondary" : "primary"}
          isPending={setting.isPending}
          isDisabled={chosen === "" || chosen === agent.payout_wallet}
          onPress={() => setting.mutate()}
        >
          {i18n.t("Use this wallet")}
        </Button>
        <Link to="/settings/wallets">{i18n.t("Add a wallet")}</Link>
      </div>
    </section>
  );
}

/** Writes an address with the networks of its contracts. A key works on every network. */
function choiceText(address: string, wallets: readonly Wallet[]): string {
  const networks = wallets.filter((one) => one.address === address).map((one) => one.chain_id);
  const named = networks.flatMap((chainId) => (chainId === null ? [] : nameOfChain(chainId)));
  return named.length < networks.length ? address : `${address} · ${named.join(", ")}`;
}
