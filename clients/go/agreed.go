package earnest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/earnest-market/earnest-go/settlement"
)

// ErrNotAsAgreed means that the order that the service shows differs from the request or from the order's agreement.
// Nothing was signed or sent. The error is a *NotAsAgreedError.
var ErrNotAsAgreed = errors.New("earnest: the order differs from the request; nothing was signed")

// NotAsAgreedError names what differs.
type NotAsAgreedError struct {
	OrderID string
	// Field is the path of the field, such as agreement.provider or payment_instructions.calls[1].data.
	Field string
	// Expected and Found are JSON texts.
	Expected string
	Found    string
}

func (e *NotAsAgreedError) Error() string {
	return fmt.Sprintf("earnest: %s: %s is %s, expected %s; nothing was signed", e.OrderID, e.Field, e.Found, e.Expected)
}

// Is reports whether the target is ErrNotAsAgreed.
func (e *NotAsAgreedError) Is(target error) bool { return target == ErrNotAsAgreed }

// comparison compares one field after the other, and keeps the first that differs.
type comparison struct {
	orderID string
	err     error
}

// same compares two values by their JSON.
func (c *comparison) same(field string, expected, found any) {
	want, err := json.Marshal(expected)
	got, problem := json.Marshal(found)
	if err = errors.Join(err, problem); err != nil {
		c.fail(err)
	} else if string(want) != string(got) {
		c.fail(&NotAsAgreedError{OrderID: c.orderID, Field: field, Expected: string(want), Found: string(got)})
	}
}

func (c *comparison) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// agreedOrder is an order with its agreement and the recomputed destination of its money.
type agreedOrder struct {
	settlement.Escrow
	id string
	// document has the members of the agreement. A number is a json.Number.
	document map[string]any
}

func (a *agreedOrder) text(name string) string {
	text, _ := a.document[name].(string)
	return text
}

// readAgreed reads an order's agreement, and compares the order that the service shows with the agreement.
func (c *Client) readAgreed(ctx context.Context, order *Order, opts []Option) (*agreedOrder, error) {
	document, err := c.Orders.GetAgreement(ctx, order.ID, opts...)
	if err != nil {
		return nil, err
	}
	agreed, err := readAgreement(order.ID, document)
	if err != nil {
		return nil, err
	}
	return agreed, agreed.compareOrder(order)
}

// readAgreement reads an agreement, and recomputes where its money goes.
func readAgreement(orderID string, document JSON) (*agreedOrder, error) {
	escrow, err := settlement.ReadAgreement(document)
	if err != nil {
		return nil, &NotAsAgreedError{OrderID: orderID, Field: "agreement", Expected: "an agreement", Found: err.Error()}
	}
	agreed := &agreedOrder{Escrow: *escrow, id: orderID}
	return agreed, document.Decode(&agreed.document)
}

// compareOrder compares the order that the service shows with the agreement.
func (a *agreedOrder) compareOrder(order *Order) error {
	compare, terms := comparison{orderID: order.ID}, a.Terms
	compare.same("agreement.order_id", order.ID, a.document["order_id"])
	compare.same("order.service_id", a.document["service_id"], order.ServiceID)
	compare.same("order.agent_id", a.document["agent_id"], order.AgentID)
	compare.same("order.quantity", a.document["quantity"], order.Quantity)
	compare.same("order.buyer_address", terms.Buyer, order.BuyerAddress)
	compare.same("order.provider_address", terms.Provider, order.ProviderAddress)
	compare.same("order.arbiter", terms.Arbiter, order.Arbiter)
	compare.same("order.total_amount_base_units", terms.Amount.String(), order.TotalAmountBaseUnits)
	compare.same("order.funding_deadline", time.Unix(int64(terms.FundBy), 0).UTC(), order.FundingDeadline.UTC())
	compare.same("order.escrow.chain_id", a.ChainID, order.Escrow.ChainID)
	compare.same("order.escrow.contract_address", a.Contract, order.Escrow.ContractAddress)
	compare.same("order.escrow.escrow_id", a.ID(), order.Escrow.EscrowID)
	compare.same("order.escrow.deposit_address", a.DepositAddress(), order.Escrow.DepositAddress)
	return compare.err
}

// asked is what the buyer requested.
type asked struct {
	serviceID string
	options   BuyOptions
	// quoted is the price of a quote, in place of the service's.
	quoted *Amount
}

