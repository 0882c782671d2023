package earnest

import (
	"crypto/ed25519"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"github.com/earnest-market/earnest-go/sessions"
	"github.com/earnest-market/earnest-go/settlement"
)

// keptSession is the file of a session at its provider: its terms, and the newest answered voucher with its answer.
type keptSession struct {
	Order     string      `json:"order"`
	Agreement JSON        `json:"agreement"`
	EndsAt    time.Time   `json:"ends_at"`
	Voucher   string      `json:"voucher,omitempty"`
	Answer    *keptAnswer `json:"answer,omitempty"`
	IsClosing bool        `json:"closing,omitempty"`
	Close     string      `json:"close,omitempty"`
	newest    *sessions.Voucher
	request   *sessions.CloseRequest
}

type keptAnswer struct {
	Output    []byte `json:"output"`
	Type      string `json:"type"`
	Statement string `json:"statement"`
}

// holdSession reads the terms of a session, whose file has the path.
func holdSession(kept keptSession, folder string, key ed25519.PrivateKey, recover RecoverFunc) (*providerSession, error) {
	agreed, err := readAgreement(kept.Order, kept.Agreement)
	if err != nil {
		return nil, err
	}
	if err := agreed.requireSession(); err != nil {
		return nil, err
	}
	price, isPrice := new(big.Int).SetString(agreed.text("unit_price_base_units"), 10)
	if !isPrice {
		return nil, &NotAsAgreedError{OrderID: kept.Order, Field: "agreement.unit_price_base_units", Expected: "a price", Found: "none"}
	}
	if kept.Voucher != "" {
		voucher, err := sessions.ReadVoucher(kept.Voucher)
		if err != nil {
			return nil, err
		}
		kept.newest = &voucher
	}
	if kept.Close != "" {
		request, err := sessions.ReadCloseRequest(kept.Close)
		if err != nil {
			return nil, err
		}
		kept.request = &request
	}
	kept.Answer = nil
	path := filepath.Join(folder, agreed.ID().String()+".json")
	now := time.Now()
	return &providerSession{
		agreed: agreed, price: price, endsAt: kept.EndsAt, path: path, key: key, recover: recover, kept: kept,
		closingAt: now, closedAt: now, usedAt: now,
	}, nil
}

// requireSession refuses an agreement that is not of a session. With records or disputes, more than the vouchers could be paid, or
// less.
func (a *agreedOrder) requireSession() error {
	compare := comparison{orderID: a.id}
	compare.same("agreement.pricing_model", string(PricingModelPerCall), a.text("pricing_model"))
	compare.same("agreement.acceptance_window_seconds", uint64(settlement.VouchersOnly), a.Terms.AcceptanceWindow)
	return compare.err
}

func (h *providerSession) keep(next keptSession, answer *keptAnswer) error {
	written := next
	written.Answer = answer
	if err := writeState(h.path, written); err != nil {
		return err
	}
	h.kept = next
	return nil
}

func (h *providerSession) read() (keptSession, error) {
	var kept keptSession
	err := readState(h.path, &kept)
	return kept, err
}

func (h *providerSession) storedReply() (callReply, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	kept, err := h.read()
	if err == nil && kept.Answer == nil {
		err = errors.New("earnest: " + h.path + " has no answer")
	}
	if err != nil {
		return callReply{}, err
	}
	return callReply{status: 200, body: kept.Answer.Output, kind: kept.Answer.Type, statement: kept.Answer.Statement}, nil
}

// forget removes the file of a session that is over.
func (h *providerSession) forget() error {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return os.Remove(h.path)
}
