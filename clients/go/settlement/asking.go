package settlement

// GetEscrowCall builds the call that reads the escrow. The first word of its result is the status; 0: there is no escrow.
func (e Escrow) GetEscrowCall() []byte {
	return encodeCall(e.Contract, "getEscrow", "bytes32", word(e.ID())).Data
}

// AuthorizationStateCall builds the call that reads whether a payer's authorization was used (EIP-3009). The result is 1 if it
// was.
func (e Escrow) AuthorizationStateCall(payer Address) []byte {
	return encodeCall(e.Terms.Token, "authorizationState", "address,bytes32", word(payer), word(e.PaymentNonce())).Data
}

// AllowanceCall builds the call that reads how much of an owner's money the escrow contract may take, in base units.
func (e Escrow) AllowanceCall(owner Address) []byte {
	return encodeCall(e.Terms.Token, "allowance", "address,address", word(owner), word(e.Contract)).Data
}

// DecimalsCall builds the call that reads a token's decimals.
func DecimalsCall() []byte { return encodeCall(Address{}, "decimals", "").Data }
