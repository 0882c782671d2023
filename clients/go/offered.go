package earnest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"

	"github.com/earnest-market/earnest-go/settlement"
)

// offered is an entry of x402's accepts, with the agreement that its address belongs to.
type offered struct {
	agreed *agreedOrder
	at     int
	// raw is the entry as the service wrote it. The payment returns it unchanged.
	raw      json.RawMessage
	accepted PaymentRequirements
}

func (o *offered) isPermit() bool { return o.accepted.Extra.AssetTransferMethod != nil }

// isSameWay reports whether two terms are paid by the same method in the same token, so that one nonce excludes a second
// payment.
func (o *offered) isSameWay(other *offered) bool {
	return o.isPermit() == other.isPermit() && o.agreed.ChainID == other.agreed.ChainID && o.agreed.Terms.Token == other.agreed.Terms.Token
}

// payable compares an entry of accepts with the agreement, and returns the token's name and version. Those of a known token are
// the client's own.
func (a *agreedOrder) payable(field string, accepted PaymentRequirements) (settlement.Token, error) {
	compare := comparison{orderID: a.id}
	same := func(name string, expected, found any) { compare.same(field+"."+name, expected, found) }
	same("scheme", "exact", accepted.Scheme)
	same("network", chainName(a.ChainID), accepted.Network)
	same("amount", a.Terms.Amount.String(), accepted.Amount)
	same("asset", a.Terms.Token, accepted.Asset)
	same("payTo", a.DepositAddress(), accepted.PayTo)
	token := settlement.Token{Name: accepted.Extra.Name, Version: accepted.Extra.Version}
	if known := a.knownToken(); known != nil {
		token = known.Token
	}
	same("extra.name", token.Name, accepted.Extra.Name)
	same("extra.version", token.Version, accepted.Extra.Version)
	return token, compare.err
}

// purchaseCall is the request of a purchase, with or without its payment. The service does the same payment once.
func purchaseCall(service *Service, body PurchaseRequest) call {
	return call{operation: "buyService", verb: "POST", path: pathOf("/buy/%s/%s", service.Agent.Slug, service.Slug), body: body, open: true}
}

// requestTerms requests the terms of a purchase, and recomputes where each of them pays. The service stores nothing for the
// request.
func (c *Client) requestTerms(ctx context.Context, service *Service, body PurchaseRequest, opts []Option) ([]*offered, error) {
	_, err := send[Purchase](ctx, c.sender, purchaseCall(service, body), opts)
	var refusal *Error
	// A refusal of terms has details. Only an answer without them offers terms.
	if err != nil && (!errors.As(err, &refusal) || refusal.Status != http.StatusPaymentRequired || len(refusal.Details) > 0) {
		return nil, err
	}
	var shown struct {
		Accepts         []json.RawMessage
		Agreement       JSON
		OtherAgreements []JSON `json:"other_agreements"`
	}
	if refusal != nil {
		if err := json.Unmarshal(refusal.Body, &shown); err != nil {
			return nil, &NotAsAgreedError{Field: "accepts", Expected: "payment requirements", Found: err.Error()}
		}
	}
	var agreements []*agreedOrder
	var addresses []string
	for _, document := range append([]JSON{shown.Agreement}, shown.OtherAgreements...) {
		agreed, err := readOffered(document)
		if err != nil {
			return nil, err
		}
		agreements, addresses = append(agreements, agreed), append(addresses, agreed.DepositAddress().String())
	}
	var terms []*offered
	for at, raw := range shown.Accepts {
		field := fmt.Sprintf("accepts[%d]", at)
		one := &offered{at: at, raw: raw}
		if err := json.Unmarshal(raw, &one.accepted); err != nil {
			return nil, &NotAsAgreedError{Field: field, Expected: "payment requirements", Found: err.Error()}
		}
		// A metered order is funded in full, and its voucher pays the charge. So upto adds nothing.
		if one.accepted.Scheme == PaymentSchemeUpto {
			continue
		}
		for index, address := range addresses {
			if address == one.accepted.PayTo {
				one.agreed = agreements[index]
			}
		}
		if one.agreed == nil {
			return nil, &NotAsAgreedError{Field: field + ".payTo", Expected: strings.Join(addresses, " or "), Found: one.accepted.PayTo}
		}
		if _, err := one.agreed.payable(field, one.accepted); err != nil {
			return nil, err
		}
		terms = append(terms, one)
	}
	if len(terms) == 0 {
		return nil, &NotAsAgreedError{Field: "accepts", Expected: "payment requirements of the scheme exact", Found: "none"}
	}
	return terms, nil
}

