// Code generated from abis/build.ts and settlement/networks.ts by clients/generator (npm run generate). DO NOT EDIT.

package settlement

// escrowBuild is the code of the escrow contract, as it stands on a chain.
var escrowBuild = build{
	length: 16791,
	sha256: "620a96dceef4ea08cfda61bf73769f54f5acab1183db0b6d90a467c3bcc646c5",
	immutables: []immutable{
		{name: "DEPOSIT_IMPLEMENTATION", places: []int{1750, 3978, 5798, 6614, 9494, 14270}},
		{name: "_cachedDomainSeparator", places: []int{16369}},
		{name: "_cachedChainId", places: []int{16558}},
		{name: "_cachedThis", places: []int{16322}},
		{name: "_hashedName", places: []int{16448}},
		{name: "_hashedVersion", places: []int{16486}},
		{name: "_name", places: []int{3642}},
		{name: "_version", places: []int{3684}},
	},
}

// depositBuild is the code of its deposits, as it stands on a chain.
var depositBuild = build{
	length: 790,
	sha256: "5e154d5bf8fe406528a2e7968824899d92baddb775e6400cacf0c1b86d258926",
	immutables: []immutable{
		{name: "ESCROW", places: []int{121, 301}},
	},
}