// compareAsked compares the agreement with the request and with the public service: schemas, input, token, price, provider,
// arbiter, windows. The caller knows the decimals of the order's token.
func (a *agreedOrder) compareAsked(service *Service, agent *Agent, decimals int, request asked) error {
	serviceID, options := request.serviceID, request.options
	input, err := digestOf(options.Input)
	if err != nil {
		return err
	}
	inputSchema, problem := digestOf(service.InputSchema)
	outputSchema, another := digestOf(service.OutputSchema)
	if err := errors.Join(problem, another); err != nil {
		return err
	}
	quantity := options.Quantity
	if quantity == 0 {
		quantity = defaultQuantity(service)
	}
	accepted, err := a.findAccepted(service)
	if err != nil {
		return err
	}
	price, err := a.priceIn(service, decimals, request.quoted)
	if err != nil {
		return err
	}
	isSession, acceptance := service.PricingModel == PricingModelPerCall, accepted.AcceptanceHours*3600
	if isSession {
		acceptance = settlement.VouchersOnly
	}
	compare := comparison{orderID: a.id}
	compare.same("agreement.service_id", serviceID, a.document["service_id"])
	for _, one := range []struct {
		name     string
		expected any
	}{
		{"agent_id", service.Agent.ID}, {"agent_slug", service.Agent.Slug}, {"service_id", service.ID}, {"service_slug", service.Slug},
		{"service_title", service.Title}, {"pricing_model", service.PricingModel}, {"input_schema_digest", inputSchema},
		{"output_schema_digest", outputSchema}, {"input_digest", input}, {"quantity", quantity},
		{"unit_price_base_units", price.String()},
		{"amount_base_units", new(big.Int).Mul(price, big.NewInt(quantity)).String()},
		{"provider", agent.PayoutWallet}, {"delivery_window_seconds", service.DeliveryTimeHours * 3600},
		{"acceptance_window_seconds", acceptance},
	} {
		compare.same("agreement."+one.name, one.expected, a.document[one.name])
	}
	if session := service.Session; session != nil {
		compare.same("agreement.endpoint_url", session.EndpointURL, a.document["endpoint_url"])
		compare.same("agreement.session_key", session.SessionKey, a.document["session_key"])
	}
	switch {
	case isSession:
		// A session has no disputes.
		compare.same("agreement.arbiter", settlement.Address{}, a.Terms.Arbiter)
	case options.Arbiter == "":
		compare.acceptedArbiter(a.Terms.Arbiter, accepted.Arbiters)
	default:
		compare.address("agreement.arbiter", options.Arbiter, a.Terms.Arbiter)
	}
	if compare.err != nil {
		return compare.err
	}
	return a.compareStages(service.Stages, decimals)
}

// defaultQuantity is the quantity of an order that names none.
func defaultQuantity(service *Service) int64 {
	if isMeasured(service) && service.MaxQuantity != nil {
		return *service.MaxQuantity
	}
	return service.MinQuantity
}

// isMeasured reports whether the quantity of an order is the most that may be charged, and the rest comes back.
func isMeasured(service *Service) bool {
	return service.PricingModel == PricingModelMetered || service.PricingModel == PricingModelPerCall
}

// readService reads the public form of the service and of its agent, without a token.
func (c *Client) readService(ctx context.Context, agentSlug, slug string, opts []Option) (*Service, *Agent, error) {
	at := pathOf("/agents/%s/services/%s", agentSlug, slug)
	service, err := send[Service](ctx, c.sender, call{operation: "readService", verb: "GET", path: at, open: true}, opts)
	if err != nil {
		return nil, nil, err
	}
	at = pathOf("/agents/%s", agentSlug)
	agent, err := send[Agent](ctx, c.sender, call{operation: "readAgent", verb: "GET", path: at, open: true}, opts)
	return service, agent, err
}

// acceptedArbiter returns the accepted arbiter. An order has an arbiter unless the caller chose none.
func (c *comparison) acceptedArbiter(found settlement.Address, accepted []string) {
	if (found == settlement.Address{} || !slices.Contains(accepted, found.String())) {
		c.fail(&NotAsAgreedError{
			OrderID: c.orderID, Field: "agreement.arbiter", Expected: fmt.Sprintf("one of %v", accepted), Found: found.String(),
		})
	}
}

// address compares with an address of the caller, in any case of letters. A malformed address is the caller's error.
func (c *comparison) address(field, expected string, found settlement.Address) {
	want, err := parseAddress(expected)
	if err != nil {
		c.fail(err)
		return
	}
	c.same(field, want, found)
}

// compareResumed compares an order that was placed before with the options of this purchase.
func (a *agreedOrder) compareResumed(serviceID string, options BuyOptions) error {
	compare := comparison{orderID: a.id}
	if serviceID != "" {
		compare.same("agreement.service_id", serviceID, a.document["service_id"])
	}
	if options.Quantity != 0 {
		compare.same("agreement.quantity", options.Quantity, a.document["quantity"])
	}
	if options.Arbiter != "" {
		compare.address("agreement.arbiter", options.Arbiter, a.Terms.Arbiter)
	}
	if options.Input == nil {
		// A caller that resumes an order may not have the order's input.
		return compare.err
	}
	digest, err := digestOf(options.Input)
	if err != nil {
		return err
	}
	compare.same("agreement.input_digest", digest, a.document["input_digest"])
	return compare.err
}

// digestOf returns the digest of a value's canonical JSON, or nil without a value.
func digestOf(value any) (*string, error) {
	if raw, isRaw := value.(JSON); value == nil || (isRaw && raw == nil) {
		return nil, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("earnest: %T: %w", value, err)
	}
	digest, err := settlement.DigestOf(text)
	if err != nil {
		return nil, err
	}
	written := digest.String()
	return &written, nil
}
