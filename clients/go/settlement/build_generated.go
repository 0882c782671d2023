// Code generated from abis/build.ts and protocol/settlement/networks.ts by clients/generator (npm run generate). DO NOT EDIT.

package settlement

// escrowBuild is the code of the escrow contract, as it stands on a chain.
var escrowBuild = build{
	length: 17088,
	sha256: "149a15b0ad3ddb060f91f0a8a3a3cb5f1f8c58ff1a4b9821dbff0bf210c0f10c",
	immutables: []immutable{
		{name: "DEPOSIT_IMPLEMENTATION", places: []int{1761, 4076, 6209, 7079, 9841, 14218}},
		{name: "_cachedDomainSeparator", places: []int{16666}},
		{name: "_cachedChainId", places: []int{16855}},
		{name: "_cachedThis", places: []int{16619}},
		{name: "_hashedName", places: []int{16745}},
		{name: "_hashedVersion", places: []int{16783}},
		{name: "_name", places: []int{3711}},
		{name: "_version", places: []int{3753}},
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
