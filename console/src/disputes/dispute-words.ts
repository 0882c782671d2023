import type { DisputeStage, OrderRole } from "earnest-client";

export const stageWords: Record<DisputeStage, string> = {
  none: "No dispute",
  intent: "Notice given, not opened yet",
  open: "Under review",
  silent: "Arbiter's deadline passed without a decision",
  decided: "Decided, appeal window open",
  settleable: "Decided, ready to pay out",
  settled: "Paid out",
};

export const roleWords: Record<OrderRole, string> = {
  buyer: "Buyer",
  provider: "Provider",
  arbiter: "Arbiter",
};
