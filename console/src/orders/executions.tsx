import { useQuery } from "@tanstack/react-query";
import type { Execution, ExecutionStatus } from "earnest-client";
import { Raw } from "../parts/raw-text.tsx";
import { Time } from "../parts/time.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import type { OrderView } from "./order-queries.ts";

const wordsOf = (status: ExecutionStatus): string =>
  ({
    pending: i18n.t("Calling your endpoint."),
    delivered: i18n.t("Your endpoint returned the output, and it was delivered for you."),
    accepted: i18n.t("Your endpoint accepted the order for later. Deliver it yourself."),
    failed: i18n.t("Your endpoint returned no valid output. You can still deliver it yourself."),
    cancelled: i18n.t("Calls to your endpoint were cancelled."),
  })[status];

/** Shows the provider the calls to the service's endpoint for an order. */
export function Executions({ view: { order, options } }: { view: OrderView }) {
  const client = useClient();
  const isProvider = options.your_roles.includes("provider");
  const executions = useQuery({
    queryKey: ["order", order.id, "executions"],
    queryFn: async () => (await client.orders.listExecutions(order.id)).items,
    enabled: isProvider && order.funded_at !== null,
    refetchInterval: 15_000,
  });
  if (!executions.data || executions.data.length === 0) return null;
  return (
    <section aria-labelledby="executions">
      <h2 id="executions">{i18n.t("Endpoint calls")}</h2>
      {executions.data.map((execution) => (
        <Attempts key={execution.id} execution={execution} />
      ))}
    </section>
  );
}

function Attempts({ execution }: { execution: Execution }) {
  const { status, attempts, next_attempt_at, is_revision } = execution;
  return (
    <>
      <p>
        {is_revision && i18n.t("Revision:")} {wordsOf(status)}
        {next_attempt_at && attempts.length > 0 && (
          <>
            {" "}
            {i18n.t("Next attempt:")} <Time at={next_attempt_at} />
          </>
        )}
      </p>
      <ul className="rows">
        {attempts.map(({ number, started_at, status_code, error, message, response_body }) => (
          <li key={number}>
            <Time at={started_at} />
            <span>{error ? message : `HTTP ${status_code}`}</span>
            {response_body && (
              <details>
                <summary>{i18n.t("Response body")}</summary>
                <Raw>{response_body}</Raw>
              </details>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
