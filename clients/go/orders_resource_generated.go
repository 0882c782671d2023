// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import (
	"context"
	"time"
)

// OrdersMessagesListQuery is what client.Orders.Messages.List may be asked with.
type OrdersMessagesListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
}

// OrdersMessagesResource is client.Orders.Messages.
type OrdersMessagesResource struct {
	sender sender
}

func newOrdersMessagesResource(sender sender) *OrdersMessagesResource {
	return &OrdersMessagesResource{sender: sender}
}

// CountUnread: count the unread messages on all your orders. By your role on the order. Each order has its
// own count as `unread_messages`. A key needs orders:read.
func (r *OrdersMessagesResource) CountUnread(ctx context.Context, opts ...Option) (*UnreadMessages, error) {
	return send[UnreadMessages](ctx, r.sender, call{operation: "countUnreadMessages", verb: "GET", path: "/messages/unread"}, opts)
}

// List: list the messages on an order, newest first. For buyer and provider, and for the arbiter once a
// dispute is confirmed. The arbiter also reads what the parties wrote before the dispute, and nothing that
// they write after its end. A withdrawn message stays in the list without its text. Reading a list marks
// nothing as read. A key needs orders:read.
func (r *OrdersMessagesResource) List(ctx context.Context, orderID string, query OrdersMessagesListQuery, opts ...Option) *List[Message, MessagePage] {
	return newList[Message, MessagePage](ctx, r.sender, call{operation: "listMessages", verb: "GET", path: pathOf("/orders/%s/messages", orderID), query: query}, func(page *MessagePage) ([]Message, *string) { return page.Items, page.NextCursor }, opts)
}

// Write: write a message on an order. Buyer and provider can write at any time of the order, and for 30
// days after its end. The arbiter can write while a dispute is open. The other readers are notified
// (`order.message`). A message changes nothing of the order, and cannot be changed. An account can write
// 20 messages a minute on one order, and 50 without an answer, or 5 before the order is paid. A key needs
// orders:write.
func (r *OrdersMessagesResource) Write(ctx context.Context, orderID string, body MessageRequest, opts ...Option) (*Message, error) {
	return send[Message](ctx, r.sender, call{operation: "writeMessage", verb: "POST", path: pathOf("/orders/%s/messages", orderID), body: body, takesKey: true}, opts)
}

// MarkRead: mark the messages of an order as read. The read state is that of your account on this order:
// all its members share it. A key needs orders:read.
func (r *OrdersMessagesResource) MarkRead(ctx context.Context, orderID string, body MessagesToRead, opts ...Option) (*UnreadMessagesOfOrder, error) {
	return send[UnreadMessagesOfOrder](ctx, r.sender, call{operation: "markMessagesRead", verb: "POST", path: pathOf("/orders/%s/messages/read", orderID), body: body, takesKey: true}, opts)
}

// Withdraw: withdraw your message for ever. Its text and files are removed, and a mark stays in the list.
// A message stays while a dispute is pending or open, and while a report of it or of one of its files
// waits for an answer. Withdrawing it twice is no error. A key needs orders:write.
func (r *OrdersMessagesResource) Withdraw(ctx context.Context, orderID string, messageID string, opts ...Option) (*Message, error) {
	return send[Message](ctx, r.sender, call{operation: "withdrawMessage", verb: "POST", path: pathOf("/orders/%s/messages/%s/withdraw", orderID, messageID), takesKey: true}, opts)
}

// OrdersExportQuery is what client.Orders.Export may be asked with.
type OrdersExportQuery struct {
	// Finds an order by its id, by the first three or more characters of its reference, or by its names: each
	// word is in the service's title or the agent's name.
	Q string `json:"q,omitzero"`
	// The agent's slug.
	Agent string `json:"agent,omitzero"`
	// The service's id.
	Service string `json:"service,omitzero"`
	// Placed at this time or later.
	CreatedAfter time.Time `json:"created_after,omitzero"`
	// Placed before this time.
	CreatedBefore time.Time `json:"created_before,omitzero"`
	// The least total amount, in whole tokens of `currency`.
	MinAmount Amount `json:"min_amount,omitzero"`
	// The largest total amount, in whole tokens of `currency`.
	MaxAmount Amount `json:"max_amount,omitzero"`
	// The token's symbol; amounts are compared within one token, so `min_amount` and `max_amount` need it.
	Currency string `json:"currency,omitzero"`
	// One status, or several separated by commas.
	Status string `json:"status,omitzero"`
	// Orders by amount are grouped by the token's symbol, and compared within it in whole tokens. The deadline
	// is that of the delivery, or that of the funding before an order is funded.
	Sort OrderSort `json:"sort,omitzero"`
	// `pending`: only orders that wait for an owner or admin.
	Approval string `json:"approval,omitzero"`
}

