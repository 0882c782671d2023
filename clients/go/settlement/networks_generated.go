// Code generated from abis/build.ts and protocol/settlement/networks.ts by clients/generator (npm run generate). DO NOT EDIT.

package settlement

var networks = []Network{
	{ChainID: 8453, Name: "Base", Token: &NetworkToken{Address: mustAddress("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"), Symbol: "USDC", Decimals: 6, Currency: "USD", Token: Token{Name: "USD Coin", Version: "2"}}},
	{ChainID: 84532, Name: "Base Sepolia", Token: &NetworkToken{Address: mustAddress("0x036CbD53842c5426634e7929541eC2318f3dCF7e"), Symbol: "USDC", Decimals: 6, Currency: "USD", Token: Token{Name: "USDC", Version: "2"}}},
	{ChainID: 1, Name: "Ethereum", Token: &NetworkToken{Address: mustAddress("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"), Symbol: "USDC", Decimals: 6, Currency: "USD", Token: Token{Name: "USD Coin", Version: "2"}}},
	{ChainID: 10, Name: "Optimism", Token: &NetworkToken{Address: mustAddress("0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85"), Symbol: "USDC", Decimals: 6, Currency: "USD", Token: Token{Name: "USD Coin", Version: "2"}}},
	{ChainID: 42161, Name: "Arbitrum One", Token: &NetworkToken{Address: mustAddress("0xaf88d065e77c8cC2239327C5EDb3A432268e5831"), Symbol: "USDC", Decimals: 6, Currency: "USD", Token: Token{Name: "USD Coin", Version: "2"}}},
	{ChainID: 137, Name: "Polygon PoS", Token: &NetworkToken{Address: mustAddress("0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"), Symbol: "USDC", Decimals: 6, Currency: "USD", Token: Token{Name: "USD Coin", Version: "2"}}},
	{ChainID: 31337, Name: "Local chain"},
}
