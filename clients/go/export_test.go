package earnest

import (
	"context"
	"math/big"
	"testing"
	"time"
)

// SetLongestSilence shortens the time after which a silent stream is cut.
func SetLongestSilence(t *testing.T, silence time.Duration) {
	before := longestSilence
	longestSilence = silence
	t.Cleanup(func() { longestSilence = before })
}

// SetMostMessageBytes lowers the bound of a message.
func SetMostMessageBytes(t *testing.T, most int) {
	before := mostMessageBytes
	mostMessageBytes = most
	t.Cleanup(func() { mostMessageBytes = before })
}

// ReadRetryAfter reads the header at a given time.
var ReadRetryAfter = readRetryAfter

// NameOf is nameOf, for the tests.
var NameOf = nameOf

// IsPrivateHost is isPrivateHost, for the tests.
var IsPrivateHost = isPrivateHost

// PaidStages is what the accepted stages of an order have paid.
func PaidStages(agreement JSON, order *Order) (*big.Int, error) {
	agreed, err := readAgreement(order.ID, agreement)
	if err != nil {
		return nil, err
	}
	return agreed.paidStages(order)
}

// ChooseQuantity is chooseQuantity, for the tests.
var ChooseQuantity = chooseQuantity

// ServeAgreed serves the session of an agreement without a service.
func ServeAgreed(t *testing.T, orderID string, agreement JSON, handler CallHandler, options ServeCallsOptions) (*ServedCalls, error) {
	s, err := (&Client{}).holdFolder(t.Context(), handler, options, nil)
	if err != nil || len(s.all()) > 0 {
		return s, err
	}
	return s, s.ServeAlso(orderID, agreement)
}

// IsClosing reports whether the buyer of the only session wants to close it.
func (s *ServedCalls) IsClosing() bool {
	_, request, earned := s.all()[0].state()
	return request != nil && request.ProviderAmount.Cmp(earned) == 0 && len(s.closing) == 1
}

// AwaitsCall closes the only session, and reports whether it then waits for its call at work.
func (s *ServedCalls) AwaitsCall(closedSince time.Duration) (bool, error) {
	session := s.all()[0]
	err := session.close(nil)
	session.mutex.Lock()
	session.closingAt = time.Now().Add(-closedSince)
	session.mutex.Unlock()
	return session.awaitsCall(time.Now().Add(time.Hour)), err
}

// OpenAgreed opens the session of an agreement without a service.
func OpenAgreed(orderID string, agreement JSON, options SessionOptions) (*CallSession, error) {
	lock, err := lockFile(options.File + ".lock")
	if err != nil {
		return nil, err
	}
	s := &CallSession{options: options.withDefaults(), lock: lock}
	if err := readState(options.File, &s.state); err != nil {
		return nil, err
	}
	agreed, err := readAgreement(orderID, agreement)
	if err != nil {
		return nil, err
	}
	s.state.Left = options.TopUps
	return s, s.use(agreed)
}

// TopUpBy lets a session buy its further balance from a test.
func (s *CallSession) TopUpBy(buy func(key string) (orderID string, agreement JSON, err error)) {
	s.buyNext = func(_ context.Context, key string) (*agreedOrder, error) {
		orderID, agreement, err := buy(key)
		if err != nil {
			return nil, err
		}
		return readAgreement(orderID, agreement)
	}
}

// ServeAlso serves a further session.
func (s *ServedCalls) ServeAlso(orderID string, agreement JSON) error {
	kept := keptSession{Order: orderID, Agreement: agreement, EndsAt: time.Now().Add(time.Hour)}
	session, err := holdSession(kept, s.options.Folder, s.key, s.options.Recover)
	if err == nil {
		err = session.keep(session.kept, nil)
	}
	if err == nil {
		s.addSession(session)
	}
	return err
}