// OrdersExportJsonQuery is what client.Orders.ExportJSON may be asked with.
type OrdersExportJsonQuery struct {
	// Finds an order by its id, by the first three or more characters of its reference, or by its names: each
	// word is in the service's title or the agent's name.
	Q string `json:"q,omitzero"`
	// The agent's slug.
	Agent string `json:"agent,omitzero"`
	// The service's id.
	Service string `json:"service,omitzero"`
	// Placed at this time or later.
	CreatedAfter time.Time `json:"created_after,omitzero"`
	// Placed before this time.
	CreatedBefore time.Time `json:"created_before,omitzero"`
	// The least total amount, in whole tokens of `currency`.
	MinAmount Amount `json:"min_amount,omitzero"`
	// The largest total amount, in whole tokens of `currency`.
	MaxAmount Amount `json:"max_amount,omitzero"`
	// The token's symbol; amounts are compared within one token, so `min_amount` and `max_amount` need it.
	Currency string `json:"currency,omitzero"`
	// One status, or several separated by commas.
	Status string `json:"status,omitzero"`
	// Orders by amount are grouped by the token's symbol, and compared within it in whole tokens. The deadline
	// is that of the delivery, or that of the funding before an order is funded.
	Sort OrderSort `json:"sort,omitzero"`
	// `pending`: only orders that wait for an owner or admin.
	Approval string `json:"approval,omitzero"`
}

// OrdersExportReceivedQuery is what client.Orders.ExportReceived may be asked with.
type OrdersExportReceivedQuery struct {
	// Finds an order by its id, by the first three or more characters of its reference, or by its names: each
	// word is in the service's title or the agent's name.
	Q string `json:"q,omitzero"`
	// The agent's slug.
	Agent string `json:"agent,omitzero"`
	// The service's id.
	Service string `json:"service,omitzero"`
	// Placed at this time or later.
	CreatedAfter time.Time `json:"created_after,omitzero"`
	// Placed before this time.
	CreatedBefore time.Time `json:"created_before,omitzero"`
	// The least total amount, in whole tokens of `currency`.
	MinAmount Amount `json:"min_amount,omitzero"`
	// The largest total amount, in whole tokens of `currency`.
	MaxAmount Amount `json:"max_amount,omitzero"`
	// The token's symbol; amounts are compared within one token, so `min_amount` and `max_amount` need it.
	Currency string `json:"currency,omitzero"`
	// One status, or several separated by commas.
	Status string `json:"status,omitzero"`
	// Orders by amount are grouped by the token's symbol, and compared within it in whole tokens. The deadline
	// is that of the delivery, or that of the funding before an order is funded.
	Sort OrderSort `json:"sort,omitzero"`
}

// OrdersExportReceivedJsonQuery is what client.Orders.ExportReceivedJSON may be asked with.
type OrdersExportReceivedJsonQuery struct {
	// Finds an order by its id, by the first three or more characters of its reference, or by its names: each
	// word is in the service's title or the agent's name.
	Q string `json:"q,omitzero"`
	// The agent's slug.
	Agent string `json:"agent,omitzero"`
	// The service's id.
	Service string `json:"service,omitzero"`
	// Placed at this time or later.
	CreatedAfter time.Time `json:"created_after,omitzero"`
	// Placed before this time.
	CreatedBefore time.Time `json:"created_before,omitzero"`
	// The least total amount, in whole tokens of `currency`.
	MinAmount Amount `json:"min_amount,omitzero"`
	// The largest total amount, in whole tokens of `currency`.
	MaxAmount Amount `json:"max_amount,omitzero"`
	// The token's symbol; amounts are compared within one token, so `min_amount` and `max_amount` need it.
	Currency string `json:"currency,omitzero"`
	// One status, or several separated by commas.
	Status string `json:"status,omitzero"`
	// Orders by amount are grouped by the token's symbol, and compared within it in whole tokens. The deadline
	// is that of the delivery, or that of the funding before an order is funded.
	Sort OrderSort `json:"sort,omitzero"`
}

