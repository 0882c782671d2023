import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { i18n } from "../text/i18n.ts";
import { Button } from "./button.tsx";
import { announce } from "./toasts.ts";

const shownMs = 2_000;

/**
 * Copies a text to the clipboard, and shows for two seconds that it did.
 *
 * @param what the copied thing, for the accessible name, as in `address`
 */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <Button
      variant="bare"
      size="small"
      icon={isCopied ? Check : Copy}
      aria-label={isCopied ? i18n.t("Copied") : i18n.t("Copy {what}", { what })}
      onPress={() =>
        void navigator.clipboard.writeText(text).then(
          () => setCopied(true),
          () => announce(i18n.t("Your browser refused to copy. Select the text and copy it yourself.")),
        )
      }
    />
  );
}
