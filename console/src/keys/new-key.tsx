import { revalidateLogic, useForm } from "@tanstack/react-form";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Scope } from "earnest-client";
import { type FormEvent, useRef } from "react";
import { longest } from "../../../protocol/settlement/text-limits.ts";
import { focusFirstFault } from "../form/focus-fault.ts";
import { Button } from "../parts/button.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { ProblemNote } from "../parts/problem-note.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { KeyLimitFields } from "./key-limit-fields.tsx";
import { findLimitFaults, type KeyLimitDraft, noLimits, requestOf } from "./key-limits.ts";
import { ScopeChoice } from "./scope-choice.tsx";

type Draft = { name: string; scopes: Scope[]; limits: KeyLimitDraft };
const empty: Draft = { name: "", scopes: [], limits: noLimits };

/** Creates a key in a dialog. Its token is shown there once and stored nowhere. */
export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const client = useClient();
  const queries = useQueryClient();
  const element = useRef<HTMLFormElement>(null);
  const focusFault = () => focusFirstFault(element.current);
  const scopes = useQuery({
    queryKey: ["scopes"],
    queryFn: async () => (await client.apiKeys.listScopes()).items,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const creating = useMutation({
    mutationFn: async ({ name, scopes: chosen, limits }: Draft) =>
      client.apiKeys.create({ name: name.trim(), scopes: chosen, ...requestOf(limits, noLimits) }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ["keys"] }),
    onError: focusFault,
  });
  const form = useForm({
    defaultValues: empty,
    validationLogic: revalidateLogic(),
    onSubmit: ({ value }) => creating.mutate(value),
    onSubmitInvalid: focusFault,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void form.handleSubmit();
  };
  if (creating.data) {
    return (
      <FormDialog title={i18n.t("Key created")} isKept onClose={onClose}>
        <ShownOnce what={i18n.t("API key")} secret={creating.data.token} onHide={onClose} />
      </FormDialog>
    );
  }
  return (
    <FormDialog title={i18n.t("Create API key")} onClose={onClose}>
      <form ref={element} id="new-key" onSubmit={submit} noValidate>
        <form.Field
          name="name"
          validators={{
            onDynamic: ({ value }) => (value.trim() === "" ? i18n.t("Enter a label.") : undefined),
          }}
        >
          {(field) => (
            <TextField
              label={i18n.t("Label")}
              help={i18n.t("For example, the program that uses the key.")}
              error={field.state.meta.errors[0] ?? null}
              isRequired
              value={field.state.value}
              onChange={field.handleChange}
              most={longest.name}
            />
          )}
        </form.Field>
        <form.Field
          name="scopes"
          validators={{
            onDynamic: ({ value }) =>
              value.length === 0 ? i18n.t("Choose at least one permission.") : undefined,
          }}
        >
          {(field) => (
            <ScopeChoice
              query={scopes}
              chosen={field.state.value}
              error={field.state.meta.errors[0] ?? null}
              onChange={field.handleChange}
            />
          )}
        </form.Field>
        <form.Field
          name="limits"
          validators={{
            onDynamic: ({ value }) =>
              Object.keys(findLimitFaults(value)).length > 0 ? i18n.t("Correct the limits.") : undefined,
          }}
        >
          {(field) => (
            <details open={field.state.meta.errors.length > 0 || undefined}>
              <summary>{i18n.t("Limits and expiry")}</summary>
              <KeyLimitFields
                limits={field.state.value}
                faults={field.state.meta.errors.length > 0 ? findLimitFaults(field.state.value) : {}}
                onChange={field.handleChange}
              />
            </details>
          )}
        </form.Field>
        {creating.error && <ProblemNote error={creating.error} />}
        <div className="dialog-end">
          <div className="buttons">
            <Button onPress={onClose}>{i18n.t("Cancel")}</Button>
            <Button type="submit" variant="primary" isPending={creating.isPending}>
              {i18n.t("Create key")}
            </Button>
          </div>
        </div>
      </form>
    </FormDialog>
  );
}
