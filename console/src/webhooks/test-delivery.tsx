import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { EventType } from "earnest-client";
import { useState } from "react";
import { eventTypes } from "../../../protocol/settlement/vocabulary.ts";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { useClient } from "../session/client.ts";

/** Sends an event of no real order, to see whether the endpoint takes it. */
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
      <summary>Send a test</summary>
      <p>It is tried once. Its data says that it is a test, of an order that does not exist.</p>
      <div className="filters">
        <div>
          <label htmlFor="test-type">Type</label>
          <select id="test-type" value={type} onChange={({ target }) => setType(target.value as EventType)}>
            {Object.keys(eventTypes).map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </div>
        <Button isPending={sending.isPending} onPress={() => sending.mutate()}>
          Send the test
        </Button>
      </div>
      {sending.error && <ProblemNote error={sending.error} />}
      {sending.data && (
        <p role="status">
          The test is on its way.{" "}
          <Link to="/webhooks/$webhookId/$deliveryId" params={{ webhookId: id, deliveryId: sending.data.id }}>
            See how it went
          </Link>
        </p>
      )}
    </details>
  );
}
