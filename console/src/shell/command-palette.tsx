import { i18n } from "@lingui/core";
import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { useEffect, useState } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { useSession } from "../session/session.ts";
import { navigation, openNavigation } from "./navigation.ts";

/** Calls back when the reader presses Ctrl+K, or Cmd+K on a Mac. */
export function useCommandKey(open: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      open();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [open]);
}

/** Finds a page by typing. */
export function CommandPalette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <ModalOverlay
      className="overlay"
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable
    >
      <Modal className="modal">
        <Dialog className="palette-dialog" aria-label={i18n.t("Search")}>
          <Palette onClose={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const session = useSession();
  const [text, setText] = useState("");
  const pages = session ? navigation.flatMap(({ items }) => items) : openNavigation;
  const open = (to: string) => {
    onClose();
    void navigate({ to });
  };
  return (
    <Command className="palette" label={i18n.t("Search")}>
      <Command.Input
        autoFocus
        value={text}
        onValueChange={setText}
        placeholder={i18n.t("Search pages, orders, services and agents")}
      />
      <Command.List>
        <Command.Empty>{i18n.t("Nothing found.")}</Command.Empty>
        <Command.Group heading={i18n.t("Pages")}>
          {pages.map(({ to, label, icon: Icon }) => (
            <Command.Item key={to} value={label()} onSelect={() => open(to)}>
              <Icon size={16} aria-hidden />
              {label()}
            </Command.Item>
          ))}
        </Command.Group>
      </Command.List>
    </Command>
  );
}
