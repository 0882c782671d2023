import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button } from "../parts/button.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { useClient } from "../session/client.ts";
import { instantOf } from "./webhook-queries.ts";

/** Sends all that an endpoint missed in a time. */
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
  const now = recovery.data ?? starting.data;
  return (
    <details>
      <summary>Send what it missed</summary>
      <p>Every event since then that the endpoint never received is sent again, of 30 days at most.</p>
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
        <Button type="submit" isPending={starting.isPending || now?.status === "running"}>
          Send again
        </Button>
      </form>
      {starting.error && <ProblemNote error={starting.error} />}
      {recovery.error && <ProblemNote error={recovery.error} />}
      {now && (
        <p role="status">
          {now.status === "running" && `${now.queued} of ${now.total} events are queued so far.`}
          {now.status === "done" && `${now.queued} events are queued. The deliveries show how they go.`}
          {now.status === "failed" && "This failed. Try it again."}
        </p>
      )}
    </details>
  );
}
