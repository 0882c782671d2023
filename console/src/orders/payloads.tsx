import type { Order } from "earnest-client";
import { Raw } from "../parts/raw-text.tsx";
import { UserText } from "../parts/user-text.tsx";

/** The input and the output of an order. */
export function Payloads({ order }: { order: Order }) {
  return (
    <>
      <Payload title="Input" value={order.input_payload} />
      {order.delivered_at && <Payload title="Output" value={order.output_payload} />}
    </>
  );
}

function Payload({ title, value }: { title: string; value: Record<string, unknown> | null }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {value === null ? (
        <p>None.</p>
      ) : (
        <dl className="facts theirs">
          {Object.entries(value).map(([name, member]) => (
            <div key={name}>
              <dt>
                <UserText>{name}</UserText>
              </dt>
              <dd>
                {member instanceof Object ? (
                  <Raw>{JSON.stringify(member, null, 2)}</Raw>
                ) : (
                  <UserText>{String(member)}</UserText>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
