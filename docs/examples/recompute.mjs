// Recomputes the deposit address of agreement.json by viem alone.

import { readFileSync } from "node:fs";
import canonicalize from "canonicalize";
import {
  concat,
  encodeAbiParameters,
  getAddress,
  keccak256,
  parseAbiParameters,
  sha256,
  slice,
  toBytes,
  toRlp,
} from "viem";

const a = JSON.parse(readFileSync("agreement.json", "utf8"));

// 1. The agreement's hash.
const orderHash = sha256(toBytes(canonicalize(a)));

// 2. The terms in the contract's order, and their id.
const windows = [
  a.delivery_window_seconds,
  a.acceptance_window_seconds,
  a.dispute_window_seconds,
  a.appeal_window_seconds,
];
const terms = [
  a.buyer,
  a.provider,
  a.token.address,
  BigInt(a.amount_base_units),
  a.fund_by,
  ...windows,
  a.arbiter,
  orderHash,
];
const types =
  "(address, address, address, uint128, uint48, uint32, uint32, uint32, uint32, address, bytes32)";
const id = parseAbiParameters(`uint256, address, ${types}`);
const escrowId = keccak256(
  encodeAbiParameters(id, [BigInt(a.chain.split(":")[1]), a.escrow_contract, terms]),
);

// 3. The implementation: the first contract that the escrow contract made, so keccak256(rlp([escrow, 1])).
const implementation = slice(keccak256(toRlp([a.escrow_contract, "0x01"])), 12);
const clone = concat([
  "0x3d602d80600a3d3981f3363d3d373d3d3d363d73",
  implementation,
  "0x5af43d82803e903d91602b57fd5bf3",
]);

// 4. CREATE2: keccak256(0xff, deployer, salt, keccak256(creation code)).
const depositAddress = slice(keccak256(concat(["0xff", a.escrow_contract, escrowId, keccak256(clone)])), 12);

console.log("orderHash       ", orderHash);
console.log("escrowId        ", escrowId);
console.log("implementation  ", getAddress(implementation));
console.log("deposit address ", getAddress(depositAddress));
