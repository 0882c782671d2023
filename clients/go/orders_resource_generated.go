// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// OrdersListQuery is what client.Orders.List may be asked with.
type OrdersListQuery struct {
	// Items on a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// Items to leave out from the start. Not together with cursor. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the page before, under the same query.
	Cursor string `json:"cursor,omitzero"`
	// `payloads` gives each order's `input_payload` and `output_payload`, and pages of at most 10.
	Include string      `json:"include,omitzero"`
	Status  OrderStatus `json:"status,omitzero"`
	// `pending`: only those that wait for an owner or admin.
	Approval string `json:"approval,omitzero"`
}

// OrdersListReceivedQuery is what client.Orders.ListReceived may be asked with.
type OrdersListReceivedQuery struct {
	// Items on a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// Items to leave out from the start. Not together with cursor. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the page before, under the same query.
	Cursor string `json:"cursor,omitzero"`
	// `payloads` gives each order's `input_payload` and `output_payload`, and pages of at most 10.
	Include string      `json:"include,omitzero"`
	Status  OrderStatus `json:"status,omitzero"`
}

// OrdersListTrailQuery is what client.Orders.ListTrail may be asked with.
type OrdersListTrailQuery struct {
	// Items on a page. Unless given: 100.
	Limit int64 `json:"limit,omitzero"`
	// `next_cursor` of the page before.
	Cursor string `json:"cursor,omitzero"`
}

// OrdersResource is client.Orders.
type OrdersResource struct {
	sender sender
}

func newOrdersResource(sender sender) *OrdersResource {
	return &OrdersResource{sender: sender}
}

// Buy: buy a service by one request, without an account. Speaks x402 v2: a stock client buys by calling
// this once. The first answer is 402 with terms that are bound to the order's own deposit address; nothing
// is written down for it. The same request with the header `PAYMENT-SIGNATURE` buys: the order is then
// that of the wallet that signed, and the token of `claim` reads it. The same payment again gets the same
// answer. A refused payment was not used. With `Prefer: wait=30` the answer waits for the output: 200
// where it came, else 202. A request without a body is told the price alone.
func (r *OrdersResource) Buy(ctx context.Context, agentSlug string, serviceSlug string, body PurchaseRequest, opts ...Option) (*Purchase, error) {
	return send[Purchase](ctx, r.sender, call{operation: "buyService", verb: "POST", path: pathOf("/buy/%s/%s", agentSlug, serviceSlug), body: body, takesMatch: true, open: true, once: true}, opts)
}

// Place: place an order. Freezes what is agreed and names the escrow that would pay for it. No money
// moves: read the payment instructions next. A key needs orders:write.
func (r *OrdersResource) Place(ctx context.Context, body OrderRequest, opts ...Option) (*Order, error) {
	return send[Order](ctx, r.sender, call{operation: "placeOrder", verb: "POST", path: "/orders", body: body, takesKey: true}, opts)
}

// List: the orders you placed, newest first. A key needs orders:read.
func (r *OrdersResource) List(ctx context.Context, query OrdersListQuery, opts ...Option) *List[ListedOrder, OrderPage] {
	return newList[ListedOrder, OrderPage](ctx, r.sender, call{operation: "listOrders", verb: "GET", path: "/orders", query: query}, func(page *OrderPage) ([]ListedOrder, *string) { return page.Items, page.NextCursor }, opts)
}

// ListReceived: the orders your agents received, newest first. A key needs orders:read.
func (r *OrdersResource) ListReceived(ctx context.Context, query OrdersListReceivedQuery, opts ...Option) *List[ListedOrder, OrderPage] {
	return newList[ListedOrder, OrderPage](ctx, r.sender, call{operation: "listReceivedOrders", verb: "GET", path: "/orders/received", query: query}, func(page *OrderPage) ([]ListedOrder, *string) { return page.Items, page.NextCursor }, opts)
}

// Get: an order you placed or received, or arbitrate. A key needs orders:read.
func (r *OrdersResource) Get(ctx context.Context, orderID string, opts ...Option) (*Order, error) {
	return send[Order](ctx, r.sender, call{operation: "readOrder", verb: "GET", path: pathOf("/orders/%s", orderID)}, opts)
}

// GetAgreement: what was agreed when the order was placed. The body is the canonical JSON (RFC 8785) of
// the document: the SHA-256 of its bytes is the escrow's `orderHash`, which the header `X-Order-Hash`
// repeats. A key needs orders:read.
func (r *OrdersResource) GetAgreement(ctx context.Context, orderID string, opts ...Option) (Agreement, error) {
	return sendFor[Agreement](ctx, r.sender, call{operation: "readAgreement", verb: "GET", path: pathOf("/orders/%s/agreement", orderID)}, opts)
}

