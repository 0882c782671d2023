import type { OpenRequestStatus, QuoteStatus } from "earnest-client";

export const requestWords: Record<OpenRequestStatus, string> = {
  open: "Open",
  closed: "Closed",
  accepted: "Quote accepted",
  expired: "Expired",
};

export const quoteWords: Record<QuoteStatus, string> = {
  offered: "Open",
  withdrawn: "Withdrawn",
  accepted: "Accepted",
  declined: "Declined",
  expired: "Expired",
};
