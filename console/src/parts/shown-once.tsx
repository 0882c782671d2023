import { Check, Copy } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { i18n } from "../text/i18n.ts";
import { Button } from "./button.tsx";

/** A secret that the service shows once. It is stored nowhere. It takes the focus, in view. */
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
  const shown = useRef<HTMLElement>(null);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    // After the button that was pressed has left the page, and a dialog has restored its focus.
    const frame = requestAnimationFrame(() => {
      shown.current?.focus();
      shown.current?.scrollIntoView({ block: "center" });
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  const copy = () => void navigator.clipboard.writeText(secret).then(() => setCopied(true));
  return (
    <div className="note secret" role="status">
      <p>{i18n.t("Copy your {what} now. You won't see it again.", { what })}</p>
      <code ref={shown} tabIndex={-1} data-testid="secret">
        {secret}
      </code>
      <div className="buttons">
        <Button variant="primary" icon={isCopied ? Check : Copy} onPress={copy}>
          {isCopied ? i18n.t("Copied") : i18n.t("Copy")}
        </Button>
        <Button onPress={onHide}>{i18n.t("Done")}</Button>
      </div>
    </div>
  );
}