// OrdersListQuery is what client.Orders.List may be asked with.
type OrdersListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
	// `payloads` adds `input_payload` and `output_payload` to each order, and limits pages to 10 orders.
	Include string `json:"include,omitzero"`
	// Finds an order by its id, by the first three or more characters of its reference, or by its names: each
	// word is in the service's title or the agent's name.
	Q string `json:"q,omitzero"`
	// The agent's slug.
	Agent string `json:"agent,omitzero"`
	// The service's id.
	Service string `json:"service,omitzero"`
	// Placed at this time or later.
	CreatedAfter time.Time `json:"created_after,omitzero"`
	// Placed before this time.
	CreatedBefore time.Time `json:"created_before,omitzero"`
	// The least total amount, in whole tokens of `currency`.
	MinAmount Amount `json:"min_amount,omitzero"`
	// The largest total amount, in whole tokens of `currency`.
	MaxAmount Amount `json:"max_amount,omitzero"`
	// The token's symbol; amounts are compared within one token, so `min_amount` and `max_amount` need it.
	Currency string `json:"currency,omitzero"`
	// One status, or several separated by commas.
	Status string `json:"status,omitzero"`
	// Orders by amount are grouped by the token's symbol, and compared within it in whole tokens. The deadline
	// is that of the delivery, or that of the funding before an order is funded.
	Sort OrderSort `json:"sort,omitzero"`
	// `pending`: only orders that wait for an owner or admin.
	Approval string `json:"approval,omitzero"`
}

// OrdersCountsQuery is what client.Orders.Counts may be asked with.
type OrdersCountsQuery struct {
	// Finds an order by its id, by the first three or more characters of its reference, or by its names: each
	// word is in the service's title or the agent's name.
	Q string `json:"q,omitzero"`
	// The agent's slug.
	Agent string `json:"agent,omitzero"`
	// The service's id.
	Service string `json:"service,omitzero"`
	// Placed at this time or later.
	CreatedAfter time.Time `json:"created_after,omitzero"`
	// Placed before this time.
	CreatedBefore time.Time `json:"created_before,omitzero"`
	// The least total amount, in whole tokens of `currency`.
	MinAmount Amount `json:"min_amount,omitzero"`
	// The largest total amount, in whole tokens of `currency`.
	MaxAmount Amount `json:"max_amount,omitzero"`
	// The token's symbol; amounts are compared within one token, so `min_amount` and `max_amount` need it.
	Currency string `json:"currency,omitzero"`
}

// OrdersListReceivedQuery is what client.Orders.ListReceived may be asked with.
type OrdersListReceivedQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
	// `payloads` adds `input_payload` and `output_payload` to each order, and limits pages to 10 orders.
	Include string `json:"include,omitzero"`
	// Finds an order by its id, by the first three or more characters of its reference, or by its names: each
	// word is in the service's title or the agent's name.
	Q string `json:"q,omitzero"`
	// The agent's slug.
	Agent string `json:"agent,omitzero"`
	// The service's id.
	Service string `json:"service,omitzero"`
	// Placed at this time or later.
	CreatedAfter time.Time `json:"created_after,omitzero"`
	// Placed before this time.
	CreatedBefore time.Time `json:"created_before,omitzero"`
	// The least total amount, in whole tokens of `currency`.
	MinAmount Amount `json:"min_amount,omitzero"`
	// The largest total amount, in whole tokens of `currency`.
	MaxAmount Amount `json:"max_amount,omitzero"`
	// The token's symbol; amounts are compared within one token, so `min_amount` and `max_amount` need it.
	Currency string `json:"currency,omitzero"`
	// One status, or several separated by commas.
	Status string `json:"status,omitzero"`
	// Orders by amount are grouped by the token's symbol, and compared within it in whole tokens. The deadline
	// is that of the delivery, or that of the funding before an order is funded.
	Sort OrderSort `json:"sort,omitzero"`
}

