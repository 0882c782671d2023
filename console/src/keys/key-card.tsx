import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Key, KeySpend } from "earnest-client";
import { type FormEvent, useState } from "react";
import { Button } from "../parts/button.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Money } from "../parts/money.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.tsx";
import { useClient } from "../session/client.ts";
import { KeyLimitFields } from "./key-limit-fields.tsx";
import { limitsOf, requestOf } from "./key-limits.ts";

/** A key: its scopes, spending, limits and expiry. */
export function KeyCard({
  apiKey: key,
  spend,
  currency,
}: {
  apiKey: Key;
  /** undefined if it is unknown, or the key is not valid */
  spend: KeySpend | undefined;
  currency: string;
}) {
  const isExpired = key.expires_at !== null && Date.parse(key.expires_at) <= Date.now();
  return (
    <article aria-label={key.name}>
      <h3>
        {key.name} <code>{`…${key.token_hint}`}</code>
      </h3>
      <p>{key.scopes.join(", ")}</p>
      <p className="quiet">
        Created <Time at={key.created_at} />. {key.last_used_at ? "Last used " : "Never used"}
        {key.last_used_at && <Time at={key.last_used_at} />}.
        {key.expires_at && (
          <>
            {isExpired ? " Expired " : " Expires "}
            <Time at={key.expires_at} />.
          </>
        )}
      </p>
      {spend && <Spent spend={spend} currency={currency} />}
      {key.allowed_ips && <p>{`Allowed networks: ${key.allowed_ips.join(", ")}`}</p>}
      {!isExpired && <Change apiKey={key} />}
      <Revoke apiKey={key} />
    </article>
  );
}

function Spent({
  spend: { day, month, open_orders, limits },
  currency,
}: {
  spend: KeySpend;
  currency: string;
}) {
  return (
    <dl className="facts">
      {(
        [
          ["Today", day],
          ["This month", month],
        ] as const
      ).map(([label, { spent, limit, left, resets_at }]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <Money amount={spent} currency={currency} /> spent
            {limit !== null && left !== null && (
              <>
                {" of "}
                <Money amount={limit} currency={currency} />, <Money amount={left} currency={currency} /> left
                until <Time at={resets_at} />
              </>
            )}
          </dd>
        </div>
      ))}
      <div>
        <dt>Open orders</dt>
        <dd>
          {open_orders.limit === null ? open_orders.count : `${open_orders.count} of ${open_orders.limit}`}
        </dd>
      </div>
      {limits.per_order !== null && (
        <div>
          <dt>Per-order limit</dt>
          <dd>
            <Money amount={limits.per_order} currency={currency} />
          </dd>
        </div>
      )}
      {limits.approval_above !== null && (
        <div>
          <dt>Requires approval above</dt>
          <dd>
            <Money amount={limits.approval_above} currency={currency} />
          </dd>
        </div>
      )}
    </dl>
  );
}

function Change({ apiKey: key }: { apiKey: Key }) {
  const client = useClient();
  const queries = useQueryClient();
  const before = limitsOf(key);
  const [limits, setLimits] = useState(before);
  const changing = useMutation({
    mutationFn: () => client.apiKeys.update(key.id, requestOf(limits, before)),
    onSuccess: (changed) => {
      setLimits(limitsOf(changed));
      announce(`Limits of ${key.name} saved.`);
      void queries.invalidateQueries({ queryKey: ["keys"] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    changing.mutate();
  };
  return (
    <details>
      <summary>{`Edit limits of ${key.name}`}</summary>
      <form onSubmit={submit} noValidate>
        <KeyLimitFields limits={limits} onChange={setLimits} />
        {changing.error && <ProblemNote error={changing.error} />}
        <div className="buttons">
          <Button type="submit" isPending={changing.isPending}>
            Save limits
          </Button>
        </div>
      </form>
    </details>
  );
}

function Revoke({ apiKey: key }: { apiKey: Key }) {
  const client = useClient();
  const queries = useQueryClient();
  const revoking = useMutation({
    mutationFn: () => client.apiKeys.revoke(key.id),
    onSuccess: () => {
      announce(`Key ${key.name} revoked.`);
      void queries.invalidateQueries({ queryKey: ["keys"] });
    },
  });
  return (
    <ConfirmButton
      label="Revoke"
      confirmLabel={`Revoke ${key.name} permanently`}
      of={key.name}
      isPending={revoking.isPending}
      error={revoking.error}
      onPress={() => revoking.mutate()}
    />
  );
}
