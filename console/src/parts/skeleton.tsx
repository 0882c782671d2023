import { i18n } from "../text/i18n.ts";

const lines = ["a", "b", "c", "d"];

/** The place of content that is being loaded. */
export function Skeleton() {
  return (
    <div className="skeleton" role="status">
      <span className="hidden-text">{i18n.t("Loading…")}</span>
      {lines.map((line) => (
        <span key={line} aria-hidden />
      ))}
    </div>
  );
}