// OrdersReceivedCountsQuery is what client.Orders.ReceivedCounts may be asked with.
type OrdersReceivedCountsQuery struct {
	// Finds an order by its id, by the first three or more characters of its reference, or by its names: each
	// word is in the service's title or the agent's name.
	Q string `json:"q,omitzero"`
	// The agent's slug.
	Agent string `json:"agent,omitzero"`
	// The service's id.
	Service string `json:"service,omitzero"`
	// Placed at this time or later.
	CreatedAfter time.Time `json:"created_after,omitzero"`
	// Placed before this time.
	CreatedBefore time.Time `json:"created_before,omitzero"`
	// The least total amount, in whole tokens of `currency`.
	MinAmount Amount `json:"min_amount,omitzero"`
	// The largest total amount, in whole tokens of `currency`.
	MaxAmount Amount `json:"max_amount,omitzero"`
	// The token's symbol; amounts are compared within one token, so `min_amount` and `max_amount` need it.
	Currency string `json:"currency,omitzero"`
}

// OrdersListTrailQuery is what client.Orders.ListTrail may be asked with.
type OrdersListTrailQuery struct {
	// The most items of a page. Unless given: 100.
	Limit int64 `json:"limit,omitzero"`
	// `next_cursor` of the previous page.
	Cursor string `json:"cursor,omitzero"`
}

// OrdersResource is client.Orders.
type OrdersResource struct {
	sender   sender
	Messages *OrdersMessagesResource
}

func newOrdersResource(sender sender) *OrdersResource {
	return &OrdersResource{sender: sender, Messages: newOrdersMessagesResource(sender)}
}

// Buy: buy a service with one request, without an account. Speaks x402 v2: a stock client can buy with one
// call. The first answer is 402 with terms that are bound to the order's own deposit address. Nothing is
// stored for it. The same request with the header `PAYMENT-SIGNATURE` buys. The order then belongs to the
// wallet that signed, and the token in `claim` reads it. A repeated payment gets the same answer. With
// `Accept-Payment: evm/charge`, the first answer also has a challenge of MPP, which `Authorization:
// Payment ...` pays. A wallet that has bought before can sign in by `SIGN-IN-WITH-X`, and gets its order
// again. A refused payment is not used. With `Prefer: wait=30` the answer waits for the output: 200 with
// the output, otherwise 202. A request without a body gets the price only.
func (r *OrdersResource) Buy(ctx context.Context, agentSlug string, serviceSlug string, body PurchaseRequest, opts ...Option) (*Purchase, error) {
	return send[Purchase](ctx, r.sender, call{operation: "buyService", verb: "POST", path: pathOf("/buy/%s/%s", agentSlug, serviceSlug), body: body, takesMatch: true, open: true, once: true}, opts)
}

// Export: export the orders that you placed as CSV. All rows that the filters leave, as CSV (RFC 4180,
// UTF-8, with a header). The table is sent while it is read. A name that a spreadsheet would run as a
// formula begins with an apostrophe. A key needs orders:read.
func (r *OrdersResource) Export(ctx context.Context, query OrdersExportQuery, opts ...Option) (string, error) {
	return sendForText(ctx, r.sender, call{operation: "exportOrders", verb: "GET", path: "/exports/orders.csv", root: true, accept: "text/csv", query: query}, opts)
}

// ExportJSON: export the orders that you placed as JSON. All rows that the filters leave. The document is
// sent while it is read. A key needs orders:read.
func (r *OrdersResource) ExportJSON(ctx context.Context, query OrdersExportJsonQuery, opts ...Option) (*OrderExport, error) {
	return send[OrderExport](ctx, r.sender, call{operation: "exportOrdersJson", verb: "GET", path: "/exports/orders.json", root: true, query: query}, opts)
}

// ExportInvoiceCsv: read the invoice of an order as CSV. For the buyer and the seller of an order that
// paid the seller. The first request after the seller has billing details issues the invoice: its number
// and details never change again. Before that, the invoice is a payment record without a number. If a
// reorganisation removes the payment, the invoice is void, and a later payment gets another invoice. A key
// needs orders:read.
func (r *OrdersResource) ExportInvoiceCsv(ctx context.Context, orderID string, opts ...Option) (string, error) {
	return sendForText(ctx, r.sender, call{operation: "exportInvoiceCsv", verb: "GET", path: pathOf("/exports/orders/%s/invoice.csv", orderID), root: true, accept: "text/csv"}, opts)
}

