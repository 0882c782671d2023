package settlement

import "math/big"

// GetEscrowCall builds the call that reads the escrow. The first word of its result is the status; 0: there is no escrow.
func (e Escrow) GetEscrowCall() []byte {
	return encodeCall(e.Contract, "getEscrow", "bytes32", word(e.ID())).Data
}

// AuthorizationUsedCall builds the call that reads whether a payer used a nonce of an authorization. The result is 1 if it was.
func AuthorizationUsedCall(payer Address, nonce Hash) []byte {
	return encodeCall(Address{}, "authorizationState", "address,bytes32", word(payer), word(nonce)).Data
}

// NonceBitmapCall builds the call of Permit2 that reads the used nonces of a payer in a word of 256 nonces.
func NonceBitmapCall(payer Address, at *big.Int) []byte {
	return encodeCall(Permit2, "nonceBitmap", "address,uint256", word(payer), word(at)).Data
}

// BalanceCall builds the call that reads a holder's balance of a token, in base units.
func BalanceCall(holder Address) []byte {
	return encodeCall(Address{}, "balanceOf", "address", word(holder)).Data
}

// AllowanceCall builds the call that reads how much of an owner's money the escrow contract may take, in base units.
func (e Escrow) AllowanceCall(owner Address) []byte {
	return encodeCall(e.Terms.Token, "allowance", "address,address", word(owner), word(e.Contract)).Data
}

// DecimalsCall builds the call that reads a token's decimals.
func DecimalsCall() []byte { return encodeCall(Address{}, "decimals", "").Data }
