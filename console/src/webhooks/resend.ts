import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useClient } from "../session/client.ts";

/** Sends a delivery of an endpoint again, and reads the endpoint's data anew. */
export function useResend(webhookId: string, deliveryId: string) {
  const client = useClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => client.webhooks.deliveries.resend(webhookId, deliveryId),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["webhook", webhookId] }),
  });
}
