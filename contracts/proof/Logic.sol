// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

// Conditions as words of 0 and 1. Solidity's && and || are jumps, and each jump doubles the paths of a proof.

function eq(uint256 a, uint256 b) pure returns (uint256 yes) {
    assembly { yes := eq(a, b) }
}

function ne(uint256 a, uint256 b) pure returns (uint256 yes) {
    assembly { yes := iszero(eq(a, b)) }
}

function le(uint256 a, uint256 b) pure returns (uint256 yes) {
    assembly { yes := iszero(gt(a, b)) }
}

function lt(uint256 a, uint256 b) pure returns (uint256 yes) {
    assembly { yes := lt(a, b) }
}

function implies(uint256 a, uint256 b) pure returns (uint256 yes) {
    return (1 ^ a) | b;
}

/// @dev `a` if `condition` is 1, else `b`.
function either(uint256 condition, uint256 a, uint256 b) pure returns (uint256 chosen) {
    unchecked {
        return b ^ ((a ^ b) & (0 - condition));
    }
}
