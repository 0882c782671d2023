/** The frames in which the faults of a form must appear. */
const mostFrames = 20;

/**
 * Moves the focus to the first field of a form that has a fault, and scrolls it into view, once the faults are shown.
 * Folded parts of the form around the field open.
 */
export function focusFirstFault(form: HTMLElement | null, framesLeft = mostFrames): void {
  requestAnimationFrame(() => {
    const fields = form?.querySelectorAll<HTMLElement>(
      "[aria-invalid='true'], [data-invalid] :is(button, [role='spinbutton'])",
    );
    // A tab that is not chosen is inert.
    const field = [...(fields ?? [])].find((each) => each.closest("[data-inert]") === null);
    if (!field) {
      if (framesLeft > 1) focusFirstFault(form, framesLeft - 1);
      return;
    }
    for (let part = field.closest("details"); part; part = part.parentElement?.closest("details") ?? null) {
      part.open = true;
    }
    field.focus();
    field.scrollIntoView({ block: "center" });
  });
}