// readOffered reads the agreement of an order that is not placed yet.
func readOffered(document JSON) (*agreedOrder, error) {
	var fields struct {
		OrderID string `json:"order_id"`
	}
	if err := document.Decode(&fields); err != nil || fields.OrderID == "" {
		return nil, &NotAsAgreedError{Field: "agreement.order_id", Expected: "an order", Found: string(document)}
	}
	return readAgreement(fields.OrderID, document)
}

// chooseTerms chooses the terms to pay: the first known token of which the wallet holds the amount. Each token is paid by its
// first method. A token in which the purchase's nonce was used comes before the others. The token and the method of earlier
// terms, which were signed for this purchase, stay.
func chooseTerms(ctx context.Context, terms []*offered, nodes []Node, payer settlement.Address, nonce settlement.Hash, earlier *offered) (*offered, error) {
	if earlier != nil {
		for _, one := range terms {
			if one.isSameWay(earlier) {
				return one, nil
			}
		}
		expected := earlier.accepted.Asset + " on " + earlier.accepted.Network
		return nil, &NotAsAgreedError{OrderID: earlier.agreed.id, Field: "accepts", Expected: expected, Found: "other tokens"}
	}
	var known, held []*offered
	seen := map[string]bool{}
	for _, one := range terms {
		network := settlement.FindNetwork(one.agreed.ChainID)
		// A local chain has only test tokens.
		isKnown := one.agreed.knownToken() != nil || (network != nil && network.Token == nil)
		if isKnown && !seen[one.accepted.PayTo] {
			known = append(known, one)
		}
		seen[one.accepted.PayTo] = true
	}
	switch len(known) {
	case 0:
		return terms[0], nil
	case 1:
		return known[0], nil
	}
	for _, one := range known {
		node, err := nodeOf(ctx, nodes, one.agreed.ChainID)
		if err != nil || node == nil {
			return known[0], err
		}
		if id, err := node.ChainID(ctx); err != nil || id != one.agreed.ChainID {
			continue
		}
		if used, err := one.isUsed(ctx, node, payer, nonce); used || err != nil {
			return one, err
		}
		balance, err := ask(ctx, node, one.agreed.Terms.Token, settlement.BalanceCall(payer))
		if err != nil {
			return nil, nodeError(err)
		}
		if balance.Cmp(one.agreed.Terms.Amount) >= 0 {
			held = append(held, one)
		}
	}
	return append(held, known...)[0], nil
}

// isUsed reports whether the wallet has used a nonce by the method of the terms.
func (o *offered) isUsed(ctx context.Context, node Node, payer settlement.Address, nonce settlement.Hash) (bool, error) {
	if o.isPermit() {
		number := new(big.Int).SetBytes(nonce[:])
		bits, err := ask(ctx, node, settlement.Permit2, settlement.NonceBitmapCall(payer, new(big.Int).Rsh(number, 8)))
		return err == nil && bits.Bit(int(nonce[31])) == 1, nodeError(err)
	}
	used, err := ask(ctx, node, o.agreed.Terms.Token, settlement.AuthorizationUsedCall(payer, nonce))
	if isRevert(err) {
		// A token without authorizations has no used authorization.
		return false, nil
	}
	return err == nil && used.Sign() != 0, nodeError(err)
}

// isSuperseded reports whether signed terms can never be paid, because the nonce of their signature has paid other terms.
func (o *offered) isSuperseded(ctx context.Context, node Node, payer settlement.Address, nonce settlement.Hash) (bool, error) {
	used, err := o.isUsed(ctx, node, payer, nonce)
	if err != nil || !used {
		return false, err
	}
	// The balance is read first: money that moves into the escrow between the two reads must not count as missing.
	balance, err := ask(ctx, node, o.agreed.Terms.Token, settlement.BalanceCall(o.agreed.DepositAddress()))
	if err != nil || balance.Sign() != 0 {
		return false, nodeError(err)
	}
	has, err := o.agreed.hasEscrow(ctx, node)
	return err == nil && !has, err
}
