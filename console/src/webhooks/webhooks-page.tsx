import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { WebhookRequest } from "earnest-client";
import { useState } from "react";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import { useClient } from "../session/client.ts";
import { EndpointForm } from "./endpoint-form.tsx";
import { webhooksQuery } from "./webhook-queries.ts";
import { stateOf } from "./webhook-words.ts";

/** The webhook endpoints of the account. */
export function WebhooksPage() {
  const client = useClient();
  const endpoints = useQuery(webhooksQuery(client));
  return (
    <Page title="Webhooks">
      <p>
        Earnest sends each event to your URL, signed with a secret. Failed deliveries are retried for 5 days.
      </p>
      <Loaded query={endpoints}>
        {(items) =>
          items.length === 0 ? (
            <p>No endpoints yet.</p>
          ) : (
            <ul className="cards">
              {items.map((endpoint) => (
                <li key={endpoint.id}>
                  <h2>
                    <Link to="/webhooks/$webhookId" params={{ webhookId: endpoint.id }}>
                      {endpoint.url}
                    </Link>
                  </h2>
                  {endpoint.description && <p>{endpoint.description}</p>}
                  <p>{endpoint.events.includes("*") ? "All events" : endpoint.events.join(", ")}</p>
                  <p className="quiet">{stateOf(endpoint)}</p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <NewEndpoint />
    </Page>
  );
}

function NewEndpoint() {
  const client = useClient();
  const queries = useQueryClient();
  // Counts the created endpoints. A new key resets the form.
  const [createdCount, setCreatedCount] = useState(0);
  const creating = useMutation({
    mutationFn: (fields: WebhookRequest) => client.webhooks.create(fields),
    onSuccess: () => {
      setCreatedCount(createdCount + 1);
      void queries.invalidateQueries({ queryKey: ["webhooks"] });
    },
  });
  return (
    <section aria-labelledby="new-endpoint">
      <h2 id="new-endpoint">Add endpoint</h2>
      {creating.data && (
        <ShownOnce what="signing secret" secret={creating.data.secret} onHide={() => creating.reset()} />
      )}
      <EndpointForm
        key={createdCount}
        initial={{ url: "", description: "", events: ["*"] }}
        submit="Add endpoint"
        isPending={creating.isPending}
        error={creating.error}
        onSubmit={({ description, ...fields }) =>
          creating.mutate({ ...fields, ...(description ? { description } : {}) })
        }
      />
    </section>
  );
}
