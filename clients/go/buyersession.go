package earnest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"sync"
	"time"

	"github.com/earnest-market/earnest-go/sessions"
	"github.com/earnest-market/earnest-go/settlement"
)

// CallSession is a balance at a provider. Each call pays its price by a voucher, and no transaction. It is safe for use by several
// goroutines, whose calls are sent one after the other.
//
// The voucher is kept before it is sent. If its answer is lost, for example by a crash, the next call first asks for that
// answer. So nothing is paid twice.
type CallSession struct {
	agreed  *agreedOrder
	options SessionOptions
	price   *big.Int
	url     string
	key     string
	lock    *os.File
	// buyNext buys a further balance under a key.
	buyNext func(ctx context.Context, key string) (*agreedOrder, error)

	mutex   sync.Mutex
	state   sessionState
	isFresh bool
}

// sessionState is the file of a session.
type sessionState struct {
	Opening string `json:"opening"`
	Order   string `json:"order,omitempty"`
	// Left is the number of further balances that may be opened, and Next the key of the one that is being opened.
	Left int64  `json:"left,omitempty"`
	Next string `json:"next,omitempty"`
	// Amount, Work and Voucher are those of the newest answered call.
	Amount  string           `json:"amount,omitempty"`
	Work    *settlement.Hash `json:"work,omitempty"`
	Voucher string           `json:"voucher,omitempty"`
	Pending *pendingCall     `json:"pending,omitempty"`
	// Stopped is why nothing more is signed.
	Stopped string `json:"stopped,omitempty"`
}

// pendingCall is a call whose answer is not known.
type pendingCall struct {
	Amount  string          `json:"amount"`
	Work    settlement.Hash `json:"work"`
	Voucher string          `json:"voucher"`
	Input   []byte          `json:"input"`
	Type    string          `json:"type"`
}

// paysOneMore reports whether the balance pays one more call.
func (s *CallSession) paysOneMore() bool {
	return new(big.Int).Add(s.spent(), s.price).Cmp(s.agreed.Terms.Amount) <= 0
}

// use takes the balance of an order for the next calls.
func (s *CallSession) use(agreed *agreedOrder) error {
	s.agreed = agreed
	return s.readTerms()
}

func (s *CallSession) readTerms() error {
	if err := s.agreed.requireSession(); err != nil {
		return err
	}
	price, isPrice := new(big.Int).SetString(s.agreed.text("unit_price_base_units"), 10)
	s.price, s.url, s.key = price, s.agreed.text("endpoint_url"), s.agreed.text("session_key")
	if !isPrice || s.url == "" || s.key == "" {
		return &NotAsAgreedError{OrderID: s.agreed.id, Field: "agreement", Expected: "a price, an endpoint_url and a session_key", Found: "not all of them"}
	}
	s.isFresh = s.state.Amount == ""
	return nil
}

// OrderID is the order of the balance.
func (s *CallSession) OrderID() string { return s.agreed.id }

// Balance is the base units that the session can pay.
func (s *CallSession) Balance() *big.Int { return new(big.Int).Set(s.agreed.Terms.Amount) }

// Spent is the base units of the answered calls.
func (s *CallSession) Spent() *big.Int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.spent()
}

func (s *CallSession) spent() *big.Int {
	amount, isAmount := new(big.Int).SetString(s.state.Amount, 10)
	if !isAmount {
		return new(big.Int)
	}
	return amount
}

// Call calls the provider. An input of []byte is sent as it is, any other as JSON. A *CallRefusedError is not charged. After a
// *CallUnansweredError the next call asks for this call's answer first, and the same input returns it. An *UntrustedSessionError
// says that the provider broke the rules. ErrBalanceUsed says that the balance pays no more calls.
func (s *CallSession) Call(ctx context.Context, input any) (*CallAnswer, error) {
	body, kind := []byte(nil), "application/octet-stream"
	if bytes, isBytes := input.([]byte); isBytes {
		body = bytes
	} else {
		text, err := json.Marshal(input)
		if err != nil {
			return nil, fmt.Errorf("earnest: the input: %w", err)
		}
		body, kind = text, "application/json"
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	late, answer, err := s.finishPending(ctx)
	if err != nil || (answer != nil && string(late) == string(body)) {
		return answer, err
	}
	return s.call(ctx, body, kind)
}

// RepeatLast gets the newest answer again, at no cost; nil before the first. A program may end before it stores an answer. Spent is
// then more than the program has stored, and RepeatLast gets the missing answer.
func (s *CallSession) RepeatLast(ctx context.Context) (*CallAnswer, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if _, _, err := s.finishPending(ctx); err != nil {
		return nil, err
	}
	if s.state.Voucher == "" {
		return nil, nil
	}
	sent := sentCall{amount: s.spent(), work: *s.state.Work, header: sessions.VoucherHeader, value: s.state.Voucher}
	return s.send(ctx, sent)
}

// closeTime is how long a close request is good.
const closeTime = 24 * time.Hour

// Close asks the provider to take what the calls cost and to give the rest back, and leaves the session.
func (s *CallSession) Close(ctx context.Context) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if _, _, err := s.finishPending(ctx); err != nil {
		return err
	}
	if err := s.askToClose(ctx); err != nil {
		return err
	}
	// The next run with this file opens a session of its own.
	closed := s.state
	closed.Opening, closed.Order, closed.Left, closed.Next = "", "", 0, ""
	if err := s.keep(closed); err != nil {
		return err
	}
	return s.lock.Close()
}

func (s *CallSession) askToClose(ctx context.Context) error {
	now, err := nowOf(ctx, s.options.Buy.Node)
	if err != nil {
		return err
	}
	request := sessions.CloseRequest{ProviderAmount: s.spent(), Deadline: big.NewInt(now.Add(closeTime).Unix())}
	if request.Signature, err = s.sign(ctx, s.agreed.Close(request.ProviderAmount, request.Deadline)); err != nil {
		return err
	}
	sent := sentCall{amount: request.ProviderAmount, header: sessions.CloseHeader, value: request.Header()}
	_, err = s.send(ctx, sent)
	return err
}

// topUp opens the next balance. The key is kept before the order is placed, so that a crash in between finds the order again.
func (s *CallSession) topUp(ctx context.Context) error {
	if s.state.Left < 1 || s.buyNext == nil {
		return ErrBalanceUsed
	}
	if s.state.Next == "" {
		next := s.state
		next.Next = "session-" + rand.Text()
		if err := s.keep(next); err != nil {
			return err
		}
	}
	agreed, err := s.buyNext(ctx, s.state.Next)
	if err != nil {
		return err
	}
	// The provider ends a used session by itself, too, so a lost request costs nobody anything.
	_ = s.askToClose(ctx)
	if err := s.keep(sessionState{Opening: s.state.Next, Order: agreed.id, Left: s.state.Left - 1}); err != nil {
		return err
	}
	return s.use(agreed)
}

// Leave frees the file without closing the session, which the same file continues later.
func (s *CallSession) Leave() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.lock.Close()
}

func (s *CallSession) sign(ctx context.Context, data settlement.TypedData) ([]byte, error) {
	hash, err := data.Digest()
	if err != nil {
		return nil, err
	}
	signature, err := s.options.Buy.Wallet.SignHash(ctx, hash)
	if err == nil && len(signature) != 65 {
		err = errors.New("earnest: a session needs the signatures of a plain key; a contract wallet cannot be its buyer")
	}
	return signature, err
}
