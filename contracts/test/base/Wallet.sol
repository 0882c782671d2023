// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/// @notice An ERC-1271 wallet that approves one digest at a time, whatever the signature's length.
contract Wallet is IERC1271 {
    bytes32 public approved;

    function approve(bytes32 digest) external {
        approved = digest;
    }

    function isValidSignature(bytes32 digest, bytes calldata) external view returns (bytes4) {
        return digest == approved ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// @notice A buyer's contract that takes no native coin.
contract Refuser {}
