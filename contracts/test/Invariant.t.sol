// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestUSD} from "../dev/TestUSD.sol";
import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {Handler} from "./base/Handler.sol";
import {BlockingToken} from "./base/Tokens.sol";

/// @notice What holds after any sequence of calls by anybody.
contract InvariantTest is EscrowTest {
    Handler private handler;

    function setUp() public override {
        super.setUp();
        handler = newHandler();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    /// @dev `drain` is the tests' own.
    function excludeSelectors() external view returns (FuzzSelector[] memory excluded) {
        excluded = new FuzzSelector[](1);
        excluded[0].addr = address(handler);
        excluded[0].selectors = new bytes4[](1);
        excluded[0].selectors[0] = Handler.drain.selector;
    }

    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    function invariant_theContractHoldsWhatIsOpenAndWhatIsOwed() public view {
        for (uint256 i = 0; i < 2; i++) {
            TestUSD each = handler.tokens(i);
            vm.assertEq(
                each.balanceOf(address(escrow)),
                handler.heldOf(address(each)) + handler.owedOf(address(each)),
                "open + owed"
            );
        }
    }

    function invariant_noMoneyIsMadeOrLost() public view {
        for (uint256 i = 0; i < 2; i++) {
            TestUSD each = handler.tokens(i);
            uint256 everywhere = each.balanceOf(address(escrow)) + handler.balancesOf(address(each))
                + handler.deposited(address(each));
            vm.assertEq(everywhere, handler.minted(address(each)), "minted");
        }
    }

    function invariant_onlyOpenEscrowsHoldMoney() public view {
        for (uint256 i = 0; i < handler.escrowCount(); i++) {
            bool ended = handler.statusAt(i) > Escrow.Status.Decided;
            vm.assertEq(handler.held(i), ended ? 0 : handler.termsAt(i).amount, "held");
        }
    }

    /// @dev After each run: time alone and a stranger bring every escrow to its end and the contract to zero.
    function afterInvariant() public {
        handler.drain();
        for (uint256 i = 0; i < handler.escrowCount(); i++) {
            vm.assertTrue(handler.statusAt(i) > Escrow.Status.Decided, "an escrow cannot end");
        }
        for (uint256 i = 0; i < 2; i++) {
            vm.assertEq(handler.tokens(i).balanceOf(address(escrow)), 0, "money is trapped");
        }
        vm.assertTrue(handler.escrowCount() > 0, "the run did nothing");
    }

    function test_theRandomCallsCanReachEveryEnd() public {
        uint256 windows = (1 days << 24) | (1 days << 56) | (3 days << 88) | (12 hours << 120);
        for (uint128 i = 0; i < 3; i++) {
            handler.createEscrow(windows, 99);
        }
        handler.release(0, 0);
        handler.dispute(1, true);
        handler.decideDispute(1, 40);
        handler.passTime(1 days);
        handler.settleDispute(1, true);
        handler.passTime(1 days);
        handler.refund(2, 1);
        vm.assertEq(handler.reached(Escrow.Status.Released), 1);
        vm.assertEq(handler.reached(Escrow.Status.Split), 1);
        vm.assertEq(handler.reached(Escrow.Status.Refunded), 1);
    }

    function newHandler() private returns (Handler) {
        return new Handler(escrow, token, new BlockingToken(), START);
    }
}
