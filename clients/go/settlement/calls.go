package settlement

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"github.com/earnest-market/earnest-go/internal/keccak"
)

// Call is a contract call that any wallet can send. No call sends native coin.
type Call struct {
	Function string
	To       Address
	Data     []byte
}

// Matches refuses a call of somebody else that differs from this call: to, data and value (wei) as the API shows them.
func (c Call) Matches(to, data, value string) error {
	ours := "0x" + hex.EncodeToString(c.Data)
	switch {
	case !strings.EqualFold(to, c.To.String()):
		return fmt.Errorf("settlement: %s would be sent to %s, not to %s", c.Function, to, c.To)
	case !strings.EqualFold(data, ours):
		return fmt.Errorf("settlement: the data of %s are not those that follow from the agreement", c.Function)
	case value != "0":
		return fmt.Errorf("settlement: %s would send %s wei", c.Function, value)
	}
	return nil
}

// Signed is a party's signature, valid until the deadline (unix seconds).
type Signed struct {
	Deadline  *big.Int
	Signature []byte
}

// Authorization is a payer's EIP-3009 authorization of a transfer to the deposit address.
type Authorization struct {
	From        Address
	ValidAfter  *big.Int
	ValidBefore *big.Int
	Nonce       Hash
	Signature   []byte
}

// ApproveCall builds the call that allows the escrow contract to take exactly the amount from the sender.
func (e Escrow) ApproveCall() Call {
	return encodeCall(e.Terms.Token, "approve", "address,uint256", word(e.Contract), word(e.Terms.Amount))
}

// CreateEscrowCall creates the escrow from the sender's allowance.
func (e Escrow) CreateEscrowCall() Call { return e.call("createEscrow", "") }

// CreateEscrowFromDepositCall creates the escrow from the money at its deposit address; anyone sends it.
func (e Escrow) CreateEscrowFromDepositCall() Call { return e.call("createEscrowFromDeposit", "") }

// CreateEscrowWithAuthorizationCall creates the escrow by the payer's authorization; anyone sends it.
func (e Escrow) CreateEscrowWithAuthorizationCall(a Authorization) (Call, error) {
	if err := requireUint256(a.ValidAfter, a.ValidBefore); err != nil {
		return Call{}, err
	}
	return e.call("createEscrowWithAuthorization", ",address,uint256,uint256,bytes32,bytes",
		word(a.From), word(a.ValidAfter), word(a.ValidBefore), word(a.Nonce), dynamic(a.Signature)), nil
}

// CreateEscrowWithReceiveAuthorizationCall creates the escrow by the payer's authorization to the contract, whose nonce is the
// escrow's id; anyone sends it.
func (e Escrow) CreateEscrowWithReceiveAuthorizationCall(from Address, validBefore *big.Int, signature []byte) (Call, error) {
	if err := requireUint256(validBefore); err != nil {
		return Call{}, err
	}
	return e.call("createEscrowWithReceiveAuthorization", ",address,uint256,bytes",
		word(from), word(validBefore), dynamic(signature)), nil
}

// ReleaseCall releases the money to the provider.
func (e Escrow) ReleaseCall() Call { return e.call("release", "") }

// RefundCall gives the money back to the buyer.
func (e Escrow) RefundCall() Call { return e.call("refund", "") }

// SettleDisputeCall pays out the result of a dispute.
func (e Escrow) SettleDisputeCall() Call { return e.call("settleDispute", "") }

// RecordDeliveryCall records a delivery; the provider's own wallet sends it.
func (e Escrow) RecordDeliveryCall(output Hash) Call {
	return e.call("recordDelivery", ",bytes32", word(output))
}

// RecordPartCall records a part of the work; the provider's own wallet sends it. Its arguments are those of RecordPart.
func (e Escrow) RecordPartCall(earned *big.Int, work Hash, isFinal bool) (Call, error) {
	if err := requireUint256(earned); err != nil {
		return Call{}, err
	}
	return e.call("recordPart", ",uint256,bytes32,bool", word(earned), word(work), word(isFinal)), nil
}

// VoucherCall pays a part by the buyer's voucher; anyone sends it. The buyer's own wallet sends it without a signature.
func (e Escrow) VoucherCall(cumulativeAmount *big.Int, work Hash, signature []byte) (Call, error) {
	if err := requireUint256(cumulativeAmount); err != nil {
		return Call{}, err
	}
	return e.call("useVoucher", ",uint256,bytes32,bytes", word(cumulativeAmount), word(work), dynamic(signature)), nil
}

// ReleasePartCall pays the accepted parts to the provider; anyone sends it.
func (e Escrow) ReleasePartCall() Call { return e.call("releasePart", "") }

