import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { WebhookAttempt, WebhookDeliveryDetail } from "earnest-client";
import { Button } from "../parts/button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Raw } from "../parts/raw-text.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { deliveryQuery } from "./webhook-queries.ts";
import { deliveryWords } from "./webhook-words.ts";

/** A delivery with its payload and its attempts. */
export function DeliveryPage() {
  const client = useClient();
  const { webhookId, deliveryId } = useParams({ from: "/webhooks/$webhookId/$deliveryId" });
  const delivery = useQuery(deliveryQuery(client, webhookId, deliveryId));
  return (
    <Page title="Delivery">
      <p>
        <Link to="/webhooks/$webhookId" params={{ webhookId }}>
          All deliveries
        </Link>
      </p>
      <Loaded query={delivery}>{(data) => <Delivery id={webhookId} delivery={data} />}</Loaded>
    </Page>
  );
}

function Delivery({ id, delivery }: { id: string; delivery: WebhookDeliveryDetail }) {
  const client = useClient();
  const queries = useQueryClient();
  const resending = useMutation({
    mutationFn: () => client.webhooks.deliveries.resend(id, delivery.id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["webhook", id] }),
  });
  return (
    <>
      <p className="status" role="status">
        {deliveryWords[delivery.status]}
      </p>
      <dl className="facts">
        <div>
          <dt>Event</dt>
          <dd>
            <code>{delivery.type}</code>
            {delivery.event_id === null && " (a test)"}
          </dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <Time at={delivery.created_at} />
          </dd>
        </div>
        {delivery.next_attempt_at && (
          <div>
            <dt>Next attempt</dt>
            <dd>
              <Time at={delivery.next_attempt_at} />
            </dd>
          </div>
        )}
      </dl>
      {resending.error && <ProblemNote error={resending.error} />}
      <div className="buttons">
        <Button variant="primary" isPending={resending.isPending} onPress={() => resending.mutate()}>
          {delivery.status === "pending" ? "Send now" : "Resend"}
        </Button>
      </div>
      <h2>Payload</h2>
      <Raw>{JSON.stringify(delivery.body, null, 2)}</Raw>
      <h2>Attempts</h2>
      {delivery.attempt_list.length === 0 && <p>No attempts yet.</p>}
      <ol className="timeline">
        {delivery.attempt_list.map((attempt) => (
          <li key={attempt.number}>
            <Attempt attempt={attempt} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Attempt({ attempt }: { attempt: WebhookAttempt }) {
  return (
    <>
      <p>
        <strong>{attempt.status_code === null ? "No response" : `HTTP ${attempt.status_code}`}</strong>
        {attempt.latency_ms !== null && ` after ${attempt.latency_ms} ms`}, <Time at={attempt.started_at} />
      </p>
      {attempt.error && (
        <p>
          <UserText>{attempt.error}</UserText>
        </p>
      )}
      <details>
        <summary>{`Headers and response of attempt ${attempt.number}`}</summary>
        <h3>Request headers</h3>
        <Raw>
          {Object.entries(attempt.request_headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join("\n")}
        </Raw>
        <h3>Response</h3>
        <Raw>{attempt.response_body || "Empty body"}</Raw>
      </details>
    </>
  );
}
