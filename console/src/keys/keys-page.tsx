import { useQuery } from "@tanstack/react-query";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { useClient } from "../session/client.ts";
import { KeyCard } from "./key-card.tsx";
import { NewKey } from "./new-key.tsx";

/** The keys of programs: what each may do and spend, when it was last used, and its end. */
export function KeysPage() {
  const client = useClient();
  const keys = useQuery({
    queryKey: ["keys"],
    queryFn: async () => {
      const [{ items }, spend] = await Promise.all([
        client.apiKeys.list({ limit: 100 }),
        // Without a chain to settle on there is no money to tell of.
        client.apiKeys.getSpend().catch(() => null),
      ]);
      return { items, spend };
    },
  });
  return (
    <Page title="Keys">
      <p>
        A program uses the service with a key, and may do what the key's scopes and limits say. No key can
        sign for your wallet.
      </p>
      <NewKey />
      <h2>Your keys</h2>
      <Loaded query={keys}>
        {({ items, spend }) =>
          items.length === 0 ? (
            <p>There is no key yet.</p>
          ) : (
            <ul className="cards">
              {items.map((key) => (
                <li key={key.id}>
                  <KeyCard
                    apiKey={key}
                    spend={spend?.items.find(({ key_id }) => key_id === key.id)}
                    currency={spend?.currency ?? ""}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  );
}