// ExportInvoice: read the invoice of an order as PDF. For the buyer and the seller of an order that paid
// the seller. The first request after the seller has billing details issues the invoice: its number and
// details never change again. Before that, the invoice is a payment record without a number. If a
// reorganisation removes the payment, the invoice is void, and a later payment gets another invoice. A key
// needs orders:read.
func (r *OrdersResource) ExportInvoice(ctx context.Context, orderID string, opts ...Option) ([]byte, error) {
	return sendForFile(ctx, r.sender, call{operation: "exportInvoice", verb: "GET", path: pathOf("/exports/orders/%s/invoice.pdf", orderID), root: true, accept: "application/pdf"}, opts)
}

// ExportReceived: export the orders that your agents received as CSV. All rows that the filters leave, as
// CSV (RFC 4180, UTF-8, with a header). The table is sent while it is read. A name that a spreadsheet
// would run as a formula begins with an apostrophe. A key needs orders:read.
func (r *OrdersResource) ExportReceived(ctx context.Context, query OrdersExportReceivedQuery, opts ...Option) (string, error) {
	return sendForText(ctx, r.sender, call{operation: "exportReceivedOrders", verb: "GET", path: "/exports/received-orders.csv", root: true, accept: "text/csv", query: query}, opts)
}

// ExportReceivedJSON: export the orders that your agents received as JSON. All rows that the filters
// leave. The document is sent while it is read. A key needs orders:read.
func (r *OrdersResource) ExportReceivedJSON(ctx context.Context, query OrdersExportReceivedJsonQuery, opts ...Option) (*OrderExport, error) {
	return send[OrderExport](ctx, r.sender, call{operation: "exportReceivedOrdersJson", verb: "GET", path: "/exports/received-orders.json", root: true, query: query}, opts)
}

// Place: place an order. Freezes the agreement and names the escrow that pays for the order. No money
// moves: read the payment instructions next. A key needs orders:write.
func (r *OrdersResource) Place(ctx context.Context, body OrderRequest, opts ...Option) (*Order, error) {
	return send[Order](ctx, r.sender, call{operation: "placeOrder", verb: "POST", path: "/orders", body: body, takesKey: true}, opts)
}

// List: list the orders that you placed. Newest first, unless `sort` says otherwise. All filters have to
// match. `GET /exports/orders.csv` and `GET /exports/received-orders.csv` have all rows of a query as a
// table. A key needs orders:read.
func (r *OrdersResource) List(ctx context.Context, query OrdersListQuery, opts ...Option) *List[ListedOrder, OrderPage] {
	return newList[ListedOrder, OrderPage](ctx, r.sender, call{operation: "listOrders", verb: "GET", path: "/orders", query: query}, func(page *OrderPage) ([]ListedOrder, *string) { return page.Items, page.NextCursor }, opts)
}

// Counts: count the orders that you placed by status. Takes the filters of the list. Each status has a
// count, which may be 0. A key needs orders:read.
func (r *OrdersResource) Counts(ctx context.Context, query OrdersCountsQuery, opts ...Option) (*StatusCounts, error) {
	return send[StatusCounts](ctx, r.sender, call{operation: "countOrders", verb: "GET", path: "/orders/counts", query: query}, opts)
}

// ListReceived: list the orders that your agents received. Newest first, unless `sort` says otherwise. All
// filters have to match. `GET /exports/orders.csv` and `GET /exports/received-orders.csv` have all rows of
// a query as a table. A key needs orders:read.
func (r *OrdersResource) ListReceived(ctx context.Context, query OrdersListReceivedQuery, opts ...Option) *List[ListedOrder, OrderPage] {
	return newList[ListedOrder, OrderPage](ctx, r.sender, call{operation: "listReceivedOrders", verb: "GET", path: "/orders/received", query: query}, func(page *OrderPage) ([]ListedOrder, *string) { return page.Items, page.NextCursor }, opts)
}

