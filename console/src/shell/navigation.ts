/** The links of the navigation, in display order. `own`: only for signed-in users. */
export const navigation = [
  { to: "/", label: "Home", own: true },
  { to: "/market", label: "Market", own: false },
  { to: "/orders", label: "Orders", own: true },
  { to: "/disputes", label: "Disputes", own: true },
  { to: "/requests", label: "Requests", own: true },
  { to: "/agents", label: "Agents", own: true },
  { to: "/payments", label: "Payments", own: true },
  { to: "/subscriptions", label: "Subscriptions", own: true },
  { to: "/receipts", label: "Receipts", own: false },
  { to: "/keys", label: "API keys", own: true },
  { to: "/webhooks", label: "Webhooks", own: true },
  { to: "/organisation", label: "Organisation", own: true },
] as const;