// DisputeCall disputes the escrow; a party's own wallet sends it.
func (e Escrow) DisputeCall(reason Hash) Call { return e.call("dispute", ",bytes32", word(reason)) }

// DecideDisputeCall decides a dispute; the arbiter's own wallet sends it.
func (e Escrow) DecideDisputeCall(providerAmount *big.Int, ruling Hash) (Call, error) {
	if err := requireUint256(providerAmount); err != nil {
		return Call{}, err
	}
	return e.call("decideDispute", ",uint256,bytes32", word(providerAmount), word(ruling)), nil
}

// ReturnDepositCall sends all of the order's token at the deposit address to the buyer.
func (e Escrow) ReturnDepositCall() Call {
	return e.call("returnDeposit", ",address", word(e.Terms.Token))
}

// RecordSignedDeliveryCall records a delivery by the provider's signature; anyone sends it.
func (e Escrow) RecordSignedDeliveryCall(output Hash, s Signed) (Call, error) {
	if err := requireUint256(s.Deadline); err != nil {
		return Call{}, err
	}
	return e.call("recordDeliveryWithSignature", ",bytes32,uint256,bytes", word(output), word(s.Deadline), dynamic(s.Signature)), nil
}

// RecordSignedPartCall records a part of the work by the provider's signature; anyone sends it.
func (e Escrow) RecordSignedPartCall(earned *big.Int, work Hash, isFinal bool, s Signed) (Call, error) {
	if err := requireUint256(earned, s.Deadline); err != nil {
		return Call{}, err
	}
	return e.call("recordPartWithSignature", ",uint256,bytes32,bool,uint256,bytes",
		word(earned), word(work), word(isFinal), word(s.Deadline), dynamic(s.Signature)), nil
}

// SignedReleaseCall releases by the buyer's signature; anyone sends it.
func (e Escrow) SignedReleaseCall(s Signed) (Call, error) {
	return e.signedCall("releaseWithSignature", s)
}

// SignedRefundCall refunds by the provider's signature; anyone sends it.
func (e Escrow) SignedRefundCall(s Signed) (Call, error) {
	return e.signedCall("refundWithSignature", s)
}

func (e Escrow) signedCall(function string, s Signed) (Call, error) {
	if err := requireUint256(s.Deadline); err != nil {
		return Call{}, err
	}
	return e.call(function, ",uint256,bytes", word(s.Deadline), dynamic(s.Signature)), nil
}

// SignedDisputeCall disputes by a party's signature; anyone sends it.
func (e Escrow) SignedDisputeCall(party Address, reason Hash, s Signed) (Call, error) {
	if err := requireUint256(s.Deadline); err != nil {
		return Call{}, err
	}
	return e.call("disputeWithSignature", ",address,bytes32,uint256,bytes",
		word(party), word(reason), word(s.Deadline), dynamic(s.Signature)), nil
}

// SignedDecisionCall decides a dispute by the arbiter's signature; anyone sends it.
func (e Escrow) SignedDecisionCall(providerAmount *big.Int, ruling Hash, s Signed) (Call, error) {
	if err := requireUint256(providerAmount, s.Deadline); err != nil {
		return Call{}, err
	}
	return e.call("decideDisputeWithSignature", ",uint256,bytes32,uint256,bytes",
		word(providerAmount), word(ruling), word(s.Deadline), dynamic(s.Signature)), nil
}

// call builds a call of the escrow contract, whose first argument is the terms.
func (e Escrow) call(function, types string, arguments ...any) Call {
	return encodeCall(e.Contract, function, termsType+types, append([]any{e.Terms.encode()}, arguments...)...)
}

// dynamic is an argument of any length; every other argument is whole words.
type dynamic []byte

// encodeCall writes a call as the contract ABI has it.
func encodeCall(to Address, function, types string, arguments ...any) Call {
	selector := keccak.Sum256([]byte(function + "(" + types + ")"))
	head := 0
	for _, argument := range arguments {
		if words, isWords := argument.([]byte); isWords {
			head += len(words)
		} else {
			head += 32
		}
	}
	data, tail := selector[:4:4], []byte{}
	for _, argument := range arguments {
		bytes, isDynamic := argument.(dynamic)
		if !isDynamic {
			data = append(data, argument.([]byte)...)
			continue
		}
		data = append(data, word(uint64(head+len(tail)))...)
		tail = append(tail, word(uint64(len(bytes)))...)
		tail = append(tail, bytes...)
		tail = append(tail, make([]byte, (32-len(bytes)%32)%32)...)
	}
	return Call{Function: function, To: to, Data: append(data, tail...)}
}