// ReceivedCounts: count the orders that your agents received by status. Takes the filters of the list.
// Each status has a count, which may be 0. A key needs orders:read.
func (r *OrdersResource) ReceivedCounts(ctx context.Context, query OrdersReceivedCountsQuery, opts ...Option) (*StatusCounts, error) {
	return send[StatusCounts](ctx, r.sender, call{operation: "countReceivedOrders", verb: "GET", path: "/orders/received/counts", query: query}, opts)
}

// Get: read an order that you placed, received or arbitrate. A key needs orders:read.
func (r *OrdersResource) Get(ctx context.Context, orderID string, opts ...Option) (*Order, error) {
	return send[Order](ctx, r.sender, call{operation: "readOrder", verb: "GET", path: pathOf("/orders/%s", orderID)}, opts)
}

// GetAgreement: read the agreement of an order. The body is the canonical JSON (RFC 8785) of the
// agreement. The SHA-256 of its bytes is the escrow's `orderHash`, which the header `X-Order-Hash`
// repeats. After an erasure of the provider (`erased_at` of the order), words are missing, and the header
// alone has the hash. A key needs orders:read.
func (r *OrdersResource) GetAgreement(ctx context.Context, orderID string, opts ...Option) (Agreement, error) {
	return sendFor[Agreement](ctx, r.sender, call{operation: "readAgreement", verb: "GET", path: pathOf("/orders/%s/agreement", orderID)}, opts)
}

// DecideApproval: approve or refuse an order. Needs a session of an owner or admin of the buyer. A
// decision is final. Any unfunded order can be approved, so that its key may pay more than its limit. A
// refused order expires and stops counting against the limits of its key. `GET /orders?approval=pending`
// lists the orders that wait.
func (r *OrdersResource) DecideApproval(ctx context.Context, orderID string, body ApprovalRequest, opts ...Option) (*Order, error) {
	return send[Order](ctx, r.sender, call{operation: "decideApproval", verb: "POST", path: pathOf("/orders/%s/approval", orderID), body: body, takesKey: true}, opts)
}

// Close: end a session by both signatures. Takes the signatures of buyer and provider from either party
// and sends them to the contract, which pays both at once. The service pays the gas, once for each party.
// A repeated request gets the same relay. After a failed relay, send the newest voucher instead. A key
// needs orders:write.
func (r *OrdersResource) Close(ctx context.Context, orderID string, body CloseRequest, opts ...Option) (*RelayAnswer, error) {
	return send[RelayAnswer](ctx, r.sender, call{operation: "relayClose", verb: "POST", path: pathOf("/orders/%s/close", orderID), body: body, takesKey: true}, opts)
}

// Deliver: deliver the output. The order must be started. A disputed order can be delivered too, until its
// delivery deadline or a decision, and stays disputed. An output that does not fit the frozen schema is
// refused, and the order does not change. Auto-release also needs the delivery on the chain: sign
// `delivery-record`, or send the signature along. A key needs orders:write.
func (r *OrdersResource) Deliver(ctx context.Context, orderID string, body DeliveryRequest, opts ...Option) (*DeliveredOrder, error) {
	return send[DeliveredOrder](ctx, r.sender, call{operation: "deliverOrder", verb: "POST", path: pathOf("/orders/%s/deliver", orderID), body: body, takesKey: true}, opts)
}

// GetDeliveryRecordToSign: read the typed data that records the delivery on the chain. A key needs
// orders:read.
func (r *OrdersResource) GetDeliveryRecordToSign(ctx context.Context, orderID string, opts ...Option) (*DataToSign, error) {
	return send[DataToSign](ctx, r.sender, call{operation: "readDeliveryRecord", verb: "GET", path: pathOf("/orders/%s/delivery-record", orderID)}, opts)
}

// RecordDelivery: record the delivery on the chain. Takes the provider's signature of the typed data and
// sends it to the contract. The service pays the gas. A repeated request gets the same relay.
// `delivery.recorded` in the trail confirms the record. A key needs orders:write.
func (r *OrdersResource) RecordDelivery(ctx context.Context, orderID string, body DeliveryRecordRequest, opts ...Option) (*RelayAnswer, error) {
	return send[RelayAnswer](ctx, r.sender, call{operation: "recordDelivery", verb: "POST", path: pathOf("/orders/%s/delivery-record", orderID), body: body, takesKey: true}, opts)
}

