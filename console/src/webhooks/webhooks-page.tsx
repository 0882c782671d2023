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

/** Where the account's programs are told of its events. */
export function WebhooksPage() {
  const client = useClient();
  const endpoints = useQuery(webhooksQuery(client));
  return (
    <Page title="Webhooks">
      <p>
        The service sends each event to your program's address, signed with a secret. What is not received is
        sent again for days.
      </p>
      <Loaded query={endpoints}>
        {(items) =>
          items.length === 0 ? (
            <p>There is no endpoint yet.</p>
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
  // A new form once its endpoint is there.
  const [made, setMade] = useState(0);
  const making = useMutation({
    mutationFn: (fields: WebhookRequest) => client.webhooks.create(fields),
    onSuccess: () => {
      setMade(made + 1);
      void queries.invalidateQueries({ queryKey: ["webhooks"] });
    },
  });
  return (
    <section aria-labelledby="new-endpoint">
      <h2 id="new-endpoint">Add an endpoint</h2>
      {making.data && (
        <ShownOnce what="signing secret" secret={making.data.secret} onHide={() => making.reset()} />
      )}
      <EndpointForm
        key={made}
        initial={{ url: "", description: "", events: ["*"] }}
        submit="Add the endpoint"
        isPending={making.isPending}
        error={making.error}
        onSubmit={({ description, ...fields }) =>
          making.mutate({ ...fields, ...(description ? { description } : {}) })
        }
      />
    </section>
  );
}
