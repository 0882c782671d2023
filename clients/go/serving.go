package earnest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"
)

// ServeOptions say how a provider runs.
type ServeOptions struct {
	// Wallet is the agent's payout wallet. It signs the delivery records and the refunds.
	Wallet Signer
	// Node, if set, confirms the money before any work. Without a node, the service is trusted.
	Node Node
	// Nodes read more chains.
	Nodes []Node
	// Market has facts that you know without the service. With a Node, each given member is compared.
	Market *Market
	// Tokens are the tokens that you take. Default: the known token of each chain.
	Tokens []PaymentToken
	// Concurrency is the most orders in work at once. Default: 4.
	Concurrency int
	// The time that handlers may take after the context has ended. Default: 30 seconds.
	Grace time.Duration
	// The interval between two scans of all orders, which find changes without an event. Default: a minute.
	Sweep time.Duration
	// OnDone is called for each order that was delivered (err is nil) or failed.
	OnDone func(order *Order, err error)
	Logger *slog.Logger
}

// Serve works on an agent's orders until the context ends. It takes funded orders, starts them, calls the handler of the
// service (by slug), delivers the output, and signs the delivery record. An order of a run before a crash is resumed and
// delivered once. It needs the scopes orders:read, orders:write and webhooks:read.
//
//	err := client.Serve(ctx, "counter", map[string]earnest.Handler{"count": earnest.Handle(count)}, earnest.ServeOptions{Wallet: wallet})
func (c *Client) Serve(ctx context.Context, agentSlug string, handlers map[string]Handler, options ServeOptions, opts ...Option) error {
	if options.Wallet == nil || len(handlers) == 0 {
		return errors.New("earnest: to serve, give a Wallet and handlers")
	}
	s := &server{client: c, options: options.withDefaults(), opts: withoutKey(opts), handlers: map[string]Handler{}, later: map[string]retry{}}
	s.slots = make(chan struct{}, s.options.Concurrency)
	s.known = knownOf(joinNodes(options.Node, options.Nodes), options.Market, options.Tokens)
	s.known.goodCode = new(sync.Map)
	for service, err := range c.Services.List(ctx, agentSlug, ServicesListQuery{}, opts...).All() {
		if err != nil {
			return err
		}
		if handler, has := handlers[service.Slug]; has {
			s.handlers[service.ID] = handler
		}
	}
	if len(s.handlers) == 0 {
		return fmt.Errorf("earnest: %s has none of the services that there are handlers for", agentSlug)
	}
	return s.run(ctx)
}

func (o ServeOptions) withDefaults() ServeOptions {
	if o.Concurrency <= 0 {
		o.Concurrency = 4
	}
	if o.Grace <= 0 {
		o.Grace = 30 * time.Second
	}
	if o.Sweep <= 0 {
		o.Sweep = time.Minute
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// server is one run of Serve.
type server struct {
	client  *Client
	options ServeOptions
	opts    []Option
	// handlers has the handlers by the service's id.
	handlers map[string]Handler
	known    known
	slots    chan struct{}
	working  sync.WaitGroup

	mutex sync.Mutex
	// later has the orders in work, and the failed orders with the time of their retry.
	later map[string]retry
}

type retry struct {
	isBusy   bool
	failures int
	// err is the error of the last try.
	err error
	at  time.Time
}

func (s *server) run(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	// Handlers may run for the grace time after the context ends.
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	wake := make(chan error, 1)
	go s.listen(ctx, wake)
	timer := time.NewTicker(s.options.Sweep)
	defer timer.Stop()
	var failure error
	for ctx.Err() == nil && failure == nil {
		if err := s.sweep(ctx, work); err != nil && ctx.Err() == nil && !isTemporary(err) {
			failure = err
			break
		}
		select {
		case failure = <-wake:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	done := make(chan struct{})
	go func() {
		s.working.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(s.options.Grace):
		stop()
		<-done
	}
	return failure
}

// listen wakes the run for each event that may bring work, and for a permanent error.
func (s *server) listen(ctx context.Context, wake chan<- error) {
	types := []EventType{EventTypeOrderFunded, EventTypeOrderRevisionRequested, EventTypeOrderPartReleased}
	stream := s.client.Events.Follow(ctx, FollowOptions{FromNow: true, Types: types}, s.opts...)
	for _, err := range stream.All() {
		if err != nil {
			select {
			case wake <- err:
			case <-ctx.Done():
			}
			return
		}
		select {
		case wake <- nil:
		default:
		}
	}
}

// sweep starts every order that waits for work or for its record.
func (s *server) sweep(ctx, work context.Context) error {
	s.forget()
	for _, status := range []OrderStatus{OrderStatusStarted, OrderStatusFunded, OrderStatusDelivered} {
		query := OrdersListReceivedQuery{Status: string(status), Limit: 100}
		for order, err := range s.client.Orders.ListReceived(ctx, query, s.opts...).All() {
			if err != nil {
				return err
			}
			isRecorded := status == OrderStatusDelivered && order.DeliveryRecord != DeliveryRecordNone
			handler, isOurs := s.handlers[order.ServiceID]
			if !isOurs || isRecorded || !s.take(order.ID, status) {
				continue
			}
			select {
			case s.slots <- struct{}{}:
			case <-ctx.Done():
				return nil
			}
			s.working.Add(1)
			go func() {
				defer s.working.Done()
				s.do(work, order.ID, handler)
				<-s.slots
			}()
		}
	}
	return nil
}

// take marks an order as in work, and reports whether it was free.
func (s *server) take(id string, status OrderStatus) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	known := s.later[id]
	// A delivered order that is started again has a revision request or a further stage.
	isChange := known.failures == 0 && status == OrderStatusStarted
	if known.isBusy || (time.Now().Before(known.at) && !isChange) {
		return false
	}
	known.isBusy = true
	s.later[id] = known
	return true
}

// forget removes the orders that were delivered some time ago.
func (s *server) forget() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	maps.DeleteFunc(s.later, func(_ string, known retry) bool {
		return !known.isBusy && known.failures == 0 && time.Now().After(known.at)
	})
}

const (
	longestRetry = 10 * time.Minute
	recordTime   = time.Minute
)

// leave stores the result of an order. A failed order is retried, each time after a longer wait.
func (s *server) leave(id string, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if err == nil {
		// The service shows a record only some time after its signature.
		s.later[id] = retry{at: time.Now().Add(recordTime)}
		return
	}
	failures := s.later[id].failures + 1
	wait := min(longestRetry, 5*time.Second<<min(failures, 7))
	s.later[id] = retry{failures: failures, err: err, at: time.Now().Add(wait)}
}

// attemptOf returns the number of this try, and the error of the try before.
func (s *server) attemptOf(id string) (attempt int, last error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	known := s.later[id]
	return known.failures + 1, known.err
}
