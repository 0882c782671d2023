import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { useClient } from "../session/client.ts";
import { instantOf } from "./webhook-queries.ts";

/** Sends the events that an endpoint missed since a time. */
export function Recovery({ id }: { id: string }) {
  const client = useClient();
  const [since, setSince] = useState("");
  const starting = useMutation({
    mutationFn: () => client.webhooks.recoveries.start(id, { since: instantOf(since) ?? "" }),
  });
  const recoveryId = starting.data?.id;
  const recovery = useQuery({
    queryKey: ["webhook", id, "recovery", recoveryId],
    queryFn: () => client.webhooks.recoveries.get(id, recoveryId ?? ""),
    enabled: recoveryId !== undefined,
    refetchInterval: ({ state }) => (state.data?.status === "running" ? 1000 : false),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    starting.mutate();
  };
  const current = recovery.data ?? starting.data;
  return (
    <details>
      <summary>Recover missed events</summary>
      <p>Sends every event since this time that the endpoint missed (at most 30 days back).</p>
      <form className="filters" onSubmit={submit}>
        <div>
          <label htmlFor="missed-since">Since</label>
          <input
            id="missed-since"
            type="datetime-local"
            required
            value={since}
            onChange={({ target }) => setSince(target.value)}
          />
        </div>
        <Button type="submit" isPending={starting.isPending || current?.status === "running"}>
          Recover events
        </Button>
      </form>
      {starting.error && <ProblemNote error={starting.error} />}
      {recovery.error && <ProblemNote error={recovery.error} />}
      {current && (
        <p role="status">
          {current.status === "running" && `${current.queued} of ${current.total} events queued.`}
          {current.status === "done" &&
            `${current.queued} events queued. See their progress under Deliveries.`}
          {current.status === "failed" && "The recovery failed. Please try again."}
        </p>
      )}
    </details>
  );
}
