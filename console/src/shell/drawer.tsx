import { Dialog } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { i18n } from "../text/i18n.ts";
import { Sidebar } from "./sidebar.tsx";

/** The sidebar as a drawer, for phones. */
export function Drawer({ onClose }: { onClose: () => void }) {
  return (
    <ModalOverlay className="overlay" isOpen onOpenChange={(isOpen) => !isOpen && onClose()} isDismissable>
      <Modal className="drawer">
        <Dialog aria-label={i18n.t("Menu")}>
          <Sidebar onNavigate={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
