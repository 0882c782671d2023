import type { DisputeStage, OrderRole } from "earnest-client";

export const stageWords: Record<DisputeStage, string> = {
  none: "No dispute",
  intent: "Announced, not opened: no money is held back",
  open: "Open: the arbiter may decide",
  silent: "The arbiter's time is over, and nothing was decided",
  decided: "Decided: the time to appeal runs",
  settleable: "Decided: it can be paid out now",
  settled: "Ended: the escrow was paid out",
};

export const roleWords: Record<OrderRole, string> = {
  buyer: "The buyer",
  provider: "The provider",
  arbiter: "The arbiter",
};
