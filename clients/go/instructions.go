package earnest

import (
	"fmt"

	"github.com/earnest-market/earnest-go/settlement"
)

// instructions compares the service's payment instructions with the agreement.
type instructions struct{ comparison }

func (c *instructions) same(field string, expected, found any) {
	c.comparison.same("payment_instructions."+field, expected, found)
}

// order compares the facts that both rails show.
func (c *instructions) order(shown *PaymentInstructions, p *payment) {
	agreed, terms := p.agreed, p.agreed.Terms
	c.same("settlement_rail", p.rail, shown.SettlementRail)
	c.same("order_id", agreed.id, shown.OrderID)
	c.same("chain_id", agreed.ChainID, shown.ChainID)
	c.same("escrow_contract", agreed.Contract, shown.EscrowContract)
	c.same("token_address", terms.Token, shown.TokenAddress)
	c.same("token_decimals", p.decimals, shown.TokenDecimals)
	c.same("amount_base_units", terms.Amount.String(), shown.AmountBaseUnits)
	c.same("escrow_id", agreed.ID(), shown.EscrowID)
	c.same("deposit_address", agreed.DepositAddress(), shown.DepositAddress)
	c.same("buyer_address", terms.Buyer, shown.BuyerAddress)
	c.same("provider_address", terms.Provider, shown.ProviderAddress)
	for name, value := range map[string]any{
		"buyer": terms.Buyer, "provider": terms.Provider, "token": terms.Token, "amount": terms.Amount, "fundBy": terms.FundBy,
		"deliveryWindow": terms.DeliveryWindow, "acceptanceWindow": terms.AcceptanceWindow, "disputeWindow": terms.DisputeWindow,
		"appealWindow": terms.AppealWindow, "arbiter": terms.Arbiter, "orderHash": terms.OrderHash,
	} {
		c.same("terms."+name, fmt.Sprint(value), textOf(shown.Terms[name]))
	}
}

// calls compares the calls of the rail escrow.
func (c *instructions) calls(shown *PaymentInstructions, ours ...settlement.Call) {
	c.same("calls.length", len(ours), len(shown.Calls))
	if c.err != nil {
		return
	}
	for at, call := range ours {
		found := shown.Calls[at]
		c.same(fmt.Sprintf("calls[%d].function", at), call.Function, found.Function)
		c.same(fmt.Sprintf("calls[%d].to", at), call.To, found.To)
		c.same(fmt.Sprintf("calls[%d].data", at), settlement.SignatureHex(call.Data), found.Data)
		c.same(fmt.Sprintf("calls[%d].value", at), "0", found.Value)
	}
}

// way is a payment by one signature: the signed authorization, and its name beside the signature.
type way struct {
	name string
	data settlement.TypedData
}

// authorizations builds the authorizations that the payer may sign, in order of preference. The first is to the escrow
// contract, if the service offers it. The second is to the deposit address. The service's data is compared with them.
func (c *instructions) authorizations(
	shown *PaymentInstructions, agreed *agreedOrder, transfer, receive func(settlement.Token) settlement.TypedData,
) (candidates []way, err error) {
	at, accepted := -1, PaymentRequirements{}
	if shown.PaymentRequired != nil {
		for index, one := range shown.PaymentRequired.Accepts {
			if one.Extra.AssetTransferMethod == nil {
				at, accepted = index, one
				break
			}
		}
	}
	given := shown.TypedData
	if c.err == nil && (at < 0 || given == nil) {
		return nil, &PaymentFailedError{OrderID: agreed.id, Reason: "its token takes no authorization (EIP-3009); place it on the rail escrow"}
	}
	if c.err != nil {
		return nil, c.err
	}
	token, err := agreed.payable(fmt.Sprintf("payment_instructions.payment_required.accepts[%d]", at), accepted)
	if err != nil {
		return nil, err
	}
	candidates = []way{{"authorization", transfer(token)}}
	c.typedData("typed_data", candidates[0].data, given, "to", "value")
	if offered := shown.ReceiveAuthorization; offered != nil {
		preferred := way{"receiveAuthorization", receive(token)}
		c.typedData("receive_authorization", preferred.data, offered, "to", "value", "nonce")
		candidates = append([]way{preferred}, candidates...)
	}
	return candidates, c.err
}

// typedData compares the typed data of the service with the typed data to sign. The wallet chooses the times.
func (c *instructions) typedData(field string, data settlement.TypedData, given *TypedData, members ...string) {
	c.same(field+".primaryType", data.PrimaryType, given.PrimaryType)
	c.same(field+".domain.name", data.Domain.Name, given.Domain.Name)
	c.same(field+".domain.version", data.Domain.Version, given.Domain.Version)
	c.same(field+".domain.chainId", data.Domain.ChainID, given.Domain.ChainID)
	c.same(field+".domain.verifyingContract", data.Domain.VerifyingContract, given.Domain.VerifyingContract)
	c.same(field+".types", data.Types, given.Types)
	for _, name := range members {
		c.same(field+".message."+name, data.Message[name], given.Message[name])
	}
}
