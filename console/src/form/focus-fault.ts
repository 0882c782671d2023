/**
 * Moves the focus to the first field of a form that has a fault, and scrolls it into view, once the faults are shown.
 * Folded parts of the form around the field open.
 */
export function focusFirstFault(form: HTMLElement | null): void {
  requestAnimationFrame(() => {
    const field = form?.querySelector<HTMLElement>(
      "[aria-invalid='true'], [data-invalid] :is(button, [role='spinbutton'])",
    );
    for (let part = field?.closest("details"); part; part = part.parentElement?.closest("details")) {
      part.open = true;
    }
    field?.focus();
    field?.scrollIntoView({ block: "center" });
  });
}
