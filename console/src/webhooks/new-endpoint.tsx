import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { WebhookRequest } from "earnest-client";
import { FormDialog } from "../parts/form-dialog.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { EndpointForm } from "./endpoint-form.tsx";

/** Adds an endpoint in a dialog. Its signing secret is shown there once. */
export function NewEndpointDialog({ onClose }: { onClose: () => void }) {
  const client = useClient();
  const queries = useQueryClient();
  const creating = useMutation({
    mutationFn: async (fields: WebhookRequest) => client.webhooks.create(fields),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ["webhooks"] }),
  });
  if (creating.data) {
    return (
      <FormDialog title={i18n.t("Endpoint added")} isKept onClose={onClose}>
        <ShownOnce what={i18n.t("signing secret")} secret={creating.data.secret} onHide={onClose} />
      </FormDialog>
    );
  }
  return (
    <FormDialog title={i18n.t("Add endpoint")} onClose={onClose}>
      <EndpointForm
        initial={{ url: "", description: "", events: ["*"] }}
        submit={i18n.t("Add endpoint")}
        isPending={creating.isPending}
        error={creating.error}
        onCancel={onClose}
        onSubmit={({ description, ...fields }) =>
          creating.mutate({ ...fields, ...(description ? { description } : {}) })
        }
      />
    </FormDialog>
  );
}
