import { Trans } from "@lingui/react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Key, Spend } from "earnest-client";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { focusFirstFault } from "../form/focus-fault.ts";
import { Button } from "../parts/button.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Time } from "../parts/time.tsx";
import { announce } from "../parts/toasts.ts";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { KeyLimitFields } from "./key-limit-fields.tsx";
import { findLimitFaults, limitsOf, requestOf } from "./key-limits.ts";
import { isExpired } from "./key-queries.ts";
import { Spent } from "./spent.tsx";

/** A key's data, limits and revocation. */
export function KeyDialog({
  apiKey: key,
  spend,
  onClose,
}: {
  apiKey: Key;
  spend: Spend | null;
  onClose: () => void;
}) {
  const client = useClient();
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const before = limitsOf(key);
  const [limits, setLimits] = useState(before);
  const [isChecked, setChecked] = useState(false);
  const faults = findLimitFaults(limits);
  const focusFault = () => focusFirstFault(form.current);
  const named = { name: <UserText>{key.name}</UserText> };
  const finish = (notice: ReactNode) => {
    announce(notice);
    void queries.invalidateQueries({ queryKey: ["keys"] });
    onClose();
  };
  const changing = useMutation({
    mutationFn: async () => client.apiKeys.update(key.id, requestOf(limits, before)),
    onSuccess: () => finish(<Trans id="Limits of {name} saved." values={named} />),
    onError: focusFault,
  });
  const revoking = useMutation({
    mutationFn: async () => client.apiKeys.revoke(key.id),
    onSuccess: () => finish(<Trans id="Key {name} revoked." values={named} />),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (Object.keys(faults).length > 0) focusFault();
    else changing.mutate();
  };
  const spent = spend?.items.find(({ key_id }) => key_id === key.id);
  const currency = spend?.currency ?? "";
  return (
    <FormDialog title={<UserText>{key.name}</UserText>} onClose={onClose}>
      <LabelledValues
        rows={[
          [i18n.t("Token"), key.token_hint && <code key="token">{`…${key.token_hint}`}</code>],
          [i18n.t("Connected from"), key.client_host && <code key="client">{key.client_host}</code>],
          [i18n.t("Permissions"), <code key="scopes">{key.scopes.join(", ")}</code>],
          [
            i18n.t("Today"),
            spent && <Spent key="day" period={spent.day} currency={currency} label={i18n.t("Spent today")} />,
          ],
          [
            i18n.t("This month"),
            spent && (
              <Spent
                key="month"
                period={spent.month}
                currency={currency}
                label={i18n.t("Spent this month")}
              />
            ),
          ],
          [
            i18n.t("Open orders"),
            spent &&
              (spent.open_orders.limit === null
                ? spent.open_orders.count
                : i18n.t("{count} of {limit}", {
                    count: spent.open_orders.count,
                    limit: spent.open_orders.limit,
                  })),
          ],
          [i18n.t("Created"), <Time key="created" at={key.created_at} />],
          [i18n.t("Expires"), key.expires_at && <Time key="expires" at={key.expires_at} />],
        ]}
      />
      <form ref={form} onSubmit={submit} noValidate>
        {!isExpired(key) && (
          <>
            <h3>{i18n.t("Limits")}</h3>
            <KeyLimitFields limits={limits} faults={isChecked ? faults : {}} onChange={setLimits} />
          </>
        )}
        <h3>{i18n.t("Revoke")}</h3>
        <p className="quiet">
          {i18n.t("Programs that use this key are refused at once. You cannot undo this.")}
        </p>
        <ConfirmButton
          label={i18n.t("Revoke key")}
          confirmLabel={<Trans id="Revoke {name} permanently" values={named} />}
          of={key.name}
          isPending={revoking.isPending}
          error={revoking.error}
          onPress={() => revoking.mutate()}
        />
        {changing.error && <ProblemNote error={changing.error} />}
        <div className="dialog-end">
          <div className="buttons">
            <Button onPress={onClose}>{i18n.t("Close")}</Button>
            {!isExpired(key) && (
              <Button type="submit" variant="primary" isPending={changing.isPending}>
                {i18n.t("Save limits")}
              </Button>
            )}
          </div>
        </div>
      </form>
    </FormDialog>
  );
}
