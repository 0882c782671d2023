import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import type { SearchHits } from "earnest-client";
import { Bot, type LucideIcon, ReceiptText, Store } from "lucide-react";
import { useEffect, useState } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { cutSearch } from "../parts/cut-text.ts";
import { UserText } from "../parts/user-text.tsx";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { i18n } from "../text/i18n.ts";
import { navigation, openNavigation } from "./navigation.ts";

/** Milliseconds without a key press after which the service is asked. */
const typingPauseMs = 150;
/** Finds pages, orders, services and agents by typing. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  return (
    <ModalOverlay className="overlay" isOpen onOpenChange={(open) => !open && onClose()} isDismissable>
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
  const client = useClient();
  const [text, setText] = useState("");
  const query = usePaused(cutSearch(text), typingPauseMs);
  const { data } = useQuery({
    queryKey: ["search", query],
    queryFn: () => client.marketplace.searchAll({ q: query }),
    enabled: session !== null && query !== "",
    placeholderData: keepPreviousData,
  });
  const words = text.toLowerCase().trim();
  const pages = session ? navigation.flatMap(({ items }) => items) : openNavigation;
  const open = (to: string) => {
    onClose();
    void navigate({ to });
  };
  const groups = query === "" || !data ? [] : groupsOf(data);
  return (
    <Command className="palette" label={i18n.t("Search")} shouldFilter={false}>
      <Command.Input
        autoFocus
        value={text}
        onValueChange={setText}
        placeholder={i18n.t("Search pages, orders, services and agents")}
      />
      <Command.List>
        <Command.Empty>{i18n.t("Nothing found.")}</Command.Empty>
        {groups.map(({ heading, icon: Icon, hits }) => (
          <Command.Group key={heading} heading={heading}>
            {hits.map(({ to, title, detail }) => (
              <Command.Item key={to} value={to} onSelect={() => open(to)}>
                <Icon size={16} aria-hidden />
                <UserText>{title}</UserText>
                <span className="quiet">
                  <UserText>{detail}</UserText>
                </span>
              </Command.Item>
            ))}
          </Command.Group>
        ))}
        <Command.Group heading={i18n.t("Pages")}>
          {pages
            .filter(({ label }) => label().toLowerCase().includes(words))
            .map(({ to, label, icon: Icon }) => (
              <Command.Item key={to} value={to} onSelect={() => open(to)}>
                <Icon size={16} aria-hidden />
                {label()}
              </Command.Item>
            ))}
        </Command.Group>
      </Command.List>
    </Command>
  );
}

type Group = {
  heading: string;
  icon: LucideIcon;
  hits: { to: string; title: string; detail: string }[];
};

/** Groups what the service found, each with the page that it leads to. */
function groupsOf(found: SearchHits): Group[] {
  return [
    {
      heading: i18n.t("Orders"),
      icon: ReceiptText,
      hits: found.orders.map(({ id, reference, service, agent }) => ({
        to: `/orders/${id}`,
        title: `${reference} ${service.title}`,
        detail: agent.name,
      })),
    },
    {
      heading: i18n.t("Your agents and services"),
      icon: Bot,
      hits: [
        ...found.agents.map(({ slug, name }) => ({
          to: `/sell/agents/${slug}`,
          title: name,
          detail: i18n.t("Agent"),
        })),
        ...found.services.map(({ slug, title, agent }) => ({
          to: `/sell/agents/${agent.slug}/${slug}`,
          title,
          detail: agent.name,
        })),
      ],
    },
    {
      heading: i18n.t("Marketplace"),
      icon: Store,
      hits: [
        ...found.market_services.map(({ slug, title, agent }) => ({
          to: `/market/${agent.slug}/${slug}`,
          title,
          detail: agent.name,
        })),
        ...found.market_agents.map(({ slug, name }) => ({
          to: `/agents/${slug}`,
          title: name,
          detail: i18n.t("Agent"),
        })),
      ],
    },
  ].filter(({ hits }) => hits.length > 0);
}

/** Returns a value once it has not changed for some milliseconds. */
function usePaused(value: string, pauseMs: number): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return paused;
}
