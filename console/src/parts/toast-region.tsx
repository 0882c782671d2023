import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Text } from "react-aria-components/Text";
import {
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from "react-aria-components/Toast";
import { i18n } from "../text/i18n.ts";
import { Button } from "./button.tsx";

const shownMs = 10_000;
type Content = { content: ReactNode; link: ReactNode };
const toasts = new ToastQueue<Content>({ maxVisibleToasts: 4 });

export const addToast = (content: Content): void => void toasts.add(content, { timeout: shownMs });

/** The region of notices. */
export function Toasts() {
  return (
    <ToastRegion queue={toasts} className="toasts" aria-label={i18n.t("Notices")}>
      {({ toast }) => (
        <Toast toast={toast} className="toast">
          <ToastContent>
            <Text slot="title" elementType="p">
              {toast.content.content}
            </Text>
            {toast.content.link}
          </ToastContent>
          <Button
            variant="bare"
            size="small"
            icon={X}
            aria-label={i18n.t("Dismiss")}
            onPress={() => toasts.close(toast.key)}
          />
        </Toast>
      )}
    </ToastRegion>
  );
}
