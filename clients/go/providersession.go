package earnest

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"math/big"
	"sync"
	"sync/atomic"
	"time"

	"github.com/earnest-market/earnest-go/sessions"
)

// runningCall is a call at work.
type runningCall struct {
	voucher sessions.Voucher
	done    chan struct{}
	reply   callReply
	err     error
}

// callWork runs the work of a call.
type callWork func(ctx context.Context, input []byte) (output []byte, kind string, err error)

// providerSession is a session at its provider. Its calls are answered one after the other.
type providerSession struct {
	agreed  *agreedOrder
	price   *big.Int
	endsAt  time.Time
	path    string
	key     ed25519.PrivateKey
	recover RecoverFunc
	// begins registers the work of a call, which a stop waits for. It is false once the run has stopped.
	begins func() bool
	done   func()
	// requests counts the signed requests at work.
	requests atomic.Int64

	mutex sync.Mutex
	// kept is the file's content but for the answer.
	kept    keptSession
	running *runningCall
	// closingAt is the end of calls, closedAt the time of the wish to close, and usedAt that of the last call. Before, each is the start
	// of this run.
	closingAt, closedAt, usedAt time.Time
}

// longestAnswerWait is how long a request waits for the answer of a call at work. The same request then waits again.
const longestAnswerWait = 30 * time.Second

// longestCall is how long a closing session waits for its call at work.
const longestCall = 5 * time.Minute

// mostSessionRequests is the most signed requests of a session at once. A buyer sends one, and sends it again if it gets no answer.
const mostSessionRequests = 8

// state returns the newest answered voucher, nil before the first, with the base units that it pays.
func (h *providerSession) state() (newest *sessions.Voucher, request *sessions.CloseRequest, earned *big.Int) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.kept.newest, h.kept.request, h.earned()
}

func (h *providerSession) earned() *big.Int {
	if h.kept.newest == nil {
		return new(big.Int)
	}
	return h.kept.newest.CumulativeAmount
}

func (h *providerSession) isBusy() bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.running != nil
}

// answer answers a call: the stored answer for the newest voucher again, or the answer of the work.
func (h *providerSession) answer(
	ctx context.Context, voucher sessions.Voucher, read func() ([]byte, error), work callWork, lastCall time.Time,
) (callReply, error) {
	h.mutex.Lock()
	// Once the session closes, the chain shows everybody the newest voucher. From then on only the input proves the buyer.
	isStored := !h.kept.IsClosing && isSameVoucher(voucher, h.kept.newest)
	h.mutex.Unlock()
	if isStored {
		return h.storedReply()
	}
	// The signature comes before the input: the chain shows each session's id, and nobody else may occupy the endpoint by it.
	signature, err := h.verify(h.agreed.Voucher(voucher.CumulativeAmount, voucher.WorkHash), voucher.Signature)
	if err != nil {
		return callReply{}, err
	}
	voucher.Signature = signature
	defer h.requests.Add(-1)
	if h.requests.Add(1) > mostSessionRequests {
		message := "Too many requests of this session are at work. Send the call again."
		return callReply{}, &refusedCall{code: sessions.Busy, message: message}
	}
	h.mutex.Lock()
	h.usedAt = time.Now()
	h.mutex.Unlock()
	input, err := read()
	if err != nil {
		return callReply{}, err
	}
	if voucher.WorkHash != sessions.WorkHash(h.agreed.ID(), voucher.CumulativeAmount, input) {
		message := "The work hash is not the SHA-256 of this session, amount and input."
		return callReply{}, &refusedCall{code: sessions.WrongWorkHash, message: message}
	}
	running, isMine, err := h.begin(voucher, lastCall)
	if err != nil {
		return callReply{}, err
	}
	if running == nil {
		return h.storedReply()
	}
	if isMine {
		// The buyer may stop to wait, but the call is paid for.
		go h.run(ctx, running, input, work)
	}
	timer := time.NewTimer(longestAnswerWait)
	defer timer.Stop()
	select {
	case <-running.done:
		return running.reply, running.err
	case <-timer.C:
		message := "The call is still at work. Send it again to get its answer."
		return callReply{}, &refusedCall{code: sessions.CallInProgress, message: message}
	}
}

