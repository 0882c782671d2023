import { SlidersHorizontal } from "lucide-react";
import { type ReactNode, useState } from "react";
import { i18n } from "../text/i18n.ts";
import { Button } from "./button.tsx";

/** Filters that a phone folds behind a button. A wider window shows them all the time. */
export function PhoneFold({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="phone-fold" data-open={isOpen}>
      <Button icon={SlidersHorizontal} aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
        {i18n.t("Filters")}
      </Button>
      <div>{children}</div>
    </div>
  );
}
