// Code generated from abis/build.ts and protocol/settlement/networks.ts by clients/generator (npm run generate). DO NOT EDIT.

package settlement

// escrowBuild is the code of the escrow contract, as it stands on a chain.
var escrowBuild = build{
	length: 22803,
	sha256: "2bca3e59243bc3f606722f349b58def4bd62da1da15782f9e916f5d8456e84b8",
	immutables: []immutable{
		{name: "DEPOSIT_IMPLEMENTATION", places: []int{2876, 5597, 8169, 9024, 11867, 18010}},
		{name: "_cachedDomainSeparator", places: []int{21996}},
		{name: "_cachedChainId", places: []int{22185}},
		{name: "_cachedThis", places: []int{21949}},
		{name: "_hashedName", places: []int{22075}},
		{name: "_hashedVersion", places: []int{22113}},
		{name: "_name", places: []int{5232}},
		{name: "_version", places: []int{5274}},
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
