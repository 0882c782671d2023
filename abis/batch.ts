// Written by scripts/generate/abis.ts from contracts/; do not edit.
export const batchAbi = [
  {
    type: "function",
    name: "run",
    inputs: [
      { name: "target", type: "address", internalType: "address" },
      { name: "count", type: "uint256", internalType: "uint256" },
      { name: "calls", type: "bytes", internalType: "bytes" },
    ],
    outputs: [],
    stateMutability: "nonpayable",
  },
  {
    type: "event",
    name: "BatchRun",
    inputs: [{ name: "gasUsed", type: "bytes", indexed: false, internalType: "bytes" }],
    anonymous: false,
  },
  {
    type: "event",
    name: "CallFailed",
    inputs: [
      { name: "index", type: "uint256", indexed: false, internalType: "uint256" },
      { name: "reason", type: "bytes", indexed: false, internalType: "bytes" },
    ],
    anonymous: false,
  },
  {
    type: "error",
    name: "BytesMissing",
    inputs: [{ name: "missing", type: "uint256", internalType: "uint256" }],
  },
  {
    type: "error",
    name: "GapOutside",
    inputs: [
      { name: "offset", type: "uint256", internalType: "uint256" },
      { name: "length", type: "uint256", internalType: "uint256" },
    ],
  },
  {
    type: "error",
    name: "NotEnoughGas",
    inputs: [{ name: "index", type: "uint256", internalType: "uint256" }],
  },
  { type: "error", name: "ReentrancyGuardReentrantCall", inputs: [] },
  {
    type: "error",
    name: "WrongCount",
    inputs: [{ name: "count", type: "uint256", internalType: "uint256" }],
  },
] as const;
