package earnest

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// SessionOptions say which balance to open, and where it is kept.
type SessionOptions struct {
	// Buy has the wallet, the node and the most to pay, as for Buy. Its Quantity is the most calls, and OrderID is not used.
	Buy BuyOptions
	// TopUps are the further balances that may be opened once one is used, each for as many calls.
	TopUps int64
	// File keeps the session, for one process at a time. The next run continues it.
	File string
	// Timeout is the longest until a call is answered, over all tries. Default: two minutes.
	Timeout time.Duration
	// MaxOutput is the most bytes of an output. Default: 8 MiB.
	MaxOutput int64
	// AllowPrivate says that the provider's endpoint may be in a private network, such as localhost, and that a proxy of the environment
	// is used. It is always set if the service itself is in a private network.
	AllowPrivate bool
	// HTTPClient calls the provider's endpoint, wherever it is. Default: a client that follows no redirects, and AllowPrivate.
	HTTPClient *http.Client
}

// OpenSession opens a session of a service that is sold by the call. It buys the balance as Buy does, and waits until the order is
// funded. The same file continues a session that is open.
//
//	session, err := client.OpenSession(ctx, serviceID, earnest.SessionOptions{Buy: options, File: "session.json"})
//	answer, err := session.Call(ctx, map[string]string{"text": "Guten Tag"})
//	err = session.Close(ctx)
func (c *Client) OpenSession(ctx context.Context, serviceID string, options SessionOptions, opts ...Option) (*CallSession, error) {
	path, err := filepath.Abs(options.File)
	if err != nil || options.File == "" {
		return nil, fmt.Errorf("earnest: a session needs a File: %w", cmp.Or(err, errors.New("it is empty")))
	}
	options.File = path
	options.AllowPrivate = options.AllowPrivate || isPrivateHost(c.sender.base)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	session := &CallSession{options: options.withDefaults(), lock: lock}
	if err := session.open(ctx, c, serviceID, opts); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return session, nil
}

func (o SessionOptions) withDefaults() SessionOptions {
	if o.Timeout <= 0 {
		o.Timeout = 2 * time.Minute
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = 8 << 20
	}
	if o.HTTPClient == nil {
		o.HTTPClient = endpointClient(o.AllowPrivate)
	}
	return o
}

func (s *CallSession) open(ctx context.Context, c *Client, serviceID string, opts []Option) error {
	if err := readState(s.options.File, &s.state); err != nil {
		return err
	}
	if s.state.Opening == "" {
		s.state = sessionState{Opening: "session-" + rand.Text(), Left: s.options.TopUps}
		if err := writeState(s.options.File, s.state); err != nil {
			return err
		}
	}
	rest := withoutKey(opts)
	var status OrderStatus
	buy := func(ctx context.Context, orderID, key string) (*agreedOrder, error) {
		options := s.options.Buy
		options.OrderID = orderID
		order, err := c.Buy(ctx, serviceID, options, append(slices.Clone(rest), WithIdempotencyKey(key))...)
		if err != nil {
			return nil, err
		}
		status = order.Status
		return c.readAgreed(ctx, order, rest)
	}
	s.buyNext = func(ctx context.Context, key string) (*agreedOrder, error) { return buy(ctx, "", key) }
	agreed, err := buy(ctx, s.state.Order, s.state.Opening)
	if err != nil {
		return err
	}
	if err := s.use(agreed); err != nil {
		return err
	}
	if s.state.Order == "" {
		s.state.Order = agreed.id
		return writeState(s.options.File, s.state)
	}
	// A used balance may be followed by the next one. In another ended session, each call would wait for an answer in vain.
	if s.paysOneMore() && (status == OrderStatusReleased || status == OrderStatusRefunded) {
		return fmt.Errorf("earnest: open another session with another file: %w", &OrderEndedError{agreed.id, status, OrderStatusFunded})
	}
	return nil
}
