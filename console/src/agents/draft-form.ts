import { revalidateLogic, useForm } from "@tanstack/react-form";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { focusFirstFault } from "../form/focus-fault.ts";
import { useUnsavedChanges } from "../parts/unsaved-changes.ts";
import { fieldErrorAt } from "./field-errors.ts";

type Faults<Draft> = Partial<Record<keyof Draft & string, string>>;

/**
 * The state of a form whose draft is saved as a whole. An invalid submit focuses the first field with a fault; after it, the
 * faults follow the edits. Leaving the page with unsaved changes asks first.
 *
 * @param faultsOf returns the faults that keep a draft from being sent
 * @param findBlock returns a field whose own editor shows a fault, which keeps the draft from being sent
 * @param onFault gets the first field with a fault before it takes the focus
 */
export function useDraftForm<Draft extends object>({
  initial,
  faultsOf,
  findBlock,
  save,
  onFault,
}: {
  initial: Draft;
  faultsOf: (draft: Draft) => Faults<Draft>;
  findBlock?: () => (keyof Draft & string) | undefined;
  save: (draft: Draft) => Promise<void>;
  onFault?: (field: keyof Draft & string) => void;
}) {
  const root = useRef<HTMLFormElement>(null);
  const [defaultValues] = useState(initial);
  // Set before the answer arrives: `save` may navigate away, which must not warn of unsaved changes.
  const saved = useRef(defaultValues);
  const saving = useMutation({
    mutationFn: async (sent: Draft) => {
      const before = saved.current;
      saved.current = sent;
      try {
        await save(sent);
      } catch (error) {
        saved.current = before;
        throw error;
      }
    },
  });
  const names = Object.keys(defaultValues) as (keyof Draft & string)[];
  const focusFault = (hasFault: (name: keyof Draft & string) => boolean) => {
    const first = names.find(hasFault);
    if (first) onFault?.(first);
    focusFirstFault(root.current);
  };
  const form = useForm({
    defaultValues,
    validationLogic: revalidateLogic(),
    validators: {
      onDynamic: ({ value }) => {
        const fields = faultsOf(value);
        return Object.keys(fields).length > 0 ? { fields } : undefined;
      },
    },
    onSubmit: async ({ value }) => {
      const block = findBlock?.();
      if (block) return focusFault((name) => name === block);
      await saving.mutateAsync(value).catch((error) => focusFault((name) => errorAt(error, name) !== null));
    },
    onSubmitInvalid: ({ value }) => {
      const faults = faultsOf(value);
      focusFault((name) => faults[name] !== undefined);
    },
  });
  useUnsavedChanges(() => !isSame(form.state.values, saved.current));
  return {
    form,
    root,
    saving,
    /** Returns the service's error about a field, until the field changes. */
    refusalOf: (name: keyof Draft & string, value: unknown): string | null =>
      saving.variables && isSame(saving.variables[name], value) ? errorAt(saving.error, name) : null,
  };
}

/** Returns the first fault of a field as text. */
export const firstFault = (errors: readonly unknown[]): string | null => {
  const first = errors.find(Boolean);
  return first === undefined ? null : String(first);
};

const isSame = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right);

/** Returns the service's error about a field of the request, or of its capabilities. */
const errorAt = (error: unknown, name: string): string | null =>
  fieldErrorAt(error, name) ?? fieldErrorAt(error, `capabilities/${name}`);
