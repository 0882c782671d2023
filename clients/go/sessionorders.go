package earnest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	// quietPause and wokenPause are between two reads of the feed: while nobody asks, and if somebody calls an unknown session. So
	// any number of calls to unknown sessions costs two reads a second at most.
	quietPause, wokenPause = 5 * time.Second, 500 * time.Millisecond
	// retryPause is between two attempts to reach the service.
	retryPause = 5 * time.Second
)

var callEventTypes = []EventType{EventTypeOrderFunded, EventTypeOrderReleased, EventTypeOrderRefunded}

// fundedAgain is when a node is asked again that does not know an escrow yet.
var fundedAgain = []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}

// followWithRetries follows the service's orders once the service answers. Vouchers that are due are paid meanwhile.
func (s *ServedCalls) followWithRetries(agentSlug, serviceSlug string) error {
	notListedYet := map[string]bool{}
	for _, session := range s.all() {
		notListedYet[session.agreed.ID().String()] = true
	}
	for {
		err := s.startFollowing(agentSlug, serviceSlug, notListedYet)
		if err == nil {
			break
		}
		// The vouchers of the files are paid, whatever the service answers.
		if s.ctx.Err() != nil || (!isTemporary(err) && len(s.all()) == 0) {
			return err
		}
		s.options.OnError(err, "")
		pauseUntil(s.ctx, retryPause)
	}
	// A session of the files that is not among the open ones is closed, so its end is checked.
	for id := range notListedYet {
		s.closeNamed(id)
	}
	return nil
}

func (s *ServedCalls) startFollowing(agentSlug, serviceSlug string, notListedYet map[string]bool) error {
	service, err := s.client.Services.Get(s.ctx, agentSlug, serviceSlug, s.opts...)
	if err != nil {
		return err
	}
	// The cursor is read before the orders are listed, so that later events are not missed.
	page, err := s.client.Events.List(s.ctx, EventsListQuery{Cursor: "now", Type: callEventTypes, Limit: 1}, s.opts...)
	if err != nil {
		return err
	}
	query := OrdersListReceivedQuery{Status: string(OrderStatusFunded), Service: service.ID, Limit: 100}
	for order, err := range s.client.Orders.ListReceived(s.ctx, query, s.opts...).All() {
		if err != nil {
			return err
		}
		delete(notListedYet, strings.ToLower(order.Escrow.EscrowID))
		if err := s.open(order.ID); err != nil {
			return err
		}
	}
	s.working.Go(func() { s.follow(service.ID, page.NextCursor) })
	return nil
}

// follow reads the feed until the run stops.
func (s *ServedCalls) follow(serviceID, cursor string) {
	for s.ctx.Err() == nil {
		page, err := s.client.Events.List(s.ctx, EventsListQuery{Cursor: cursor, Type: callEventTypes, Limit: 100}, s.opts...)
		if err == nil {
			err = s.takeAll(page.Items, serviceID)
		}
		if err == nil {
			cursor = page.NextCursor
			if page.HasMore {
				continue
			}
		} else if s.ctx.Err() == nil {
			s.options.OnError(err, "")
		}
		pauseUntil(s.ctx, wokenPause)
		select {
		case <-s.woken:
		case <-time.After(quietPause - wokenPause):
		case <-s.ctx.Done():
		}
	}
}

func (s *ServedCalls) takeAll(events []Event, serviceID string) error {
	for _, event := range events {
		payload, err := event.Payload()
		if err != nil {
			return err
		}
		data, isOrder := payload.(*OrderEventData)
		if !isOrder || data.Order.ServiceID != serviceID {
			continue
		}
		if EventType(event.Type) == EventTypeOrderFunded {
			if err := s.open(data.Order.ID); err != nil {
				return err
			}
			continue
		}
		// The service's word is not enough to forget a voucher: the next step reads the chain.
		order, err := s.client.Orders.Get(s.ctx, data.Order.ID, s.opts...)
		if err != nil {
			return err
		}
		s.closeNamed(escrowIDOf(order))
	}
	return nil
}

