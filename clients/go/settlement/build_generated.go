// Code generated from abis/build.ts and protocol/settlement/networks.ts by clients/generator (npm run generate). DO NOT EDIT.

package settlement

// escrowBuild is the code of the escrow contract, as it stands on a chain.
var escrowBuild = build{
	length: 22580,
	sha256: "5f778e7b867dcf77dc68e83ae2064053e4254c6366199f9d2e326831a9094770",
	immutables: []immutable{
		{name: "DEPOSIT_IMPLEMENTATION", places: []int{2803, 5518, 8081, 8875, 11695, 17838}},
		{name: "_cachedDomainSeparator", places: []int{21773}},
		{name: "_cachedChainId", places: []int{21962}},
		{name: "_cachedThis", places: []int{21726}},
		{name: "_hashedName", places: []int{21852}},
		{name: "_hashedVersion", places: []int{21890}},
		{name: "_name", places: []int{5153}},
		{name: "_version", places: []int{5195}},
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
