import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import type { Webhook } from "earnest-client";
import { Button } from "../parts/button.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import type { ChosenEvents } from "../parts/event-choice.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.tsx";
import { useClient } from "../session/client.ts";
import { Deliveries } from "./deliveries.tsx";
import { EndpointForm } from "./endpoint-form.tsx";
import { Recovery } from "./recovery.tsx";
import { TestDelivery } from "./test-delivery.tsx";
import { webhookQuery } from "./webhook-queries.ts";
import { stateOf } from "./webhook-words.ts";

/** An endpoint with its status, its settings and its deliveries. */
export function WebhookPage() {
  const client = useClient();
  const { webhookId } = useParams({ from: "/webhooks/$webhookId" });
  const endpoint = useQuery(webhookQuery(client, webhookId));
  return (
    <Page title="Endpoint">
      <Loaded query={endpoint}>{(data) => <Endpoint endpoint={data} />}</Loaded>
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
          <dt>Status</dt>
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
              The old secret stays valid until <Time at={endpoint.previous_secret_until} />.
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

/** The actions of the endpoint's owner. */
function Changes({ endpoint }: { endpoint: Webhook }) {
  const { id, url } = endpoint;
  const client = useClient();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const refresh = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ["webhook", id] }),
      queries.invalidateQueries({ queryKey: ["webhooks"] }),
    ]);
  const changing = useMutation({
    mutationFn: (changes: Parameters<typeof client.webhooks.update>[1]) =>
      client.webhooks.update(id, changes),
    onSuccess: async () => {
      await refresh();
      announce("Endpoint saved.");
    },
  });
  const rotating = useMutation({ mutationFn: () => client.webhooks.rotateSecret(id), onSuccess: refresh });
  const revoking = useMutation({
    mutationFn: () => client.webhooks.revoke(id),
    onSuccess: async () => {
      announce("Endpoint deleted.");
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
          {isActive ? "Pause" : "Resume"}
        </Button>
      </div>
      <details>
        <summary>Edit</summary>
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
        <summary>Rotate secret or delete</summary>
        <p>For one day, deliveries are signed with both the new and the old secret.</p>
        <ConfirmButton
          label="Rotate secret"
          confirmLabel="Rotate secret now"
          of={`of ${url}`}
          isPending={rotating.isPending}
          error={rotating.error}
          onPress={() => rotating.mutate()}
        />
        <ConfirmButton
          label="Delete"
          confirmLabel="Delete endpoint permanently"
          of={url}
          isPending={revoking.isPending}
          error={revoking.error}
          onPress={() => revoking.mutate()}
        />
      </details>
    </>
  );
}
