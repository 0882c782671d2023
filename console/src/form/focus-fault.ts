/** Moves the focus to the first field of a form that has a fault, and scrolls it into view, once the faults are shown. */
export function focusFirstFault(form: HTMLElement | null): void {
  requestAnimationFrame(() => {
    const field = form?.querySelector<HTMLElement>(
      "[aria-invalid='true'], [data-invalid] :is(button, [role='spinbutton'])",
    );
    field?.focus();
    field?.scrollIntoView({ block: "center" });
  });
}
