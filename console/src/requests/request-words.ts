import type { OpenRequestStatus, QuoteStatus } from "earnest-client";

export const requestWords: Record<OpenRequestStatus, string> = {
  open: "Open",
  closed: "Closed",
  accepted: "A quote was accepted",
  expired: "Ended",
};

export const quoteWords: Record<QuoteStatus, string> = {
  offered: "Offered",
  withdrawn: "Withdrawn",
  accepted: "Accepted",
  declined: "Declined",
  expired: "Ended",
};
