package earnest

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
		o.Idle = 24 * time.Hour
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
	sessions map[string]*heldCalls
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
		woken: make(chan struct{}, 1), sessions: map[string]*heldCalls{}, closing: map[string]time.Time{},
		known: knownOf(joinNodes(options.Node, options.Nodes), options.Market, options.Tokens),
	}
	s.known.goodCode = new(sync.Map)
	s.ctx, s.end = context.WithCancel(ctx)
	if err := s.readFolder(); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// CloseAll closes all sessions that are open, for example before the service ends.
func (s *ServedCalls) CloseAll(ctx context.Context) error {
	for _, session := range s.all() {
		s.closeSoon(session)
	}
	for ctx.Err() == nil && s.ctx.Err() == nil {
		s.mutex.Lock()
		left := len(s.closing)
		s.mutex.Unlock()
		if left == 0 {
			return nil
		}
		pauseUntil(ctx, closingPause/4)
	}
	return errors.Join(ctx.Err(), s.ctx.Err())
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
		var kept keptCalls
		if err := readState(path, &kept); err != nil {
			return err
		}
		session, err := holdCalls(kept, s.options.Folder, s.key, s.options.Recover)
		if err != nil {
			return err
		}
		s.addSession(session)
	}
	return nil
}

func (s *ServedCalls) addSession(session *heldCalls) {
	session.begins, session.done = s.begins, s.working.Done
	s.mutex.Lock()
	defer s.mutex.Unlock()
	id := session.agreed.ID().String()
	s.sessions[id] = session
	if session.kept.IsClosing {
		s.closing[id] = time.Time{}
	}
}

func (s *ServedCalls) find(escrowID string) *heldCalls {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.sessions[escrowID]
}

func (s *ServedCalls) all() []*heldCalls {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var all []*heldCalls
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

// lastCallOf returns the time after which a session takes no call.
func (s *ServedCalls) lastCallOf(session *heldCalls) time.Time {
	margin := s.options.Margin
	if margin <= 0 {
		window := time.Duration(session.agreed.Terms.DeliveryWindow) * time.Second
		margin = min(time.Hour, window/10)
	}
	return session.endsAt.Add(-margin)
}

// SessionKeyOf returns the public key of a folder's session key, for the service's SessionKey. It makes the key if there is none.
func SessionKeyOf(folder string) (string, error) {
	key, err := readSessionKey(folder)
	if err != nil {
		return "", err
	}
	return publicTextOf(key), nil
}

func publicTextOf(key ed25519.PrivateKey) string {
	return base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
}

func readSessionKey(folder string) (ed25519.PrivateKey, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(folder, "session-key.pem")
	if err := makeSessionKey(path); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("earnest: %s has no key in PEM", path)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, isKey := parsed.(ed25519.PrivateKey)
	if err != nil || !isKey {
		return nil, fmt.Errorf("earnest: %s is no Ed25519 key", path)
	}
	return key, nil
}

// makeSessionKey makes a key unless there is one. Another process may make it at the same time: the first one counts.
func makeSessionKey(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	text, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	err = pem.Encode(file, &pem.Block{Type: "PRIVATE KEY", Bytes: text})
	return errors.Join(err, file.Sync(), file.Close())
}

// escrowIDOf returns an order's escrow as the sessions are named.
func escrowIDOf(order *Order) string { return strings.ToLower(order.Escrow.EscrowID) }