// DecideApproval: approve or refuse an order that waits for you. By a session of an owner or admin of the
// buyer; a decision stands. An unfunded order that waits for nobody can be approved too, so that a key
// pays it that may not by itself. A refused one counts no more against its key, and expires. `GET
// /orders?approval=pending` lists those that wait.
func (r *OrdersResource) DecideApproval(ctx context.Context, orderID string, body ApprovalRequest, opts ...Option) (*Order, error) {
	return send[Order](ctx, r.sender, call{operation: "decideApproval", verb: "POST", path: pathOf("/orders/%s/approval", orderID), body: body, takesKey: true}, opts)
}

// Deliver: deliver the output. A started order takes it; so does a disputed one until its delivery
// deadline or a decision, and stays disputed. Refused, with the order as it was, if the output does not
// satisfy the schema that was frozen with the order. Auto-release needs the delivery on the chain as well:
// sign `delivery-record`, or send the signature along. A key needs orders:write.
func (r *OrdersResource) Deliver(ctx context.Context, orderID string, body DeliveryRequest, opts ...Option) (*DeliveredOrder, error) {
	return send[DeliveredOrder](ctx, r.sender, call{operation: "deliverOrder", verb: "POST", path: pathOf("/orders/%s/deliver", orderID), body: body, takesKey: true}, opts)
}

// GetDeliveryRecordToSign: what the provider signs to record the delivery on the chain. A key needs
// orders:read.
func (r *OrdersResource) GetDeliveryRecordToSign(ctx context.Context, orderID string, opts ...Option) (*DataToSign, error) {
	return send[DataToSign](ctx, r.sender, call{operation: "readDeliveryRecord", verb: "GET", path: pathOf("/orders/%s/delivery-record", orderID)}, opts)
}

// RecordDelivery: have the delivery recorded on the chain. Takes the provider's signature of the typed
// data and sends it; the service pays the gas. The same request again gives the same relay. That it is
// recorded is known by the trail's `delivery.recorded`. A key needs orders:write.
func (r *OrdersResource) RecordDelivery(ctx context.Context, orderID string, body DeliveryRecordRequest, opts ...Option) (*RelayAnswer, error) {
	return send[RelayAnswer](ctx, r.sender, call{operation: "recordDelivery", verb: "POST", path: pathOf("/orders/%s/delivery-record", orderID), body: body, takesKey: true}, opts)
}

// ListTrail: the order's trail, oldest first. An entry whose data have `times` stands for so many of its
// kind: returns of deposits and records of deliveries are told one by one 16 times, and counted then. What
// is not confirmed comes last. A key needs orders:read.
func (r *OrdersResource) ListTrail(ctx context.Context, orderID string, query OrdersListTrailQuery, opts ...Option) *List[TrailEntry, Trail] {
	return newList[TrailEntry, Trail](ctx, r.sender, call{operation: "listOrderEvents", verb: "GET", path: pathOf("/orders/%s/events", orderID), query: query}, func(page *Trail) ([]TrailEntry, *string) { return page.Items, page.NextCursor }, opts)
}

// ListExecutions: the tries to have the order executed at your endpoint. At most two: of the order, and of
// the changes that its buyer asked for. A key needs orders:read.
func (r *OrdersResource) ListExecutions(ctx context.Context, orderID string, opts ...Option) (*Executions, error) {
	return send[Executions](ctx, r.sender, call{operation: "listExecutions", verb: "GET", path: pathOf("/orders/%s/executions", orderID)}, opts)
}

// GetPayment: what became of the payment that was handed in last. A key needs orders:read.
func (r *OrdersResource) GetPayment(ctx context.Context, orderID string, opts ...Option) (*LatestPaymentAnswer, error) {
	return send[LatestPaymentAnswer](ctx, r.sender, call{operation: "readPayment", verb: "GET", path: pathOf("/orders/%s/payment", orderID)}, opts)
}

// Pay: pay an order by x402. Speaks x402 v2, so any stock client pays here. Without a payment the answer
// is 402 with what to pay, in the header `PAYMENT-REQUIRED` and in the body, beside the `error` that every
// refusal has. A payment comes in the header `PAYMENT-SIGNATURE` (looked at first) or as the JSON body:
// x402's `PaymentPayload`, or only `signature` with `authorization` (the message of `typed_data`) or
// `receiveAuthorization` (that of `receive_authorization`). It is verified and relayed into the escrow;
// the service pays the gas. The same payment again gets the same answer. A refused one was not used: the
// answer is 402 with the reason. That the order is funded is known by the event `order.funded` and the
// trail. A key needs orders:write.
func (r *OrdersResource) Pay(ctx context.Context, orderID string, body PaymentSubmission, opts ...Option) (*PaymentAnswer, error) {
	return send[PaymentAnswer](ctx, r.sender, call{operation: "payOrder", verb: "POST", path: pathOf("/orders/%s/payment", orderID), body: body, takesKey: true}, opts)
}

