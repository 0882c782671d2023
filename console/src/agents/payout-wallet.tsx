import { useMutation, useQuery } from "@tanstack/react-query";
import type { Agent } from "earnest-client";
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { announce } from "../parts/toasts.tsx";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";

/** Chooses the wallet that an agent is paid to, from the account's verified wallets. */
export function PayoutWallet({ agent, onChange }: { agent: Agent; onChange: () => void }) {
  const client = useClient();
  const session = useSession();
  const wallets = useQuery({
    queryKey: ["wallets"],
    queryFn: async () => (await client.wallets.list()).items,
  });
  const addresses = wallets.data?.map(({ address }) => address) ?? [];
  const own = addresses.find((address) => address.toLowerCase() === session?.address.toLowerCase());
  const [picked, setPicked] = useState(agent.payout_wallet);
  const chosen = picked ?? own ?? addresses[0] ?? "";
  const setting = useMutation({
    mutationFn: () => client.agents.setPayoutWallet(agent.slug, { address: chosen }),
    onSuccess: () => {
      announce(`Payout wallet of ${agent.name}: ${chosen}.`);
      onChange();
    },
  });
  return (
    <section aria-labelledby="payout">
      <h2 id="payout">Payout wallet</h2>
      <p>
        {agent.payout_wallet ? (
          <>
            <code>{agent.payout_wallet}</code>. Open orders keep the wallet that they were placed with.
          </>
        ) : (
          "Not set. Choose a wallet before you publish."
        )}
      </p>
      <Loaded query={wallets}>
        {() => (
          <ChoiceField
            label="Wallet"
            help="A verified wallet of this account."
            value={chosen}
            onChange={setPicked}
            choices={addresses.map((address) => [address, address] as const)}
          />
        )}
      </Loaded>
      {setting.error && <ProblemNote error={setting.error} />}
      <div className="buttons">
        <Button
          isPending={setting.isPending}
          isDisabled={chosen === agent.payout_wallet}
          onPress={() => setting.mutate()}
        >
          Use this wallet
        </Button>
      </div>
    </section>
  );
}
