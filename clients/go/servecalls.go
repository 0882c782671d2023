package earnest

import (
	"context"
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// ServeCallsOptions say how a provider answers the calls of sessions.
type ServeCallsOptions struct {
	// Wallet is the agent's payout wallet. It signs the end of each session.
	Wallet Signer
	// Recover reads the buyers' signatures. wallet.Recover is one.
	Recover RecoverFunc
	// Sender sends a voucher from the Wallet's account if the service does not. It needs a little native coin.
	Sender Sender
	// Node confirms the money of each session, and what the chain has paid. Without a node, the service is trusted.
	Node Node
	// Nodes read more chains.
	Nodes []Node
	// Market has facts that you know without the service. With a Node, each given member is compared.
	Market *Market
	// Tokens are the tokens that you take. Default: the known token of each chain.
	Tokens []PaymentToken
	// PerCall is the least price of a call, in the session's token. Cheaper sessions are not served.
	PerCall Amount
	// Folder has the sessions' files and the key. One process uses it at a time.
	Folder string
	// Margin is the time before a session's deadline in which it takes no calls and is closed. Default: a tenth of its time, at most
	// an hour.
	Margin time.Duration
	// Idle is the time without a call after which a session is closed. Default: a day.
	Idle time.Duration
	// The most bytes of an input and of an output, which is stored until the next one. Default: 1 MiB.
	MaxInput, MaxOutput int64
	// InputTimeout is the longest until an input has arrived. Default: 30 seconds.
	InputTimeout time.Duration
	// MaxRequests is the most requests at once. Default: 1000.
	MaxRequests int64
	// OnError gets errors, perhaps several at once, with the order's id, which is empty for an error of no single order.
	OnError func(err error, orderID string)
}

func (o ServeCallsOptions) withDefaults() ServeCallsOptions {
	orDefault := func(value *int64, standard int64) {
		if *value <= 0 {
			*value = standard
		}
	}
	orDefault(&o.MaxInput, 1<<20)
	orDefault(&o.MaxOutput, 1<<20)
	orDefault(&o.MaxRequests, 1000)
	if o.Idle <= 0 {
		o.Idle = usualIdle
	}
	if o.InputTimeout <= 0 {
		o.InputTimeout = 30 * time.Second
	}
	if o.OnError == nil {
		o.OnError = func(error, string) {}
	}
	return o
}

// ServedCalls is a provider's endpoint that runs. It is an http.Handler.
type ServedCalls struct {
	client   *Client
	options  ServeCallsOptions
	opts     []Option
	handler  CallHandler
	key      ed25519.PrivateKey
	known    known
	lock     *os.File
	ctx      context.Context
	end      context.CancelFunc
	working  sync.WaitGroup
	woken    chan struct{}
	requests atomic.Int64

	// sending is held while the Sender sends.
	sending sync.Mutex

	mutex    sync.Mutex
	sessions map[string]*providerSession
	// closing has the sessions that take steps to their end, with the time of the next step.
	closing map[string]time.Time
}

// ServeCalls answers the calls of one service's sessions. It closes a session when the buyer asks, when it is idle, and
// before its deadline. It runs until the context ends, or until Stop.
//
// Each answered call is on the disk before its answer is given, so a crash loses none. The client's key needs orders:read,
// orders:write and webhooks:read.
//
//	calls, err := client.ServeCalls(ctx, "words", "count", earnest.HandleCall(count), options)
//	err = http.ListenAndServe(":8080", calls)
func (c *Client) ServeCalls(
	ctx context.Context, agentSlug, serviceSlug string, handler CallHandler, options ServeCallsOptions, opts ...Option,
) (*ServedCalls, error) {
	if options.Wallet == nil || options.Recover == nil || options.Folder == "" || options.PerCall == "" {
		return nil, errors.New("earnest: to serve calls, give a Wallet, Recover, PerCall and a Folder")
	}
	s, err := c.holdFolder(ctx, handler, options, opts)
	if err != nil {
		return nil, err
	}
	s.working.Go(s.closeDue)
	if err := s.followWithRetries(agentSlug, serviceSlug); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// holdFolder locks a folder, and continues the sessions of an earlier run.
func (c *Client) holdFolder(ctx context.Context, handler CallHandler, options ServeCallsOptions, opts []Option) (*ServedCalls, error) {
	key, err := readSessionKey(options.Folder)
	if err != nil {
		return nil, err
	}
	lock, err := lockFile(filepath.Join(options.Folder, "lock"))
	if err != nil {
		return nil, err
	}
	s := &ServedCalls{
		client: c, options: options.withDefaults(), opts: withoutKey(opts), handler: handler, key: key, lock: lock,
		woken: make(chan struct{}, 1), sessions: map[string]*providerSession{}, closing: map[string]time.Time{},
		known: knownOf(joinNodes(options.Node, options.Nodes), options.Market, options.Tokens),
	}
	s.known.goodCode = new(sync.Map)
	s.ctx, s.end = context.WithCancel(ctx)
	if err := s.readFolder(); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// Stop stops without closing sessions, once the calls at work have ended. Their handlers' contexts end. The next run continues the
// sessions.
func (s *ServedCalls) Stop() error {
	s.mutex.Lock()
	s.end()
	s.mutex.Unlock()
	s.working.Wait()
	return s.lock.Close()
}

// readFolder continues the sessions of an earlier run, which are paid without the service too.
func (s *ServedCalls) readFolder() error {
	paths, err := filepath.Glob(filepath.Join(s.options.Folder, "0x*.json"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		var kept keptSession
		if err := readState(path, &kept); err != nil {
			return err
		}
		session, err := holdSession(kept, s.options.Folder, s.key, s.options.Recover)
		if err != nil {
			return err
		}
		s.addSession(session)
	}
	return nil
}

func (s *ServedCalls) addSession(session *providerSession) {
	session.begins, session.done = s.begins, s.working.Done
	s.mutex.Lock()
	defer s.mutex.Unlock()
	id := session.agreed.ID().String()
	s.sessions[id] = session
	if session.kept.IsClosing {
		s.closing[id] = time.Time{}
	}
}

func (s *ServedCalls) find(escrowID string) *providerSession {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.sessions[escrowID]
}

func (s *ServedCalls) all() []*providerSession {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var all []*providerSession
	for _, session := range s.sessions {
		all = append(all, session)
	}
	return all
}

// begins registers the work of a call, unless the run has stopped.
func (s *ServedCalls) begins() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.working.Add(1)
	return true
}

// readFeedNow reads the feed sooner.
func (s *ServedCalls) readFeedNow() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}
