// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestUSD} from "../dev/TestUSD.sol";
import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {BlockingToken} from "./base/Tokens.sol";
import {WatchingToken} from "./base/WatchingToken.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @notice Payouts that a token refuses, and their later withdrawal.
contract WithdrawTest is EscrowTest {
    BlockingToken private blocking;

    function setUp() public override {
        super.setUp();
        blocking = new BlockingToken();
        token = blocking;
    }

    function testFuzz_aRefusedPayoutIsOwedAndWithdrawnLater(uint128 amount, uint8 refusal, address caller)
        public
    {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(amount);
        refuse(provider, BlockingToken.Refusal(refusal % 4));
        vm.expectEmit(address(escrow));
        emit Escrow.Released(escrowId, provider, address(token), terms.amount);
        vm.expectEmit(address(escrow));
        emit Escrow.PayoutDeferred(escrowId, provider, address(token), terms.amount);
        vm.prank(buyer);
        escrow.release(terms);
        checkStatus(escrowId, Escrow.Status.Released);
        checkOwed(provider, terms.amount);
        checkBalance(address(escrow), terms.amount);

        blocking.setBlocked(provider, false);
        vm.expectEmit(address(escrow));
        emit Escrow.PayoutWithdrawn(provider, address(token), terms.amount);
        vm.prank(caller);
        vm.assertEq(escrow.withdraw(address(token), provider), terms.amount);
        checkOwed(provider, 0);
        checkBalance(provider, terms.amount);
    }

    function testFuzz_aBlockedProviderDoesNotBlockTheBuyer(uint8 refusal) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDecided();
        refuse(provider, BlockingToken.Refusal(refusal % 4));
        escrow.settleDispute(terms);
        checkStatus(escrowId, Escrow.Status.Split);
        checkBalance(buyer, 70);
        checkOwed(provider, 30);
    }

    function testFuzz_aBlockedBuyerDoesNotBlockTheProvider(uint8 refusal) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDecided();
        refuse(buyer, BlockingToken.Refusal(refusal % 4));
        escrow.settleDispute(terms);
        checkStatus(escrowId, Escrow.Status.Split);
        checkBalance(provider, 30);
        checkOwed(buyer, 70);
    }

    function test_bothMayBeOwed() public {
        (Escrow.Terms memory terms,) = newDecided();
        refuse(buyer, BlockingToken.Refusal.Revert);
        refuse(provider, BlockingToken.Refusal.Revert);
        escrow.settleDispute(terms);
        checkOwed(provider, 30);
        checkOwed(buyer, 70);
    }

    function test_whatIsOwedFromSeveralEscrowsAddsUp() public {
        (Escrow.Terms memory first,) = newFunded(100);
        (Escrow.Terms memory second,) = newFunded(11);
        refuse(buyer, BlockingToken.Refusal.Revert);
        vm.prank(provider);
        escrow.refund(first);
        vm.prank(provider);
        escrow.refund(second);
        checkOwed(buyer, 111);
        blocking.setBlocked(buyer, false);
        escrow.withdraw(address(token), buyer);
        checkBalance(buyer, 111);
        checkBalance(address(escrow), 0);
    }

    function test_staysOwedWhileTheTokenRefuses() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        refuse(provider, BlockingToken.Refusal.Revert);
        vm.prank(buyer);
        escrow.release(terms);
        expectError(BlockingToken.Blocked.selector, provider);
        escrow.withdraw(address(token), provider);
        checkOwed(provider, 100);
    }

    function test_aTokenThatLostItsCodeDefersThePayout() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        vm.etch(address(token), "");
        vm.prank(buyer);
        escrow.release(terms);
        checkStatus(escrowId, Escrow.Status.Released);
        checkOwed(provider, 100);
    }

    function testFuzz_tooLittleGasCannotDeferAGoodPayout(uint256 gas) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        gas = 20_000 + gas % 500_000;
        vm.prank(buyer);
        try escrow.release{gas: gas}(terms) {
            checkBalance(provider, 100);
        } catch {
            checkStatus(escrowId, Escrow.Status.Funded);
        }
        checkOwed(provider, 0);
    }

    function testFuzz_aRefusalCountsOnlyWithEnoughGas(uint256 gas) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        refuse(provider, BlockingToken.Refusal.Revert);
        gas = 100_000 + gas % 400_000;
        vm.prank(buyer);
        try escrow.release{gas: gas}(terms) {
            revert("a refusal counted with too little gas");
        } catch (bytes memory reason) {
            vm.assertEq(bytes32(bytes4(reason)), bytes32(Escrow.NotEnoughGas.selector));
        }
        checkStatus(escrowId, Escrow.Status.Funded);
    }

    function test_aRefusalCountsFromTheSetGasOn() public {
        uint256 set = 500_000;
        vm.assertEq(escrow.DEFERRAL_GAS(), set);
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        refuse(provider, BlockingToken.Refusal.Revert);
        // What a call has used up by the time of its payout.
        uint256 used;
        vm.prank(buyer);
        try escrow.release{gas: set}(terms) {
            revert("a refusal counted with too little gas");
        } catch (bytes memory reason) {
            (uint256 available, uint256 required) = this.readNotEnoughGas(reason);
            vm.assertEq(required, set);
            used = set - available;
        }
        expectError(Escrow.NotEnoughGas.selector, set - 1, set);
        vm.prank(buyer);
        escrow.release{gas: used + set - 1}(terms);
        checkStatus(escrowId, Escrow.Status.Funded);

        vm.prank(buyer);
        escrow.release{gas: used + set}(terms);
        checkStatus(escrowId, Escrow.Status.Released);
        checkOwed(provider, 100);
    }

    function test_emitsOnceAndBeforeTheMoneyMoves() public {
        oweOnce(token);
        vm.recordLogs();
        escrow.withdraw(address(token), provider);
        checkEvents(abi.encodePacked(Escrow.PayoutWithdrawn.selector, IERC20.Transfer.selector));
    }

    function test_theTokenSeesNothingOwedAnyMore() public {
        WatchingToken watching = new WatchingToken();
        bytes32 escrowId = oweOnce(watching);
        watching.watch(escrow, escrowId);
        escrow.withdraw(address(token), provider);
        vm.assertEq(watching.looks(), 1);
        vm.assertEq(watching.seenOwed(), 0);
        checkBalance(provider, 100);
    }

    function test_refusesWhereNothingIsOwed() public {
        expectError(Escrow.NothingOwed.selector, provider, address(token));
        escrow.withdraw(address(token), provider);
    }

    function test_refusesTwice() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        newFunded(101);
        refuse(provider, BlockingToken.Refusal.Revert);
        vm.prank(buyer);
        escrow.release(terms);
        blocking.setBlocked(provider, false);
        escrow.withdraw(address(token), provider);
        expectError(Escrow.NothingOwed.selector, provider, address(token));
        escrow.withdraw(address(token), provider);
        checkBalance(address(escrow), 101);
    }

    /// @dev A decided dispute, 30 to the provider and 70 to the buyer, which may be settled now.
    function newDecided() private returns (Escrow.Terms memory terms, bytes32 escrowId) {
        (terms, escrowId) = newDisputed(100);
        decide(terms, 30);
        vm.warp(START + APPEAL_WINDOW);
    }

    /// @dev Leaves 100 of this token owed to the provider, by a release while the token had no code.
    function oweOnce(TestUSD token_) private returns (bytes32 escrowId) {
        token = token_;
        Escrow.Terms memory terms;
        (terms, escrowId) = newFunded(100);
        bytes memory code = address(token).code;
        vm.etch(address(token), "");
        vm.prank(buyer);
        escrow.release(terms);
        vm.etch(address(token), code);
        checkOwed(provider, 100);
    }

    function readNotEnoughGas(bytes calldata reason) external pure returns (uint256, uint256) {
        vm.assertEq(bytes32(bytes4(reason)), bytes32(Escrow.NotEnoughGas.selector));
        return abi.decode(reason[4:], (uint256, uint256));
    }

    function refuse(address account, BlockingToken.Refusal refusal) private {
        blocking.setBlocked(account, true);
        blocking.setRefusal(refusal);
    }

    function checkOwed(address payee, uint256 expected) private view {
        vm.assertEq(escrow.owed(payee, address(token)), expected, "owed");
    }
}