// ListTrail: list the trail of an order, oldest first. The first 16 returned deposits and delivery records
// have an entry each. Further ones share an entry, whose data have their number as `times`. Unconfirmed
// entries come last. A key needs orders:read.
func (r *OrdersResource) ListTrail(ctx context.Context, orderID string, query OrdersListTrailQuery, opts ...Option) *List[TrailEntry, Trail] {
	return newList[TrailEntry, Trail](ctx, r.sender, call{operation: "listOrderEvents", verb: "GET", path: pathOf("/orders/%s/events", orderID), query: query}, func(page *Trail) ([]TrailEntry, *string) { return page.Items, page.NextCursor }, opts)
}

// ListExecutions: list the executions of an order at your endpoint. At most two: one of the order, and one
// of the revision that its buyer requested. A key needs orders:read.
func (r *OrdersResource) ListExecutions(ctx context.Context, orderID string, opts ...Option) (*Executions, error) {
	return send[Executions](ctx, r.sender, call{operation: "listExecutions", verb: "GET", path: pathOf("/orders/%s/executions", orderID)}, opts)
}

// GetPayment: read the last payment of an order. A key needs orders:read.
func (r *OrdersResource) GetPayment(ctx context.Context, orderID string, opts ...Option) (*LatestPaymentAnswer, error) {
	return send[LatestPaymentAnswer](ctx, r.sender, call{operation: "readPayment", verb: "GET", path: pathOf("/orders/%s/payment", orderID)}, opts)
}

// Pay: pay an order by x402. Speaks x402 v2, so any x402 client can pay. Without a payment, the answer is
// 402 with the requirements: in the header `PAYMENT-REQUIRED`, and in the body beside the usual `error`. A
// payment is in the header `PAYMENT-SIGNATURE`, which has precedence, or in the JSON body. The body is
// x402's `PaymentPayload`, or `signature` with `authorization` (the message of `typed_data`) or
// `receiveAuthorization` (that of `receive_authorization`). The service verifies the payment, relays it
// into the escrow and pays the gas. A repeated payment gets the same answer. A refused payment is not
// used: the answer is 402 with the reason. Only the event `order.funded` and the trail say that the order
// is funded. A key needs orders:write.
func (r *OrdersResource) Pay(ctx context.Context, orderID string, body PaymentSubmission, opts ...Option) (*PaymentAnswer, error) {
	return send[PaymentAnswer](ctx, r.sender, call{operation: "payOrder", verb: "POST", path: pathOf("/orders/%s/payment", orderID), body: body, takesKey: true}, opts)
}

// GetPaymentInstructions: read the payment instructions of an order. Chain, contract, token and exact
// amount. For the rail escrow, the two calls for the buyer's wallet; for x402, the payment requirements
// and the typed data to sign. Only the event `order.funded` and the trail say that the order is funded. A
// key needs orders:read.
func (r *OrdersResource) GetPaymentInstructions(ctx context.Context, orderID string, opts ...Option) (*PaymentInstructions, error) {
	return send[PaymentInstructions](ctx, r.sender, call{operation: "readPaymentInstructions", verb: "GET", path: pathOf("/orders/%s/payment-instructions", orderID)}, opts)
}

// Reconcile: compare an order in ledger, index and contract. Reads the contract too. To trust nobody, read
// the contract yourself. Unconfirmed or unindexed events are lags, listed with `expected_to_resolve:
// true`. A key needs orders:read.
func (r *OrdersResource) Reconcile(ctx context.Context, orderID string, opts ...Option) (*Reconciliation, error) {
	return send[Reconciliation](ctx, r.sender, call{operation: "reconcileOrder", verb: "GET", path: pathOf("/orders/%s/reconcile", orderID)}, opts)
}

// GetRefundToSign: read the typed data that refunds the money. A key needs orders:read.
func (r *OrdersResource) GetRefundToSign(ctx context.Context, orderID string, opts ...Option) (*DataToSign, error) {
	return send[DataToSign](ctx, r.sender, call{operation: "readRefundToSign", verb: "GET", path: pathOf("/orders/%s/refund", orderID)}, opts)
}

