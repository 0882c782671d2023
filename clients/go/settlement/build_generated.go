// Code generated from abis/build.ts and protocol/settlement/networks.ts by clients/generator (npm run generate). DO NOT EDIT.

package settlement

// escrowBuild is the code of the escrow contract, as it stands on a chain.
var escrowBuild = build{
	length: 22287,
	sha256: "4126977804a015898e089d50f28ccb093c622e03d9ff7c23f12043464725d82e",
	immutables: []immutable{
		{name: "DEPOSIT_IMPLEMENTATION", places: []int{2803, 5527, 8082, 8868, 11688, 17899}},
		{name: "_cachedDomainSeparator", places: []int{21665}},
		{name: "_cachedChainId", places: []int{21854}},
		{name: "_cachedThis", places: []int{21618}},
		{name: "_hashedName", places: []int{21744}},
		{name: "_hashedVersion", places: []int{21782}},
		{name: "_name", places: []int{5162}},
		{name: "_version", places: []int{5204}},
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
