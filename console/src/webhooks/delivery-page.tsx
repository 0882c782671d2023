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

/** One delivery: what it says, and how each of its attempts went. */
export function DeliveryPage() {
  const client = useClient();
  const { webhookId, deliveryId } = useParams({ from: "/webhooks/$webhookId/$deliveryId" });
  const delivery = useQuery(deliveryQuery(client, webhookId, deliveryId));
  return (
    <Page title="Delivery">
      <p>
        <Link to="/webhooks/$webhookId" params={{ webhookId }}>
          All deliveries to this endpoint
        </Link>
      </p>
      <Loaded query={delivery}>{(found) => <Delivery id={webhookId} delivery={found} />}</Loaded>
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
          <dt>Made</dt>
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
        <Button className="primary" isPending={resending.isPending} onPress={() => resending.mutate()}>
          {delivery.status === "pending" ? "Try it at once" : "Send it again"}
        </Button>
      </div>
      <h2>What is sent</h2>
      <Raw>{JSON.stringify(delivery.body, null, 2)}</Raw>
      <h2>Attempts</h2>
      {delivery.attempt_list.length === 0 && <p>There is none yet.</p>}
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
        <strong>{attempt.status_code === null ? "No answer" : `HTTP ${attempt.status_code}`}</strong>
        {attempt.latency_ms !== null && ` after ${attempt.latency_ms} ms`}, <Time at={attempt.started_at} />
      </p>
      {attempt.error && (
        <p>
          <UserText>{attempt.error}</UserText>
        </p>
      )}
      <details>
        <summary>{`Headers and answer of attempt ${attempt.number}`}</summary>
        <h3>Headers sent</h3>
        <Raw>
          {Object.entries(attempt.request_headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join("\n")}
        </Raw>
        <h3>Answer</h3>
        <Raw>{attempt.response_body || "It was empty."}</Raw>
      </details>
    </>
  );
}
