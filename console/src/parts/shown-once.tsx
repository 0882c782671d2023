import { i18n } from "@lingui/core";
import { Button } from "./button.tsx";
import { announce } from "./toasts.tsx";

/** A secret that the service shows once. It is stored nowhere. */
export function ShownOnce({
  what,
  secret,
  onHide,
}: {
  /** such as `API key` */
  what: string;
  secret: string;
  onHide: () => void;
}) {
  const copy = async () => {
    await navigator.clipboard.writeText(secret);
    announce(i18n.t("Copied the {what}.", { what }));
  };
  return (
    <div className="note" role="status">
      <p>{i18n.t("Copy your {what} now. You won't see it again.", { what })}</p>
      <p>
        <code data-testid="secret">{secret}</code>
      </p>
      <div className="buttons">
        <Button onPress={copy}>{i18n.t("Copy")}</Button>
        <Button onPress={onHide}>{i18n.t("Done")}</Button>
      </div>
    </div>
  );
}
