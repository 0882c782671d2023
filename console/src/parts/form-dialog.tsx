import type { ReactNode } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Heading } from "react-aria-components/Heading";
import { Modal, ModalOverlay } from "react-aria-components/Modal";

/**
 * A dialog with a form or details. Escape closes it; a click beside it does not, so that no input is lost.
 *
 * @param isKept whether Escape does nothing, for a secret that is shown once
 */
export function FormDialog({
  title,
  isOpen = true,
  isKept = false,
  onClose,
  children,
}: {
  title: ReactNode;
  isOpen?: boolean;
  isKept?: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <ModalOverlay
      className="overlay"
      isOpen={isOpen}
      isKeyboardDismissDisabled={isKept}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
    >
      <Modal className="modal">
        <Dialog>
          <Heading slot="title">{title}</Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
