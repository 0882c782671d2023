// Written by scripts/generate/abis.ts from contracts/; do not edit.
export const anchorsAbi = [
  {
    type: "function",
    name: "anchor",
    inputs: [
      { name: "root", type: "bytes32", internalType: "bytes32" },
      { name: "size", type: "uint64", internalType: "uint64" },
    ],
    outputs: [],
    stateMutability: "nonpayable",
  },
  {
    type: "event",
    name: "Anchored",
    inputs: [
      { name: "publisher", type: "address", indexed: true, internalType: "address" },
      { name: "size", type: "uint64", indexed: false, internalType: "uint64" },
      { name: "root", type: "bytes32", indexed: false, internalType: "bytes32" },
    ],
    anonymous: false,
  },
] as const;
