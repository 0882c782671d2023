// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestUSD} from "../../dev/TestUSD.sol";
import {Escrow} from "../../src/Escrow.sol";

/// @notice Reads an escrow during its payout, as a contract that is called meanwhile sees it.
contract WatchingToken is TestUSD {
    Escrow private escrow;
    bytes32 private escrowId;
    uint256 public looks;
    Escrow.Status public seenStatus;
    uint256 public seenOwed;

    function watch(Escrow escrow_, bytes32 escrowId_) external {
        escrow = escrow_;
        escrowId = escrowId_;
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (from != address(escrow) || from == address(0)) return;
        looks++;
        seenStatus = escrow.getEscrow(escrowId).status;
        seenOwed = escrow.owed(to, address(this));
    }
}
