// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {vm} from "./Halmos.sol";
import {Proof} from "./Proof.sol";
import {CallingToken, setToken} from "./Tokens.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @notice The calls that a token can make while the contract calls it.
contract LocksProof is Proof {
    /// @notice While a token runs in any call, all functions that move money are locked.
    function proveCallsLock(address caller) external {
        CallingToken calling = new CallingToken(address(escrow), address(token), false);
        uint256 time = anyTime();
        bytes memory data = anyCall();
        setToken(data, address(calling));
        if (hasTerms(data)) {
            Words memory words = wordsOf(data);
            Stored memory old = stored(idOf(words));
            vm.assume(hasNoParts(old) && isReachable(old, words, time) == 1);
        }

        callAt(time, caller, data);
        assert(!calling.succeeded());
        bytes4 locked = ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector;
        assert(!calling.failed() || calling.answer() == locked);
    }

    /// @notice While a token runs, it can only record a delivery, dispute and decide, as anyone can; these functions call no token.
    /// @custom:halmos --loop 3
    function proveWhatIsOpenWhileLocked(address caller, address payee) external {
        CallingToken calling = new CallingToken(address(escrow), address(token), true);
        callAt(anyTime(), caller, abi.encodeCall(Escrow.withdraw, (address(calling), payee)));
        bytes4 entry = calling.entry();
        assert(
            !calling.succeeded() || entry == Escrow.recordDelivery.selector
                || entry == Escrow.recordDeliveryWithSignature.selector || entry == Escrow.dispute.selector
                || entry == Escrow.disputeWithSignature.selector || entry == Escrow.decideDispute.selector
                || entry == Escrow.decideDisputeWithSignature.selector
        );
        assert(token.calls() == 0);
    }
}
