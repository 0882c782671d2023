/** The links of the navigation, in its order. `own`: only for somebody who is signed in. */
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
  { to: "/keys", label: "Keys", own: true },
  { to: "/webhooks", label: "Webhooks", own: true },
  { to: "/organisation", label: "Organisation", own: true },
] as const;
