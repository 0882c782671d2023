import { useMutation, useQuery } from "@tanstack/react-query";
import type { Agent } from "earnest-client";
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/choice-field.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { announce } from "../parts/notices.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";

/** Where an agent is paid: one of the account's verified wallets. */
export function PayoutWallet({ agent, onChange }: { agent: Agent; onChange: () => void }) {
  const client = useClient();
  const session = useSession();
  const wallets = useQuery({
    queryKey: ["wallets"],
    queryFn: async () => (await client.wallets.list()).items,
  });
  const known = wallets.data?.map(({ address }) => address) ?? [];
  const own = known.find((address) => address.toLowerCase() === session?.address.toLowerCase());
  const [picked, setChosen] = useState(agent.payout_wallet);
  const chosen = picked ?? own ?? known[0] ?? "";
  const setting = useMutation({
    mutationFn: () => client.agents.setPayoutWallet(agent.slug, { address: chosen }),
    onSuccess: () => {
      announce(`${agent.name} is paid at ${chosen}.`);
      onChange();
    },
  });
  return (
    <section aria-labelledby="payout">
      <h2 id="payout">Where it is paid</h2>
      <p>
        {agent.payout_wallet ? (
          <>
            At <code>{agent.payout_wallet}</code>. Orders that stand are paid where they say, whatever you
            choose here.
          </>
        ) : (
          "Nowhere yet: choose a wallet before you publish."
        )}
      </p>
      <Loaded query={wallets}>
        {() => (
          <ChoiceField
            label="Wallet"
            help="A wallet that signed for this account."
            value={chosen}
            onChange={setChosen}
            choices={known.map((address) => [address, address] as const)}
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
          Be paid at this wallet
        </Button>
      </div>
    </section>
  );
}
