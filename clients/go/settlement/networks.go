package settlement

// Network is a chain that this client knows by name.
type Network struct {
	ChainID uint64
	Name    string
	// Token is nil for a local chain, where any token is a test token.
	Token *NetworkToken
}

// NetworkToken is the token that orders of a chain are paid in.
type NetworkToken struct {
	Address  Address
	Symbol   string
	Decimals int
	// Currency is the currency that the token is redeemed for.
	Currency string
	// Token has the name and version of the token's EIP-712 domain.
	Token Token
}

// FindNetwork returns the known facts of a chain by its id, or nil.
func FindNetwork(chainID uint64) *Network {
	for _, network := range networks {
		if network.ChainID == chainID {
			return &network
		}
	}
	return nil
}
