package settlement

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/earnest-market/earnest-go/internal/canonical"
	"github.com/earnest-market/earnest-go/internal/keccak"
)

// Terms are the terms of an escrow, in the fields of the contract. Amount is base units, FundBy unix seconds, windows seconds.
type Terms struct {
	Buyer            Address
	Provider         Address
	Token            Address
	Amount           *big.Int
	FundBy           uint64
	DeliveryWindow   uint64
	AcceptanceWindow uint64
	DisputeWindow    uint64
	AppealWindow     uint64
	Arbiter          Address
	OrderHash        Hash
}

// VouchersOnly is the AcceptanceWindow of an escrow that the buyer's vouchers alone pay. The contract then takes no record of work
// and no dispute.
const VouchersOnly = 1<<32 - 1

// termsType is how the contract's signatures write the terms.
const termsType = "(address,address,address,uint128,uint48,uint32,uint32,uint32,uint32,address,bytes32)"

func (t Terms) encode() []byte {
	var encoded []byte
	for _, value := range []any{
		t.Buyer, t.Provider, t.Token, t.Amount, t.FundBy, t.DeliveryWindow, t.AcceptanceWindow, t.DisputeWindow, t.AppealWindow,
		t.Arbiter, t.OrderHash,
	} {
		encoded = append(encoded, word(value)...)
	}
	return encoded
}

// Escrow is the destination of an order's money: the contract on its chain, and the terms.
type Escrow struct {
	ChainID  uint64
	Contract Address
	Terms    Terms
}

// ID is the escrow's id: keccak256(abi.encode(chain id, contract, terms)).
func (e Escrow) ID() Hash {
	return keccak.Sum256(word(e.ChainID), word(e.Contract), e.Terms.encode())
}

// PaymentNonce returns the nonce of every authorization that any client signs for the order: the escrow's id. The token
// accepts a nonce once. So no crash, second process or dishonest service can make a wallet pay twice, to the deposit address
// or to the escrow contract.
func (e Escrow) PaymentNonce() Hash { return e.ID() }

// DepositImplementation returns the contract that all deposit addresses of the escrow contract are clones of. The constructor
// of the escrow contract makes it (CREATE, nonce 1).
func (e Escrow) DepositImplementation() Address {
	// RLP of the list of an address and 1.
	sum := keccak.Sum256([]byte{0xd6, 0x94}, e.Contract[:], []byte{0x01})
	return Address(sum[12:])
}

// DepositAddress returns the order's deposit address: the EIP-1167 clone that the contract deploys with CREATE2 (EIP-1014)
// and the escrow's id as salt. If the contract has the escrow's code, money there can only go into the escrow of these
// terms, or back to the buyer.
func (e Escrow) DepositAddress() Address {
	implementation := e.DepositImplementation()
	code := keccak.Sum256(
		[]byte("\x3d\x60\x2d\x80\x60\x0a\x3d\x39\x81\xf3\x36\x3d\x3d\x37\x3d\x3d\x3d\x36\x3d\x73"), implementation[:],
		[]byte("\x5a\xf4\x3d\x82\x80\x3e\x90\x3d\x91\x60\x2b\x57\xfd\x5b\xf3"),
	)
	id := e.ID()
	sum := keccak.Sum256([]byte{0xff}, e.Contract[:], id[:], code[:])
	return Address(sum[12:])
}

var (
	chainShape  = regexp.MustCompile(`\Aeip155:([1-9][0-9]{0,15})\z`)
	amountShape = regexp.MustCompile(`\A[1-9][0-9]{0,38}\z`)
)

const (
	mostFundBy = 1<<48 - 1
	mostWindow = 1<<32 - 1
)

// ReadAgreement recomputes the whole destination of an order's money from the document of GET /orders/{id}/agreement. The error
// names the malformed field.
//
//	escrow, err := settlement.ReadAgreement(agreement)
//	if err == nil && escrow.DepositAddress().String() != payTo {
//		err = errors.New("this would pay something else")
//	}
func ReadAgreement(document []byte) (*Escrow, error) {
	value, err := canonical.Parse(document)
	fields, isObject := value.(map[string]any)
	if err != nil || !isObject {
		return nil, fmt.Errorf("settlement: this is no agreement: it is no JSON object")
	}
	r := reader{fields: fields}
	if fields["version"] != json.Number("1") {
		r.problem("version", "must be 1")
	}
	token, _ := fields["token"].(map[string]any)
	escrow := &Escrow{
		ChainID:  r.chain("chain"),
		Contract: r.address("escrow_contract"),
		Terms: Terms{
			Buyer: r.address("buyer"), Provider: r.address("provider"), Arbiter: r.address("arbiter"),
			Amount: r.amount("amount_base_units"), FundBy: r.number("fund_by", 1, mostFundBy),
			DeliveryWindow:   r.number("delivery_window_seconds", 0, mostWindow),
			AcceptanceWindow: r.number("acceptance_window_seconds", 0, mostWindow),
			DisputeWindow:    r.number("dispute_window_seconds", 0, mostWindow),
			AppealWindow:     r.number("appeal_window_seconds", 0, mostWindow),
		},
	}
	if escrow.Terms.Token, err = ParseAddress(textOf(token, "address")); err != nil {
		r.problem("token.address", "must be an address in its EIP-55 form")
	}
	if len(r.problems) > 0 {
		return nil, fmt.Errorf("settlement: this is no agreement: %s", strings.Join(r.problems, "; "))
	}
	escrow.Terms.OrderHash, err = DigestOf(document)
	return escrow, err
}

// reader reads fields and collects their errors.
type reader struct {
	fields   map[string]any
	problems []string
}

func (r *reader) problem(name, what string) {
	r.problems = append(r.problems, name+" "+what)
}

func textOf(fields map[string]any, name string) string {
	text, _ := fields[name].(string)
	return text
}

func (r *reader) chain(name string) uint64 {
	found := chainShape.FindStringSubmatch(textOf(r.fields, name))
	if found == nil {
		r.problem(name, "must be a CAIP-2 id of an EVM chain")
		return 0
	}
	id, _ := strconv.ParseUint(found[1], 10, 64)
	return id
}

func (r *reader) address(name string) Address {
	address, err := ParseAddress(textOf(r.fields, name))
	if err != nil {
		r.problem(name, "must be an address in its EIP-55 form")
	}
	return address
}

func (r *reader) amount(name string) *big.Int {
	text := textOf(r.fields, name)
	units, _ := new(big.Int).SetString(text, 10)
	if !amountShape.MatchString(text) || units.BitLen() > 128 {
		r.problem(name, "must be a whole number of base units that fits uint128")
		return new(big.Int)
	}
	return units
}

func (r *reader) number(name string, least, most uint64) uint64 {
	text, _ := r.fields[name].(json.Number)
	number, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil || number < least || number > most {
		r.problem(name, fmt.Sprintf("must be a whole number from %d to %d", least, most))
		return 0
	}
	return number
}
