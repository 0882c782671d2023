/**
 * The tables that get rows for each order, with the condition that selects the rows of the orders in `scale.chosen`. A table
 * stands after those that its condition reads.
 */
export const orderTables = {
  order: "id in (select id from scale.chosen)",
  fact: "order_id in (select id from scale.chosen)",
  event: "order_id in (select id from scale.chosen)",
  webhook_delivery:
    "event_id in (select id from earnest.event where order_id in (select id from scale.chosen))",
  webhook_attempt:
    "delivery_id in (select d.id from earnest.webhook_delivery d join earnest.event e on e.id = d.event_id where e.order_id in (select id from scale.chosen))",
  receipt: "order_id in (select id from scale.chosen)",
  account_settlement:
    "receipt_id in (select id from earnest.receipt where order_id in (select id from scale.chosen))",
  log_entry:
    "kind = 'receipt' and subject in (select id from earnest.receipt where order_id in (select id from scale.chosen))",
  order_outcome: "order_id in (select id from scale.chosen)",
  payment: "order_id in (select id from scale.chosen)",
  relay: "order_id in (select id from scale.chosen)",
  relay_attempt:
    "relay_id in (select id from earnest.relay where order_id in (select id from scale.chosen) union select batch_id from earnest.relay where order_id in (select id from scale.chosen))",
  idempotency_record: "effect_id in (select substr(id, 5) from scale.chosen)",
} as const;
export type OrderTable = keyof typeof orderTables;
