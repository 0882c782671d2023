import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import type { Webhook } from "earnest-client";
import { Button } from "../parts/button.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import type { ChosenEvents } from "../parts/event-choice.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { announce } from "../parts/notices.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import { Time } from "../parts/time.tsx";
import { useClient } from "../session/client.ts";
import { Deliveries } from "./deliveries.tsx";
import { EndpointForm } from "./endpoint-form.tsx";
import { Recovery } from "./recovery.tsx";
import { TestDelivery } from "./test-delivery.tsx";
import { webhookQuery } from "./webhook-queries.ts";
import { stateOf } from "./webhook-words.ts";

/** An endpoint: how it is, what was sent to it, and what can be done about that. */
export function WebhookPage() {
  const client = useClient();
  const { webhookId } = useParams({ from: "/webhooks/$webhookId" });
  const endpoint = useQuery(webhookQuery(client, webhookId));
  return (
    <Page title="Endpoint">
      <Loaded query={endpoint}>{(found) => <Endpoint endpoint={found} />}</Loaded>
    </Page>
  );
}

function Endpoint({ endpoint }: { endpoint: Webhook }) {
  const isRevoked = endpoint.status === "revoked";
  return (
    <>
      <dl className="facts">
        <div>
          <dt>URL</dt>
          <dd>{endpoint.url}</dd>
        </div>
        <div>
          <dt>State</dt>
          <dd>
            {stateOf(endpoint)}
            {endpoint.failing_since && (
              <>
                {" Failing since "}
                <Time at={endpoint.failing_since} />.
              </>
            )}
          </dd>
        </div>
        {endpoint.previous_secret_until && (
          <div>
            <dt>Secrets</dt>
            <dd>
              The old one signs as well until <Time at={endpoint.previous_secret_until} />.
            </dd>
          </div>
        )}
      </dl>
      {!isRevoked && <Changes endpoint={endpoint} />}
      <h2>Deliveries</h2>
      {!isRevoked && <TestDelivery id={endpoint.id} />}
      {endpoint.status === "active" && <Recovery id={endpoint.id} />}
      <Deliveries id={endpoint.id} />
    </>
  );
}

/** What its owner may change of an endpoint. */
function Changes({ endpoint }: { endpoint: Webhook }) {
  const { id, url } = endpoint;
  const client = useClient();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const read = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ["webhook", id] }),
      queries.invalidateQueries({ queryKey: ["webhooks"] }),
    ]);
  const changing = useMutation({
    mutationFn: (changes: Parameters<typeof client.webhooks.update>[1]) =>
      client.webhooks.update(id, changes),
    onSuccess: async () => {
      await read();
      announce("The endpoint is changed.");
    },
  });
  const rotating = useMutation({ mutationFn: () => client.webhooks.rotateSecret(id), onSuccess: read });
  const revoking = useMutation({
    mutationFn: () => client.webhooks.revoke(id),
    onSuccess: async () => {
      announce("The endpoint is deleted.");
      queries.removeQueries({ queryKey: ["webhooks"] });
      await navigate({ to: "/webhooks" });
    },
  });
  const isActive = endpoint.status === "active";
  return (
    <>
      {rotating.data && (
        <ShownOnce what="new signing secret" secret={rotating.data.secret} onHide={() => rotating.reset()} />
      )}
      {changing.error && <ProblemNote error={changing.error} />}
      <div className="buttons">
        <Button
          isPending={changing.isPending}
          onPress={() => changing.mutate({ status: isActive ? "paused" : "active" })}
        >
          {isActive ? "Pause" : "Let it go on"}
        </Button>
      </div>
      <details>
        <summary>Change it</summary>
        <EndpointForm
          key={endpoint.updated_at}
          initial={{
            url,
            description: endpoint.description ?? "",
            events: endpoint.events as ChosenEvents,
          }}
          submit="Save"
          isPending={changing.isPending}
          error={null}
          onSubmit={({ description, ...fields }) =>
            changing.mutate({ ...fields, description: description || null })
          }
        />
      </details>
      <details>
        <summary>Replace its secret, or delete it</summary>
        <p>For a day, deliveries are signed with the new secret and with the old one.</p>
        <ConfirmButton
          label="Replace the secret"
          sure="Replace the secret now"
          of={`of ${url}`}
          isPending={rotating.isPending}
          error={rotating.error}
          onPress={() => rotating.mutate()}
        />
        <ConfirmButton
          label="Delete"
          sure="Delete the endpoint for good"
          of={url}
          isPending={revoking.isPending}
          error={revoking.error}
          onPress={() => revoking.mutate()}
        />
      </details>
    </>
  );
}