// begin starts a call, or finds the same call at work. Without a call, the answer is stored.
func (h *providerSession) begin(voucher sessions.Voucher, lastCall time.Time) (running *runningCall, isMine bool, err error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.running != nil && isSameVoucher(voucher, &h.running.voucher) {
		return h.running, false, nil
	}
	if isSameVoucher(voucher, h.kept.newest) {
		return nil, false, nil
	}
	if err := h.requireNext(voucher.CumulativeAmount, lastCall); err != nil {
		return nil, false, err
	}
	if !h.begins() {
		return nil, false, &refusedCall{code: sessions.Busy, message: "The provider stops. Send the call again."}
	}
	h.running = &runningCall{voucher: voucher, done: make(chan struct{})}
	return h.running, true, nil
}

func (h *providerSession) requireNext(amount *big.Int, lastCall time.Time) error {
	expected := new(big.Int).Add(h.earned(), h.price)
	switch {
	case h.kept.IsClosing || time.Now().After(lastCall):
		return &refusedCall{code: sessions.SessionEnded, message: "The session takes no more calls: it closes, or its deadline is near."}
	case h.running != nil:
		return &refusedCall{code: sessions.CallInProgress, message: "Another call of this session is at work. Send calls one after the other."}
	case amount.Cmp(expected) != 0:
		message := fmt.Sprintf("The voucher's amount has to be %s base units.", expected)
		return &refusedCall{code: sessions.WrongAmount, message: message, expected: expected, newest: h.kept.newest}
	case amount.Cmp(h.agreed.Terms.Amount) > 0:
		message := fmt.Sprintf("The balance of %s base units pays no more calls.", h.agreed.Terms.Amount)
		return &refusedCall{code: sessions.BalanceUsed, message: message}
	}
	return nil
}

// run does the work, keeps the answer, and then gives it to all requests that wait for it.
func (h *providerSession) run(ctx context.Context, running *runningCall, input []byte, work callWork) {
	defer h.done()
	defer close(running.done)
	output, kind, err := runSafely(ctx, input, work)
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.running != running && err == nil {
		err = &refusedCall{code: sessions.SessionEnded, message: "The session ended before the answer."}
	}
	if h.running == running {
		defer func() { h.running = nil }()
	}
	if err != nil {
		running.err = err
		return
	}
	voucher := running.voucher
	text := sessions.Statement(h.agreed.ID(), voucher.CumulativeAmount, voucher.WorkHash, output)
	statement := base64.RawURLEncoding.EncodeToString(ed25519.Sign(h.key, text))
	next := h.kept
	next.Voucher, next.newest = voucher.Header(), &voucher
	if err := h.keep(next, &keptAnswer{Output: output, Type: kind, Statement: statement}); err != nil {
		// The write may have reached the disk, so the buyer must not use the amount for another call.
		message := "The answer cannot be stored, so it is not given. Send the call again."
		running.err = &refusedCall{code: sessions.Busy, message: message, cause: err}
		return
	}
	running.reply = callReply{status: 200, body: output, kind: kind, statement: statement}
}

func runSafely(ctx context.Context, input []byte, work callWork) (output []byte, kind string, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			cause := fmt.Errorf("earnest: the handler panicked: %v", problem)
			err = &refusedCall{code: sessions.HandlerFailed, message: "The handler failed. The call is not paid for.", cause: cause}
		}
	}()
	return work(ctx, input)
}

// close takes no more calls, also after a restart. A call at work is still answered. The buyer's first wish is kept.
func (h *providerSession) close(request *sessions.CloseRequest) error {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	wasClosing := h.kept.IsClosing
	h.kept.IsClosing = true
	if !wasClosing {
		h.closingAt = time.Now()
	}
	isNew := request != nil && h.kept.request == nil
	if wasClosing && !isNew {
		return nil
	}
	next := h.kept
	if isNew {
		next.request, next.Close = request, request.Header()
		h.closedAt = time.Now()
	}
	kept, err := h.read()
	if err != nil {
		return err
	}
	return h.keep(next, kept.Answer)
}

// awaitsCall reports whether a closing session still waits for its call at work, whose voucher is newer than the one that is kept.
// A call that takes too long is given up: its answer is not given, and its voucher not used.
func (h *providerSession) awaitsCall(until time.Time) bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	now := time.Now()
	if h.running != nil && now.Before(until) && now.Before(h.closingAt.Add(longestCall)) {
		return true
	}
	h.running = nil
	return false
}

// isSameVoucher reports whether two vouchers are the same. The last byte of a signature has two forms.
func isSameVoucher(one sessions.Voucher, other *sessions.Voucher) bool {
	return other != nil && one.CumulativeAmount.Cmp(other.CumulativeAmount) == 0 && one.WorkHash == other.WorkHash &&
		string(one.Signature[:64]) == string(other.Signature[:64])
}
