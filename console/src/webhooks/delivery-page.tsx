import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { WebhookAttempt, WebhookDeliveryDetail } from "earnest-client";
import { RotateCw } from "lucide-react";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Raw } from "../parts/raw-text.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { useResend } from "./resend.ts";
import { deliveryQuery } from "./webhook-queries.ts";
import { deliveryText, deliveryTones } from "./webhook-words.ts";

/** A delivery with its payload and its attempts. */
export function DeliveryPage() {
  const client = useClient();
  const { webhookId, deliveryId } = useParams({ from: "/webhooks/$webhookId/$deliveryId" });
  const delivery = useQuery(deliveryQuery(client, webhookId, deliveryId));
  const { data } = delivery;
  return (
    <Page
      title={i18n.t("Delivery")}
      crumbs={[
        <Link key="all" to="/webhooks">
          {i18n.t("Webhooks")}
        </Link>,
        <Link key="one" to="/webhooks/$webhookId" params={{ webhookId }}>
          {i18n.t("Endpoint")}
        </Link>,
        data?.type ?? i18n.t("Delivery"),
      ]}
      actions={data && <ResendButton id={webhookId} delivery={data} />}
    >
      <Loaded query={delivery}>{(shown) => <Delivery delivery={shown} />}</Loaded>
    </Page>
  );
}

function ResendButton({ id, delivery }: { id: string; delivery: WebhookDeliveryDetail }) {
  const resending = useResend(id, delivery.id);
  return (
    <>
      {resending.error && <ProblemNote error={resending.error} />}
      <Button
        variant="primary"
        icon={RotateCw}
        isPending={resending.isPending}
        onPress={() => resending.mutate()}
      >
        {delivery.status === "pending" ? i18n.t("Send now") : i18n.t("Resend")}
      </Button>
    </>
  );
}

function Delivery({ delivery }: { delivery: WebhookDeliveryDetail }) {
  const body = JSON.stringify(delivery.body, null, 2);
  return (
    <div className="split">
      <div>
        <section className="card" aria-labelledby="attempts">
          <h2 id="attempts">{i18n.t("Attempts")}</h2>
          {delivery.attempt_list.length === 0 && <p className="quiet">{i18n.t("No attempts yet.")}</p>}
          <ol className="timeline">
            {delivery.attempt_list.map((attempt) => (
              <li key={attempt.number}>
                <Attempt attempt={attempt} />
              </li>
            ))}
          </ol>
        </section>
        <section className="card" aria-labelledby="payload">
          <div className="card-head">
            <h2 id="payload">{i18n.t("Payload")}</h2>
            <CopyButton text={body} what={i18n.t("payload")} />
          </div>
          <Raw>{body}</Raw>
        </section>
      </div>
      <aside>
        <section className="card" aria-label={i18n.t("Summary")}>
          <LabelledValues
            rows={[
              [
                i18n.t("Status"),
                <span key="status" className="status" role="status">
                  <Chip tone={deliveryTones[delivery.status]}>{deliveryText(delivery.status)}</Chip>
                </span>,
              ],
              [i18n.t("Event"), <code key="type">{delivery.type}</code>],
              [i18n.t("Source"), delivery.event_id === null ? i18n.t("Test event") : i18n.t("Event feed")],
              [i18n.t("Created"), <Time key="created" at={delivery.created_at} />],
              [
                i18n.t("Next attempt"),
                delivery.next_attempt_at && <Time key="next" at={delivery.next_attempt_at} isRelative />,
              ],
              [
                i18n.t("Delivery ID"),
                <span key="id" className="copyable">
                  <code className="cut-line">{delivery.id}</code>
                  <CopyButton text={delivery.id} what={i18n.t("delivery ID")} />
                </span>,
              ],
            ]}
          />
        </section>
      </aside>
    </div>
  );
}

function Attempt({ attempt }: { attempt: WebhookAttempt }) {
  const { number, status_code: status, latency_ms: latency } = attempt;
  return (
    <>
      <p>
        <strong>{status === null ? i18n.t("No response") : `HTTP ${status}`}</strong>{" "}
        <span className="quiet">
          {latency !== null && `${i18n.t("{latency} ms", { latency })} · `}
          <Time at={attempt.started_at} />
        </span>
      </p>
      {attempt.error && (
        <p>
          <UserText>{attempt.error}</UserText>
        </p>
      )}
      <details>
        <summary>{i18n.t("Headers and response of attempt {number}", { number })}</summary>
        <h3>{i18n.t("Request headers")}</h3>
        <Raw>
          {Object.entries(attempt.request_headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join("\n")}
        </Raw>
        <h3>{i18n.t("Response")}</h3>
        <Raw>{attempt.response_body || i18n.t("Empty body")}</Raw>
      </details>
    </>
  );
}
