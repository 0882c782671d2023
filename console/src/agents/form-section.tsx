import { type ReactNode, useId } from "react";
import { i18n } from "../text/i18n.ts";

/** A section of a form, as a card. */
export function FormSection({
  title,
  intro,
  isFolded = false,
  children,
}: {
  title: string;
  intro?: string;
  /** whether the section opens on demand */
  isFolded?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  if (isFolded) {
    return (
      <details className="card form-section">
        <summary>{title}</summary>
        {intro && <p className="quiet">{intro}</p>}
        {children}
      </details>
    );
  }
  return (
    <section className="card form-section" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {intro && <p className="quiet">{intro}</p>}
      {children}
    </section>
  );
}

/** The public card of a draft, as buyers will see it. Its links lead nowhere yet, so it takes no focus. */
export function Preview({ children }: { children: ReactNode }) {
  return (
    <section aria-label={i18n.t("Preview")}>
      <p className="quiet">{i18n.t("Preview: how buyers see it")}</p>
      <ul className="cards" inert>
        <li>{children}</li>
      </ul>
    </section>
  );
}
