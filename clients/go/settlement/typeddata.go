package settlement

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"

	"github.com/earnest-market/earnest-go/internal/canonical"
)

// TypedData is EIP-712 typed data as JSON. Wallets sign it unchanged (eth_signTypedData_v4). Integers wider than 53 bits are
// decimal strings.
type TypedData struct {
	Domain      Domain              `json:"domain"`
	Types       map[string][]Member `json:"types"`
	PrimaryType string              `json:"primaryType"`
	Message     map[string]any      `json:"message"`
}

// Domain names the contract for which a signature is valid.
type Domain struct {
	Name string `json:"name"`
	// Version is empty if the domain has none.
	Version           string  `json:"version,omitempty"`
	ChainID           uint64  `json:"chainId"`
	VerifyingContract Address `json:"verifyingContract"`
}

// Member is a field of a type.
type Member struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

var (
	// Permit2 is at the same address on every chain.
	Permit2 = mustAddress("0x000000000022D473030F116dDEE9F6B43aC78BA3")
	// Permit2Proxy is x402's for exact payments by Permit2, at the same address on every chain that has it.
	Permit2Proxy = mustAddress("0x402085c248EeA27D92E8b30b2C58ed07f9E20001")
)

func mustAddress(text string) Address {
	address, err := ParseAddress(text)
	if err != nil {
		panic(err)
	}
	return address
}

// Release returns the typed data that the buyer signs to release the money. The deadline is unix seconds.
func (e Escrow) Release(deadline *big.Int) TypedData {
	return e.typedData("Release", members("deadline", "uint256"), map[string]any{"deadline": deadline.String()})
}

// Refund returns the typed data that the provider signs to refund the money.
func (e Escrow) Refund(deadline *big.Int) TypedData {
	return e.typedData("Refund", members("deadline", "uint256"), map[string]any{"deadline": deadline.String()})
}

// Dispute returns the typed data that a party signs to dispute.
func (e Escrow) Dispute(reason Hash, deadline *big.Int) TypedData {
	return e.typedData("Dispute", members("reasonHash", "bytes32", "deadline", "uint256"),
		map[string]any{"reasonHash": reason.String(), "deadline": deadline.String()})
}

// RecordDelivery returns the typed data that the provider signs to record a delivery. The number is one more than the number of
// records, so an old signature cannot be used again.
func (e Escrow) RecordDelivery(output Hash, number uint32, deadline *big.Int) TypedData {
	return e.typedData("RecordDelivery", members("outputHash", "bytes32", "number", "uint32", "deadline", "uint256"),
		map[string]any{"outputHash": output.String(), "number": int64(number), "deadline": deadline.String()})
}

// RecordPart returns the typed data that the provider signs to record a part of the work: the provider's amount up to this part,
// in base units. A final part gives up the rest of the amount; a metered order's delivery is one final part. The number is as in
// RecordDelivery.
func (e Escrow) RecordPart(earned *big.Int, work Hash, isFinal bool, number uint32, deadline *big.Int) TypedData {
	return e.typedData("RecordPart",
		members("earned", "uint256", "workHash", "bytes32", "isFinal", "bool", "number", "uint32", "deadline", "uint256"),
		map[string]any{
			"earned": earned.String(), "workHash": work.String(), "isFinal": isFinal, "number": int64(number), "deadline": deadline.String(),
		})
}

// Voucher returns the typed data that the buyer signs to pay the provider this amount in all, in base units, for the work. The
// voucher is valid until the escrow ends.
func (e Escrow) Voucher(cumulativeAmount *big.Int, work Hash) TypedData {
	return e.typedData("Voucher", members("cumulativeAmount", "uint256", "workHash", "bytes32"),
		map[string]any{"cumulativeAmount": cumulativeAmount.String(), "workHash": work.String()})
}

// Close returns the typed data that both parties sign to end the escrow: the provider's amount, which includes the paid parts.
// The buyer gets the rest.
func (e Escrow) Close(providerAmount, deadline *big.Int) TypedData {
	return e.typedData("Close", members("providerAmount", "uint256", "deadline", "uint256"),
		map[string]any{"providerAmount": providerAmount.String(), "deadline": deadline.String()})
}

// Decision returns the typed data that the arbiter signs to decide a dispute: the provider's share in base units. The rest is
// the buyer's.
func (e Escrow) Decision(providerAmount *big.Int, ruling Hash, deadline *big.Int) TypedData {
	return e.typedData("DecideDispute", members("providerAmount", "uint256", "rulingHash", "bytes32", "deadline", "uint256"),
		map[string]any{"providerAmount": providerAmount.String(), "rulingHash": ruling.String(), "deadline": deadline.String()})
}