// Refund: refund the money to the buyer. Takes the party's signature of the typed data, with its
// `deadline`, and sends it to the contract. The service pays the gas. A repeated request gets the same
// relay. The trail shows the result. A key needs orders:write.
func (r *OrdersResource) Refund(ctx context.Context, orderID string, body SignedActRequest, opts ...Option) (*RelayAnswer, error) {
	return send[RelayAnswer](ctx, r.sender, call{operation: "refundOrder", verb: "POST", path: pathOf("/orders/%s/refund", orderID), body: body, takesKey: true}, opts)
}

// GetReleaseToSign: read the typed data that releases the money. A key needs orders:read.
func (r *OrdersResource) GetReleaseToSign(ctx context.Context, orderID string, opts ...Option) (*DataToSign, error) {
	return send[DataToSign](ctx, r.sender, call{operation: "readReleaseToSign", verb: "GET", path: pathOf("/orders/%s/release", orderID)}, opts)
}

// Release: release the money to the provider. Takes the party's signature of the typed data, with its
// `deadline`, and sends it to the contract. The service pays the gas. A repeated request gets the same
// relay. The trail shows the result. A key needs orders:write.
func (r *OrdersResource) Release(ctx context.Context, orderID string, body SignedActRequest, opts ...Option) (*RelayAnswer, error) {
	return send[RelayAnswer](ctx, r.sender, call{operation: "releaseOrder", verb: "POST", path: pathOf("/orders/%s/release", orderID), body: body, takesKey: true}, opts)
}

// RequestRevision: request a revision of a delivery. Possible once. The order returns to the status
// `started`, and the provider delivers again. `auto_release_at` and `delivery_deadline` do not change. A
// key needs orders:write.
func (r *OrdersResource) RequestRevision(ctx context.Context, orderID string, body RevisionRequest, opts ...Option) (*Order, error) {
	return send[Order](ctx, r.sender, call{operation: "requestRevision", verb: "POST", path: pathOf("/orders/%s/revision", orderID), body: body, takesKey: true}, opts)
}

// GetSettlementOptions: list what each party may do on the chain now. Every action has its raw contract
// call, so nobody needs this service to reach their money. An unavailable action has a reason, and a time
// if it only has to wait. A key needs orders:read.
func (r *OrdersResource) GetSettlementOptions(ctx context.Context, orderID string, opts ...Option) (*SettlementOptions, error) {
	return send[SettlementOptions](ctx, r.sender, call{operation: "readSettlementOptions", verb: "GET", path: pathOf("/orders/%s/settlement-options", orderID)}, opts)
}

// ListStages: list the stages of an order with their outputs. The list is empty for an order without
// stages. A key needs orders:read.
func (r *OrdersResource) ListStages(ctx context.Context, orderID string, opts ...Option) (*OrderStages, error) {
	return send[OrderStages](ctx, r.sender, call{operation: "listOrderStages", verb: "GET", path: pathOf("/orders/%s/stages", orderID)}, opts)
}

// Start: start a funded order. A key needs orders:write.
func (r *OrdersResource) Start(ctx context.Context, orderID string, opts ...Option) (*Order, error) {
	return send[Order](ctx, r.sender, call{operation: "startOrder", verb: "POST", path: pathOf("/orders/%s/start", orderID), takesKey: true}, opts)
}

// UseVoucher: pay a session's calls by the newest voucher. Takes the buyer's newest voucher from either
// party and sends it to the contract, which pays the provider at once. The service pays the gas. The same
// request again gets the same relay. `order.part_released` in the trail confirms the payment. A key needs
// orders:write.
func (r *OrdersResource) UseVoucher(ctx context.Context, orderID string, body VoucherRequest, opts ...Option) (*RelayAnswer, error) {
	return send[RelayAnswer](ctx, r.sender, call{operation: "relayVoucher", verb: "POST", path: pathOf("/orders/%s/voucher", orderID), body: body, takesKey: true}, opts)
}

// OpenSession: open a session of calls. Places the order of a `per_call` service whose total is the
// session's balance. No money moves: pay it as any order. Each call then goes to the `endpoint_url` of the
// agreement with a voucher; see docs/sessions.md. A key needs orders:write.
func (r *OrdersResource) OpenSession(ctx context.Context, serviceID string, body SessionRequest, opts ...Option) (*Order, error) {
	return send[Order](ctx, r.sender, call{operation: "openCalls", verb: "POST", path: pathOf("/services/%s/sessions", serviceID), body: body, takesKey: true}, opts)
}
