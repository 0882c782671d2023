import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { EventType } from "earnest-client";
import { useState } from "react";
import { eventTypes } from "../../../protocol/settlement/vocabulary.ts";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { useClient } from "../session/client.ts";

/** Sends a test event to the endpoint. */
export function TestDelivery({ id }: { id: string }) {
  const client = useClient();
  const queries = useQueryClient();
  const [type, setType] = useState<EventType>("order.created");
  const sending = useMutation({
    mutationFn: () => client.webhooks.sendTest(id, { type }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["webhook", id, "deliveries"] }),
  });
  return (
    <details>
      <summary>Send a test event</summary>
      <p>The event is sent once, with sample data that is marked as a test.</p>
      <div className="filters">
        <div>
          <label htmlFor="test-type">Type</label>
          <select id="test-type" value={type} onChange={({ target }) => setType(target.value as EventType)}>
            {Object.keys(eventTypes).map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </div>
        <Button isPending={sending.isPending} onPress={() => sending.mutate()}>
          Send test
        </Button>
      </div>
      {sending.error && <ProblemNote error={sending.error} />}
      {sending.data && (
        <p role="status">
          Test sent.{" "}
          <Link to="/webhooks/$webhookId/$deliveryId" params={{ webhookId: id, deliveryId: sending.data.id }}>
            View result
          </Link>
        </p>
      )}
    </details>
  );
}