// open takes up the session of a funded order. An order that is not as it has to be is reported, and not served.
func (s *ServedCalls) open(orderID string) error {
	err := s.openOrder(orderID)
	if err == nil || s.ctx.Err() != nil || isTemporary(err) {
		return err
	}
	s.options.OnError(err, orderID)
	return nil
}

func (s *ServedCalls) openOrder(orderID string) error {
	order, err := s.client.Orders.Get(s.ctx, orderID, s.opts...)
	if err != nil || order.PricingModel != PricingModelPerCall || s.find(escrowIDOf(order)) != nil {
		return err
	}
	document, err := s.client.Orders.GetAgreement(s.ctx, orderID, s.opts...)
	if err != nil {
		return err
	}
	agreed, err := readAgreement(orderID, document)
	if err != nil {
		return err
	}
	if err := agreed.compareOrder(order); err != nil {
		return err
	}
	if err := s.requireFunded(agreed); err != nil {
		return err
	}
	endsAt, err := s.readEnd(order, agreed)
	if err != nil {
		return err
	}
	session, err := holdSession(keptSession{Order: orderID, Agreement: document, EndsAt: endsAt}, s.options.Folder, s.key, s.options.Recover)
	if err != nil {
		return err
	}
	if err := s.requireTerms(session); err != nil {
		return err
	}
	// With its terms in a file, a session is paid after a restart without the service.
	if err := session.keep(session.kept, nil); err != nil {
		return err
	}
	s.addSession(session)
	return nil
}

// requireFunded asks a node that may be behind again.
func (s *ServedCalls) requireFunded(agreed *agreedOrder) error {
	for _, wait := range fundedAgain {
		err := agreed.requireFunded(s.ctx, s.options.Wallet, s.known)
		var differs *NotAsAgreedError
		isDefinite := errors.As(err, &differs) && differs.Field != "order.escrow.status"
		if err == nil || isDefinite || s.ctx.Err() != nil {
			return err
		}
		pauseUntil(s.ctx, wait)
	}
	return agreed.requireFunded(s.ctx, s.options.Wallet, s.known)
}

// readEnd returns the delivery deadline. The chain's counts: after it, vouchers may be worth nothing.
func (s *ServedCalls) readEnd(order *Order, agreed *agreedOrder) (time.Time, error) {
	if len(s.known.nodes) == 0 {
		if order.DeliveryDeadline == nil {
			return time.Time{}, fmt.Errorf("earnest: %s is funded, but the service shows no delivery deadline", order.ID)
		}
		return *order.DeliveryDeadline, nil
	}
	there, err := s.known.on(s.ctx, agreed.ChainID)
	if err != nil {
		return time.Time{}, err
	}
	state, err := agreed.escrowState(s.ctx, there.node)
	if err != nil {
		return time.Time{}, err
	}
	return state.fundedAt.Add(time.Duration(agreed.Terms.DeliveryWindow) * time.Second), nil
}

// requireTerms refuses a session of another key, or below the price.
func (s *ServedCalls) requireTerms(session *providerSession) error {
	compare := comparison{orderID: session.agreed.id}
	compare.same("agreement.session_key", publicTextOf(s.key), session.agreed.text("session_key"))
	decimals, err := session.agreed.decimals()
	if err != nil {
		return err
	}
	least, err := s.options.PerCall.BaseUnits(decimals)
	if err != nil {
		return err
	}
	if session.price.Cmp(least) < 0 {
		compare.fail(&NotAsAgreedError{
			OrderID: session.agreed.id, Field: "agreement.unit_price_base_units", Expected: "at least " + least.String(), Found: session.price.String(),
		})
	}
	return compare.err
}

func (s *ServedCalls) nodeOn(ctx context.Context, agreed *agreedOrder) (Node, error) {
	if len(s.known.nodes) == 0 {
		return nil, nil
	}
	there, err := s.known.on(ctx, agreed.ChainID)
	return there.node, err
}

// escrowIDOf returns an order's escrow as the sessions are named.
func escrowIDOf(order *Order) string { return strings.ToLower(order.Escrow.EscrowID) }
