import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import type { Webhook } from "earnest-client";
import { History, Pencil, Send } from "lucide-react";
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import type { ChosenEvents } from "../parts/event-choice.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { Switch } from "../parts/switch.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.ts";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { Deliveries } from "./deliveries.tsx";
import { EndpointForm } from "./endpoint-form.tsx";
import { RecoveryDialog } from "./recovery.tsx";
import { TestDialog } from "./test-delivery.tsx";
import { webhookQuery } from "./webhook-queries.ts";
import { adviceOf, statusOf } from "./webhook-words.ts";

/** An endpoint with its status, its settings and its deliveries. */
export function WebhookPage() {
  const client = useClient();
  const { webhookId } = useParams({ from: "/webhooks/$webhookId" });
  const webhook = useQuery(webhookQuery(client, webhookId));
  const { data } = webhook;
  return (
    <Page
      title={i18n.t("Endpoint")}
      {...(data ? { of: data.url } : {})}
      crumbs={[
        <Link key="all" to="/webhooks">
          {i18n.t("Webhooks")}
        </Link>,
        i18n.t("Endpoint"),
      ]}
      actions={data && data.status !== "revoked" && <Actions endpoint={data} />}
    >
      <Loaded query={webhook}>{(shown) => <Endpoint endpoint={shown} />}</Loaded>
    </Page>
  );
}

/** The actions of the endpoint, each in a dialog of its own. */
function Actions({ endpoint }: { endpoint: Webhook }) {
  const [open, setOpen] = useState<"test" | "replay" | "edit" | null>(null);
  const close = () => setOpen(null);
  const { id } = endpoint;
  return (
    <>
      <Button icon={Pencil} onPress={() => setOpen("edit")}>
        {i18n.t("Edit")}
      </Button>
      {endpoint.status === "active" && (
        <Button icon={History} onPress={() => setOpen("replay")}>
          {i18n.t("Replay missed events")}
        </Button>
      )}
      <Button variant="primary" icon={Send} onPress={() => setOpen("test")}>
        {i18n.t("Send test event")}
      </Button>
      {open === "test" && <TestDialog id={id} onClose={close} />}
      {open === "replay" && <RecoveryDialog id={id} onClose={close} />}
      {open === "edit" && <EditDialog endpoint={endpoint} onClose={close} />}
    </>
  );
}

function Endpoint({ endpoint }: { endpoint: Webhook }) {
  const isRevoked = endpoint.status === "revoked";
  const [text, tone] = statusOf(endpoint);
  const advice = adviceOf(endpoint);
  return (
    <>
      {advice && (
        <p className={tone === "neutral" ? "note" : "note problem"} role="status">
          {advice}
        </p>
      )}
      <div className="split">
        <section aria-labelledby="deliveries">
          <h2 id="deliveries">{i18n.t("Deliveries")}</h2>
          <Deliveries id={endpoint.id} canResend={!isRevoked} />
        </section>
        <aside>
          <section className="card" aria-label={i18n.t("Settings")}>
            <LabelledValues
              rows={[
                [
                  i18n.t("Status"),
                  <Chip key="status" tone={tone}>
                    {text}
                  </Chip>,
                ],
                [
                  i18n.t("Failing since"),
                  endpoint.failing_since && <Time key="since" at={endpoint.failing_since} />,
                ],
                [
                  i18n.t("Description"),
                  endpoint.description && <UserText key="words">{endpoint.description}</UserText>,
                ],
                [
                  i18n.t("Events"),
                  endpoint.events.includes("*") ? i18n.t("All events") : endpoint.events.join(", "),
                ],
                [
                  i18n.t("Old secret"),
                  endpoint.previous_secret_until && (
                    <span key="old">
                      {i18n.t("Valid until")} <Time at={endpoint.previous_secret_until} />
                    </span>
                  ),
                ],
                [i18n.t("Created"), <Time key="created" at={endpoint.created_at} />],
              ]}
            />
            {!isRevoked && <Changes endpoint={endpoint} />}
          </section>
        </aside>
      </div>
    </>
  );
}

/** Returns a function that reads the endpoint and the list again. */
function useRefresh(id: string) {
  const queries = useQueryClient();
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ["webhook", id] }),
      queries.invalidateQueries({ queryKey: ["webhooks"] }),
    ]);
}

function EditDialog({ endpoint, onClose }: { endpoint: Webhook; onClose: () => void }) {
  const { id, url, description, events } = endpoint;
  const client = useClient();
  const refresh = useRefresh(id);
  const changing = useMutation({
    mutationFn: async (changes: Parameters<typeof client.webhooks.update>[1]) =>
      client.webhooks.update(id, changes),
    onSuccess: async () => {
      announce(i18n.t("Endpoint saved."));
      await refresh();
      onClose();
    },
  });
  return (
    <FormDialog title={i18n.t("Edit endpoint")} onClose={onClose}>
      <EndpointForm
        initial={{ url, description: description ?? "", events: events as ChosenEvents }}
        submit={i18n.t("Save")}
        isPending={changing.isPending}
        error={changing.error}
        onCancel={onClose}
        onSubmit={({ description: words, ...fields }) =>
          changing.mutate({ ...fields, description: words || null })
        }
      />
    </FormDialog>
  );
}

/** The endpoint's switch, its secret and its deletion. */
function Changes({ endpoint }: { endpoint: Webhook }) {
  const { id, url } = endpoint;
  const client = useClient();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const refresh = useRefresh(id);
  const isActive = endpoint.status === "active";
  const switching = useMutation({
    mutationFn: async (isOn: boolean) => client.webhooks.update(id, { status: isOn ? "active" : "paused" }),
    onSuccess: refresh,
  });
  const rotating = useMutation({
    mutationFn: async () => client.webhooks.rotateSecret(id),
    onSuccess: refresh,
  });
  const revoking = useMutation({
    mutationFn: async () => client.webhooks.revoke(id),
    onSuccess: async () => {
      announce(i18n.t("Endpoint deleted."));
      queries.removeQueries({ queryKey: ["webhooks"] });
      await navigate({ to: "/webhooks" });
    },
  });
  return (
    <>
      <Switch isOn={isActive} isPending={switching.isPending} onChange={(isOn) => switching.mutate(isOn)}>
        {i18n.t("Send events")}
      </Switch>
      {switching.error && <ProblemNote error={switching.error} />}
      {rotating.data && (
        <FormDialog title={i18n.t("Secret rotated")} isKept onClose={() => rotating.reset()}>
          <ShownOnce
            what={i18n.t("new signing secret")}
            secret={rotating.data.secret}
            onHide={() => rotating.reset()}
          />
        </FormDialog>
      )}
      <h3>{i18n.t("Signing secret")}</h3>
      <p className="quiet">
        {i18n.t("After a rotation, deliveries are signed with both secrets for one day.")}
      </p>
      <ConfirmButton
        label={i18n.t("Rotate secret")}
        confirmLabel={i18n.t("Rotate secret now")}
        of={url}
        isPending={rotating.isPending}
        error={rotating.error}
        onPress={() => rotating.mutate()}
      />
      <h3>{i18n.t("Delete endpoint")}</h3>
      <p className="quiet">{i18n.t("It gets no further events. Nobody can undo this.")}</p>
      <ConfirmButton
        label={i18n.t("Delete")}
        confirmLabel={i18n.t("Delete endpoint permanently")}
        of={url}
        isPending={revoking.isPending}
        error={revoking.error}
        onPress={() => revoking.mutate()}
      />
    </>
  );
}