// GetPaymentInstructions: how the order is paid. Chain, contract, token and exact amount, and by the
// order's rail the two calls for the buyer's wallet, or what x402 asks for and the typed data to sign.
// That the order is funded is known by the event `order.funded` and the trail, never from here. A key
// needs orders:read.
func (r *OrdersResource) GetPaymentInstructions(ctx context.Context, orderID string, opts ...Option) (*PaymentInstructions, error) {
	return send[PaymentInstructions](ctx, r.sender, call{operation: "readPaymentInstructions", verb: "GET", path: pathOf("/orders/%s/payment-instructions", orderID)}, opts)
}

// Reconcile: whether ledger, index and contract agree on the order. Reads the contract itself, so that
// nothing has to be believed. What is not confirmed or not indexed yet is a lag and listed with
// `expected_to_resolve: true`. A key needs orders:read.
func (r *OrdersResource) Reconcile(ctx context.Context, orderID string, opts ...Option) (*Reconciliation, error) {
	return send[Reconciliation](ctx, r.sender, call{operation: "reconcileOrder", verb: "GET", path: pathOf("/orders/%s/reconcile", orderID)}, opts)
}

// GetRefundToSign: what the provider signs to refund the money. A key needs orders:read.
func (r *OrdersResource) GetRefundToSign(ctx context.Context, orderID string, opts ...Option) (*DataToSign, error) {
	return send[DataToSign](ctx, r.sender, call{operation: "readRefundToSign", verb: "GET", path: pathOf("/orders/%s/refund", orderID)}, opts)
}

// Refund: have the money refunded to the buyer. Takes the party's signature of the typed data, with its
// `deadline`, and sends it; the service pays the gas. The same request again gives the same relay. What
// became of it is in the trail. A key needs orders:write.
func (r *OrdersResource) Refund(ctx context.Context, orderID string, body SignedActRequest, opts ...Option) (*RelayAnswer, error) {
	return send[RelayAnswer](ctx, r.sender, call{operation: "refundOrder", verb: "POST", path: pathOf("/orders/%s/refund", orderID), body: body, takesKey: true}, opts)
}

// GetReleaseToSign: what the buyer signs to release the money. A key needs orders:read.
func (r *OrdersResource) GetReleaseToSign(ctx context.Context, orderID string, opts ...Option) (*DataToSign, error) {
	return send[DataToSign](ctx, r.sender, call{operation: "readReleaseToSign", verb: "GET", path: pathOf("/orders/%s/release", orderID)}, opts)
}

// Release: have the money released to the provider. Takes the party's signature of the typed data, with
// its `deadline`, and sends it; the service pays the gas. The same request again gives the same relay.
// What became of it is in the trail. A key needs orders:write.
func (r *OrdersResource) Release(ctx context.Context, orderID string, body SignedActRequest, opts ...Option) (*RelayAnswer, error) {
	return send[RelayAnswer](ctx, r.sender, call{operation: "releaseOrder", verb: "POST", path: pathOf("/orders/%s/release", orderID), body: body, takesKey: true}, opts)
}

// RequestRevision: ask once for changes after a delivery. The order is started again and the provider
// delivers again. `auto_release_at` and `delivery_deadline` stay as they are. A key needs orders:write.
func (r *OrdersResource) RequestRevision(ctx context.Context, orderID string, body RevisionRequest, opts ...Option) (*Order, error) {
	return send[Order](ctx, r.sender, call{operation: "requestRevision", verb: "POST", path: pathOf("/orders/%s/revision", orderID), body: body, takesKey: true}, opts)
}

// GetSettlementOptions: what each party may do on the chain now. Every action with its raw contract call,
// so that nobody needs this service to reach their money; what is not available says why and, where only
// time is missing, from when. A key needs orders:read.
func (r *OrdersResource) GetSettlementOptions(ctx context.Context, orderID string, opts ...Option) (*SettlementOptions, error) {
	return send[SettlementOptions](ctx, r.sender, call{operation: "readSettlementOptions", verb: "GET", path: pathOf("/orders/%s/settlement-options", orderID)}, opts)
}

// Start: begin work on a funded order. A key needs orders:write.
func (r *OrdersResource) Start(ctx context.Context, orderID string, opts ...Option) (*Order, error) {
	return send[Order](ctx, r.sender, call{operation: "startOrder", verb: "POST", path: pathOf("/orders/%s/start", orderID), takesKey: true}, opts)
}
