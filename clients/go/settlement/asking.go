package settlement

// GetEscrowCall asks the escrow contract for the escrow. The answer's first word is its status; 0: there is none.
func (e Escrow) GetEscrowCall() []byte {
	return encodeCall(e.Contract, "getEscrow", "bytes32", word(e.ID())).Data
}

// AuthorizationStateCall asks the order's token whether a payer's authorization was used (EIP-3009). The answer is 1 where it
// was.
func (e Escrow) AuthorizationStateCall(payer Address) []byte {
	return encodeCall(e.Terms.Token, "authorizationState", "address,bytes32", word(payer), word(e.PaymentNonce())).Data
}

// AllowanceCall asks the order's token how much of an owner's money the escrow contract may take, in base units.
func (e Escrow) AllowanceCall(owner Address) []byte {
	return encodeCall(e.Terms.Token, "allowance", "address,address", word(owner), word(e.Contract)).Data
}

// DecimalsCall asks a token for its decimals.
func DecimalsCall() []byte { return encodeCall(Address{}, "decimals", "").Data }
