import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Key } from "earnest-client";
import { Loaded } from "../parts/loaded.tsx";
import { announce } from "../parts/notices.tsx";
import { Page } from "../parts/page.tsx";
import { SureButton } from "../parts/sure-button.tsx";
import { Time } from "../parts/time.tsx";
import { useClient } from "../session/client.ts";
import { NewKey } from "./new-key.tsx";

/** The keys of programs: what each may do, when it was last used, and its end. */
export function KeysPage() {
  const client = useClient();
  const keys = useQuery({
    queryKey: ["keys"],
    queryFn: async () => (await client.apiKeys.list({ limit: 100 })).items,
  });
  return (
    <Page title="Keys">
      <p>
        A program uses the service with a key, and may do what the key's scopes say. No key can sign for your
        wallet.
      </p>
      <NewKey />
      <h2>Your keys</h2>
      <Loaded query={keys}>
        {(items) =>
          items.length === 0 ? (
            <p>There is no key yet.</p>
          ) : (
            <ul className="cards">
              {items.map((key) => (
                <li key={key.id}>
                  <KeyCard apiKey={key} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  );
}

function KeyCard({ apiKey: key }: { apiKey: Key }) {
  return (
    <article aria-label={key.name}>
      <h3>
        {key.name} <code>{`…${key.token_hint}`}</code>
      </h3>
      <p>{key.scopes.join(", ")}</p>
      <p className="quiet">
        Made <Time at={key.created_at} />. {key.last_used_at ? "Last used " : "Never used"}
        {key.last_used_at && <Time at={key.last_used_at} />}.
      </p>
      {key.revoked_at ? (
        <p>
          Revoked <Time at={key.revoked_at} />.
        </p>
      ) : (
        <Revoke apiKey={key} />
      )}
    </article>
  );
}

function Revoke({ apiKey: key }: { apiKey: Key }) {
  const client = useClient();
  const queries = useQueryClient();
  const revoking = useMutation({
    mutationFn: () => client.apiKeys.revoke(key.id),
    onSuccess: () => {
      announce(`The key ${key.name} is revoked.`);
      void queries.invalidateQueries({ queryKey: ["keys"] });
    },
  });
  return (
    <SureButton
      label="Revoke"
      sure={`Revoke ${key.name} for good`}
      of={key.name}
      isPending={revoking.isPending}
      error={revoking.error}
      onPress={() => revoking.mutate()}
    />
  );
}
