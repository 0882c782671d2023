package settlement

// Network is a chain that is known by name.
type Network struct {
	ChainID uint64
	Name    string
	// Nil on the chain of one's own machine, where any token is a test's.
	Token *NetworkToken
}

// NetworkToken is the token that orders of a chain are paid in.
type NetworkToken struct {
	Address  Address
	Decimals int
	// Token has the name and version of the token's EIP-712 domain.
	Token Token
}

// FindNetwork is what is known of a chain by its id; nil where nothing is.
func FindNetwork(chainID uint64) *Network {
	for _, network := range networks {
		if network.ChainID == chainID {
			return &network
		}
	}
	return nil
}
