import { useQuery } from "@tanstack/react-query";
import type { Execution, ExecutionStatus } from "earnest-client";
import { Raw } from "../parts/raw-text.tsx";
import { Time } from "../parts/time.tsx";
import { useClient } from "../session/client.ts";
import type { OrderView } from "./order-queries.ts";

const words: Record<ExecutionStatus, string> = {
  pending: "Your endpoint is asked for the output.",
  delivered: "Your endpoint gave the output, and it was delivered in your name.",
  accepted: "Your endpoint left the order to you: deliver it yourself.",
  failed: "Your endpoint did not give the output. You can still deliver it yourself.",
  cancelled: "Your endpoint is not asked any more.",
};

/** To the provider, how the execution of an order at the service's endpoint goes. */
export function Executions({ view: { order, options } }: { view: OrderView }) {
  const client = useClient();
  const isProvider = options.your_roles.includes("provider");
  const found = useQuery({
    queryKey: ["order", order.id, "executions"],
    queryFn: async () => (await client.orders.listExecutions(order.id)).items,
    enabled: isProvider && order.funded_at !== null,
    refetchInterval: 15_000,
  });
  if (!found.data || found.data.length === 0) return null;
  return (
    <section aria-labelledby="executions">
      <h2 id="executions">At your endpoint</h2>
      {found.data.map((execution) => (
        <Tries key={execution.id} execution={execution} />
      ))}
    </section>
  );
}

function Tries({ execution }: { execution: Execution }) {
  const { status, attempts, next_attempt_at, is_revision } = execution;
  return (
    <>
      <p>
        {is_revision && "Changes: "}
        {words[status]}
        {next_attempt_at && attempts.length > 0 && (
          <>
            {" "}
            Next try: <Time at={next_attempt_at} />.
          </>
        )}
      </p>
      <ul className="rows">
        {attempts.map(({ number, started_at, status_code, error, message, response_body }) => (
          <li key={number}>
            <Time at={started_at} />
            <span>{error ? message : `Answered ${status_code}`}</span>
            {response_body && (
              <details>
                <summary>What it answered</summary>
                <Raw>{response_body}</Raw>
              </details>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
