import {
  Activity,
  Bell,
  BookOpen,
  Bot,
  Building2,
  ChartColumn,
  FileCheck2,
  FileSearch,
  Files,
  FileText,
  Flag,
  Gauge,
  House,
  KeyRound,
  type LucideIcon,
  Megaphone,
  MessageSquareQuote,
  MonitorSmartphone,
  Receipt,
  Repeat,
  Rocket,
  Scale,
  ScrollText,
  ShieldAlert,
  ShoppingBag,
  Store,
  Tag,
  Wallet,
  Webhook,
} from "lucide-react";
import { i18n } from "../text/i18n.ts";

type Item = { to: string; label: () => string; icon: LucideIcon };
type Section = { title: (() => string) | null; items: readonly Item[] };

/** The pages of the sidebar by section, in display order. A label is read when it shows, in the language of that moment. */
export const navigation: readonly Section[] = [
  { title: null, items: [{ to: "/", label: () => i18n.t("Overview"), icon: House }] },
  {
    title: () => i18n.t("Buy"),
    items: [
      { to: "/market", label: () => i18n.t("Marketplace"), icon: Store },
      { to: "/requests", label: () => i18n.t("Requests"), icon: Megaphone },
      { to: "/purchases", label: () => i18n.t("Purchases"), icon: ShoppingBag },
      { to: "/subscriptions", label: () => i18n.t("Subscriptions"), icon: Repeat },
    ],
  },
  {
    title: () => i18n.t("Sell"),
    items: [
      { to: "/sell/agents", label: () => i18n.t("Agents"), icon: Bot },
      { to: "/sales", label: () => i18n.t("Sales"), icon: Tag },
      { to: "/quotes", label: () => i18n.t("Quotes"), icon: MessageSquareQuote },
      { to: "/analytics", label: () => i18n.t("Analytics"), icon: ChartColumn },
    ],
  },
  {
    title: () => i18n.t("Money"),
    items: [
      { to: "/balances", label: () => i18n.t("Balances"), icon: Wallet },
      { to: "/payments", label: () => i18n.t("Payments"), icon: Receipt },
      { to: "/receipts", label: () => i18n.t("Receipts"), icon: FileCheck2 },
      { to: "/disputes", label: () => i18n.t("Disputes"), icon: Scale },
    ],
  },
  {
    title: () => i18n.t("Developers"),
    items: [
      { to: "/developers", label: () => i18n.t("Quickstart"), icon: Rocket },
      { to: "/keys", label: () => i18n.t("API keys"), icon: KeyRound },
      { to: "/webhooks", label: () => i18n.t("Webhooks"), icon: Webhook },
      { to: "/events", label: () => i18n.t("Events"), icon: Activity },
      { to: "/docs", label: () => i18n.t("API reference"), icon: BookOpen },
    ],
  },
  {
    title: () => i18n.t("Settings"),
    items: [
      { to: "/settings/organisation", label: () => i18n.t("Organisation"), icon: Building2 },
      { to: "/settings/wallets", label: () => i18n.t("Wallets"), icon: Wallet },
      { to: "/settings/notifications", label: () => i18n.t("Notifications"), icon: Bell },
      { to: "/settings/billing", label: () => i18n.t("Billing details"), icon: FileText },
      { to: "/settings/files", label: () => i18n.t("Files and data"), icon: Files },
      { to: "/settings/sessions", label: () => i18n.t("Sessions"), icon: MonitorSmartphone },
      { to: "/settings/audit", label: () => i18n.t("Audit log"), icon: ScrollText },
      { to: "/settings/reports", label: () => i18n.t("Reports"), icon: Flag },
    ],
  },
];

/** The pages of operators, which the sidebar shows to operators alone. */
export const operatorNavigation: Section = {
  title: () => i18n.t("Operator"),
  items: [
    { to: "/operator", label: () => i18n.t("Moderation"), icon: ShieldAlert },
    { to: "/operator/state", label: () => i18n.t("Service state"), icon: Gauge },
  ],
};

/** The pages in the top bar of visitors without a session. */
export const openNavigation: readonly Item[] = [
  { to: "/market", label: () => i18n.t("Marketplace"), icon: Store },
  { to: "/receipts", label: () => i18n.t("Verify a receipt"), icon: FileSearch },
  { to: "/docs", label: () => i18n.t("API reference"), icon: BookOpen },
];
