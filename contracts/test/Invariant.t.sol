// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {EscrowTest} from "./base/EscrowTest.sol";
import {Handler} from "./base/Handler.sol";

/// @notice What holds after any sequence of calls by anybody.
contract InvariantTest is EscrowTest {
    Handler private handler;

    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    function setUp() public override {
        super.setUp();
        handler = new Handler(escrow, token, START);
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    /// @dev What a run ends with is the tests' own.
    function excludeSelectors() external view returns (FuzzSelector[] memory excluded) {
        excluded = new FuzzSelector[](1);
        excluded[0].addr = address(handler);
        excluded[0].selectors = new bytes4[](2);
        excluded[0].selectors[0] = Handler.finish.selector;
        excluded[0].selectors[1] = handler.writeCounts.selector;
    }

    function invariant_theBooksAgree() public view {
        handler.checkTotals();
    }

    /// @dev After each run: the books of everybody and of each escrow agree; time alone and a stranger bring every
    ///      escrow to its end and the contract to zero; and the books agree again.
    function afterInvariant() public {
        handler.checkEverybody();
        handler.checkEnded();
        handler.writeCounts();
        handler.finish();
        handler.checkTotals();
        handler.checkEverybody();
        handler.checkEnded();
    }
}
