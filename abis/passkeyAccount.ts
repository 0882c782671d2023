// Written by scripts/generate/abis.ts from contracts/; do not edit.
export const passkeyAccountAbi = [
  { type: "constructor", inputs: [], stateMutability: "nonpayable" },
  { type: "receive", stateMutability: "payable" },
  {
    type: "function",
    name: "eip712Domain",
    inputs: [],
    outputs: [
      { name: "fields", type: "bytes1", internalType: "bytes1" },
      { name: "name", type: "string", internalType: "string" },
      { name: "version", type: "string", internalType: "string" },
      { name: "chainId", type: "uint256", internalType: "uint256" },
      { name: "verifyingContract", type: "address", internalType: "address" },
      { name: "salt", type: "bytes32", internalType: "bytes32" },
      { name: "extensions", type: "uint256[]", internalType: "uint256[]" },
    ],
    stateMutability: "view",
  },
  {
    type: "function",
    name: "execute",
    inputs: [
      {
        name: "calls",
        type: "tuple[]",
        internalType: "struct PasskeyAccount.Call[]",
        components: [
          { name: "to", type: "address", internalType: "address" },
          { name: "value", type: "uint256", internalType: "uint256" },
          { name: "data", type: "bytes", internalType: "bytes" },
        ],
      },
      { name: "deadline", type: "uint256", internalType: "uint256" },
      { name: "signature", type: "bytes", internalType: "bytes" },
    ],
    outputs: [],
    stateMutability: "nonpayable",
  },
  {
    type: "function",
    name: "executeHash",
    inputs: [
      {
        name: "calls",
        type: "tuple[]",
        internalType: "struct PasskeyAccount.Call[]",
        components: [
          { name: "to", type: "address", internalType: "address" },
          { name: "value", type: "uint256", internalType: "uint256" },
          { name: "data", type: "bytes", internalType: "bytes" },
        ],
      },
      { name: "number", type: "uint256", internalType: "uint256" },
      { name: "deadline", type: "uint256", internalType: "uint256" },
    ],
    outputs: [{ name: "digest", type: "bytes32", internalType: "bytes32" }],
    stateMutability: "view",
  },
  {
    type: "function",
    name: "isValidSignature",
    inputs: [
      { name: "hash", type: "bytes32", internalType: "bytes32" },
      { name: "signature", type: "bytes", internalType: "bytes" },
    ],
    outputs: [{ name: "magic", type: "bytes4", internalType: "bytes4" }],
    stateMutability: "view",
  },
  {
    type: "function",
    name: "messageHash",
    inputs: [{ name: "hash", type: "bytes32", internalType: "bytes32" }],
    outputs: [{ name: "digest", type: "bytes32", internalType: "bytes32" }],
    stateMutability: "view",
  },
  {
    type: "function",
    name: "nonce",
    inputs: [],
    outputs: [{ name: "", type: "uint256", internalType: "uint256" }],
    stateMutability: "view",
  },
  {
    type: "function",
    name: "onERC721Received",
    inputs: [
      { name: "", type: "address", internalType: "address" },
      { name: "", type: "address", internalType: "address" },
      { name: "", type: "uint256", internalType: "uint256" },
      { name: "", type: "bytes", internalType: "bytes" },
    ],
    outputs: [{ name: "", type: "bytes4", internalType: "bytes4" }],
    stateMutability: "nonpayable",
  },
  {
    type: "function",
    name: "signer",
    inputs: [],
    outputs: [
      { name: "x", type: "bytes32", internalType: "bytes32" },
      { name: "y", type: "bytes32", internalType: "bytes32" },
    ],
    stateMutability: "view",
  },
  { type: "event", name: "EIP712DomainChanged", inputs: [], anonymous: false },
  {
    type: "error",
    name: "Expired",
    inputs: [
      { name: "deadline", type: "uint256", internalType: "uint256" },
      { name: "time", type: "uint256", internalType: "uint256" },
    ],
  },
  { type: "error", name: "InvalidShortString", inputs: [] },
  {
    type: "error",
    name: "InvalidSignature",
    inputs: [{ name: "digest", type: "bytes32", internalType: "bytes32" }],
  },
  {
    type: "error",
    name: "SignerP256InvalidPublicKey",
    inputs: [
      { name: "qx", type: "bytes32", internalType: "bytes32" },
      { name: "qy", type: "bytes32", internalType: "bytes32" },
    ],
  },
  { type: "error", name: "StringTooLong", inputs: [{ name: "str", type: "string", internalType: "string" }] },
] as const;

export const passkeyAccountFactoryAbi = [
  { type: "constructor", inputs: [], stateMutability: "nonpayable" },
  {
    type: "function",
    name: "IMPLEMENTATION",
    inputs: [],
    outputs: [{ name: "", type: "address", internalType: "address" }],
    stateMutability: "view",
  },
  {
    type: "function",
    name: "addressOf",
    inputs: [
      { name: "x", type: "bytes32", internalType: "bytes32" },
      { name: "y", type: "bytes32", internalType: "bytes32" },
    ],
    outputs: [{ name: "account", type: "address", internalType: "address" }],
    stateMutability: "view",
  },
  {
    type: "function",
    name: "create",
    inputs: [
      { name: "x", type: "bytes32", internalType: "bytes32" },
      { name: "y", type: "bytes32", internalType: "bytes32" },
    ],
    outputs: [{ name: "account", type: "address", internalType: "address" }],
    stateMutability: "nonpayable",
  },
  {
    type: "function",
    name: "createAndExecute",
    inputs: [
      { name: "x", type: "bytes32", internalType: "bytes32" },
      { name: "y", type: "bytes32", internalType: "bytes32" },
      {
        name: "calls",
        type: "tuple[]",
        internalType: "struct PasskeyAccount.Call[]",
        components: [
          { name: "to", type: "address", internalType: "address" },
          { name: "value", type: "uint256", internalType: "uint256" },
          { name: "data", type: "bytes", internalType: "bytes" },
        ],
      },
      { name: "deadline", type: "uint256", internalType: "uint256" },
      { name: "signature", type: "bytes", internalType: "bytes" },
    ],
    outputs: [],
    stateMutability: "nonpayable",
  },
  {
    type: "event",
    name: "Created",
    inputs: [
      { name: "account", type: "address", indexed: true, internalType: "address" },
      { name: "x", type: "bytes32", indexed: false, internalType: "bytes32" },
      { name: "y", type: "bytes32", indexed: false, internalType: "bytes32" },
    ],
    anonymous: false,
  },
  { type: "error", name: "CloneArgumentsTooLong", inputs: [] },
  { type: "error", name: "Create2EmptyBytecode", inputs: [] },
  { type: "error", name: "FailedDeployment", inputs: [] },
  {
    type: "error",
    name: "InsufficientBalance",
    inputs: [
      { name: "balance", type: "uint256", internalType: "uint256" },
      { name: "needed", type: "uint256", internalType: "uint256" },
    ],
  },
  {
    type: "error",
    name: "InvalidPublicKey",
    inputs: [
      { name: "x", type: "bytes32", internalType: "bytes32" },
      { name: "y", type: "bytes32", internalType: "bytes32" },
    ],
  },
] as const;
