/** The links of the navigation, in its order. `own`: only for somebody who is signed in. */
export const navigation = [
  { to: "/", label: "Home", own: true },
  { to: "/market", label: "Market", own: false },
  { to: "/orders", label: "Orders", own: true },
  { to: "/requests", label: "Requests", own: true },
  { to: "/agents", label: "Agents", own: true },
  { to: "/keys", label: "Keys", own: true },
] as const;