func (e Escrow) typedData(name string, fields []Member, message map[string]any) TypedData {
	message["escrowId"] = e.ID().String()
	return TypedData{
		Domain:      e.domain(),
		Types:       map[string][]Member{domainType: domainMembers(true), name: append(members("escrowId", "bytes32"), fields...)},
		PrimaryType: name,
		Message:     message,
	}
}

func (e Escrow) domain() Domain {
	return Domain{Name: "Earnest Escrow", Version: "1", ChainID: e.ChainID, VerifyingContract: e.Contract}
}

// Token is the EIP-712 name and version of the order's token.
type Token struct {
	Name    string
	Version string
}

// TransferAuthorization is the EIP-3009 authorization that a payer signs to pay by x402: of exactly the amount, to the deposit
// address. The nonce is 32 random bytes; times are unix seconds.
func (e Escrow) TransferAuthorization(token Token, from Address, validBefore *big.Int, nonce Hash) TypedData {
	return TypedData{
		Domain: Domain{Name: token.Name, Version: token.Version, ChainID: e.ChainID, VerifyingContract: e.Terms.Token},
		Types: map[string][]Member{
			domainType: domainMembers(true),
			"TransferWithAuthorization": members("from", "address", "to", "address", "value", "uint256", "validAfter", "uint256",
				"validBefore", "uint256", "nonce", "bytes32"),
		},
		PrimaryType: "TransferWithAuthorization",
		Message: map[string]any{
			"from": from.String(), "to": e.DepositAddress().String(), "value": e.Terms.Amount.String(), "validAfter": "0",
			"validBefore": validBefore.String(), "nonce": nonce.String(),
		},
	}
}

// ReceiveAuthorization is the EIP-3009 authorization of exactly the amount to the escrow contract. Its nonce is the escrow's id,
// so it is good for these terms alone. Times are unix seconds.
func (e Escrow) ReceiveAuthorization(token Token, from Address, validBefore *big.Int) TypedData {
	data := e.TransferAuthorization(token, from, validBefore, e.ID())
	data.Types["ReceiveWithAuthorization"] = data.Types[data.PrimaryType]
	delete(data.Types, data.PrimaryType)
	data.PrimaryType = "ReceiveWithAuthorization"
	data.Message["to"] = e.Contract.String()
	return data
}

// PermitTransfer is the permit that a payer signs for Permit2. x402's proxy can move the money only to the deposit address.
func (e Escrow) PermitTransfer(nonce, deadline *big.Int) TypedData {
	return TypedData{
		Domain: Domain{Name: "Permit2", ChainID: e.ChainID, VerifyingContract: Permit2},
		Types: map[string][]Member{
			domainType: domainMembers(false),
			"PermitWitnessTransferFrom": members("permitted", "TokenPermissions", "spender", "address", "nonce", "uint256",
				"deadline", "uint256", "witness", "Witness"),
			"TokenPermissions": members("token", "address", "amount", "uint256"),
			"Witness":          members("to", "address", "validAfter", "uint256"),
		},
		PrimaryType: "PermitWitnessTransferFrom",
		Message: map[string]any{
			"permitted": map[string]any{"token": e.Terms.Token.String(), "amount": e.Terms.Amount.String()},
			"spender":   Permit2Proxy.String(), "nonce": nonce.String(), "deadline": deadline.String(),
			"witness": map[string]any{"to": e.DepositAddress().String(), "validAfter": "0"},
		},
	}
}

const domainType = "EIP712Domain"

func domainMembers(hasVersion bool) []Member {
	if !hasVersion {
		return members("name", "string", "chainId", "uint256", "verifyingContract", "address")
	}
	return members("name", "string", "version", "string", "chainId", "uint256", "verifyingContract", "address")
}

func members(namesAndTypes ...string) []Member {
	var made []Member
	for pair := range slices.Chunk(namesAndTypes, 2) {
		made = append(made, Member{Name: pair[0], Type: pair[1]})
	}
	return made
}

// Matches refuses typed data of somebody else that differ from these: the API's typed_data, or any JSON.
func (t TypedData) Matches(given any) error {
	ours, err := canonicalOf(t)
	if err != nil {
		return err
	}
	theirs, err := canonicalOf(given)
	if err != nil {
		return err
	}
	if ours != theirs {
		return fmt.Errorf("settlement: the %s to sign is not the one that follows from the agreement", t.PrimaryType)
	}
	return nil
}

func canonicalOf(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	parsed, err := canonical.Parse(text)
	if err != nil {
		return "", err
	}
	written, err := canonical.Bytes(parsed)
	return string(written), err
}

// SignatureHex writes a signature in the form of the API.
func SignatureHex(signature []byte) string { return "0x" + hex.EncodeToString(signature) }
