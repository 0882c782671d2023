// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {EscrowTest} from "./base/EscrowTest.sol";
import {Handler} from "./base/Handler.sol";

/// @notice The invariants after any sequence of calls by anybody.
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

    /// @dev The tests, and not the fuzzer, make the last calls of a run.
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

    /// @dev After each run, the ledgers of all accounts and escrows agree with the contract. Then an outsider ends every
    ///      escrow by time alone, which empties the contract, and the ledgers agree again.
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
