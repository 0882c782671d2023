import { useQuery } from "@tanstack/react-query";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { useClient } from "../session/client.ts";
import { KeyCard } from "./key-card.tsx";
import { NewKey } from "./new-key.tsx";

/** The account's API keys. */
export function KeysPage() {
  const client = useClient();
  const keys = useQuery({
    queryKey: ["keys"],
    queryFn: async () => {
      const [{ items }, spend] = await Promise.all([
        client.apiKeys.list({ limit: 100 }),
        // Without a settlement chain there is no spending, and the request fails.
        client.apiKeys.getSpend().catch(() => null),
      ]);
      return { items, spend };
    },
  });
  return (
    <Page title="API keys">
      <p>
        Programs use Earnest with an API key, within its permissions and limits. A key can never sign for your
        wallet.
      </p>
      <NewKey />
      <h2>Your keys</h2>
      <Loaded query={keys}>
        {({ items, spend }) =>
          items.length === 0 ? (
            <p>No keys yet.</p>
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
