// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {FalseToken, FeeToken, ReentrantToken, SilentToken} from "./base/Tokens.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @notice Tokens that keep a fee, return false, return nothing, or call back. Blocking ones: Withdraw.t.sol.
contract MisbehavingTokensTest is EscrowTest {
    function testFuzz_refusesATokenThatKeepsAFee(uint128 amount) public {
        token = new FeeToken(address(0));
        Escrow.Terms memory terms = newTerms(amount < 100 ? 100 : amount);
        prepare(terms, buyer);
        expectError(Escrow.ReceivedTooLittle.selector, terms.amount - terms.amount / 100, terms.amount);
        vm.prank(buyer);
        escrow.createEscrow(terms);
    }

    function test_refusesATokenThatKeepsAFeeOnTheWayFromTheDeposit() public {
        token = new FeeToken(address(escrow));
        Escrow.Terms memory terms = newTerms(1000);
        token.mint(escrow.depositAddressOf(terms), 1000);
        expectError(Escrow.ReceivedTooLittle.selector, 990, 1000);
        escrow.createEscrowFromDeposit(terms);
    }

    function test_refusesATokenThatReturnsFalse() public {
        FalseToken falseToken = new FalseToken();
        Escrow.Terms memory terms = newTerms(100);
        terms.token = address(falseToken);
        falseToken.mint(buyer, 100);
        expectError(SafeERC20.SafeERC20FailedOperation.selector, address(falseToken));
        vm.prank(buyer);
        escrow.createEscrow(terms);
    }

    function test_takesAndPaysATokenThatReturnsNothing() public {
        SilentToken silent = new SilentToken();
        Escrow.Terms memory terms = newTerms(100);
        terms.token = address(silent);
        silent.mint(buyer, 100);
        vm.prank(buyer);
        silent.approve(address(escrow), 100);
        vm.prank(buyer);
        escrow.createEscrow(terms);
        vm.prank(buyer);
        escrow.release(terms);
        vm.assertEq(silent.balanceOf(provider), 100);
    }

    function test_takesATokenThatReturnsNothingFromTheDeposit() public {
        SilentToken silent = new SilentToken();
        Escrow.Terms memory terms = newTerms(100);
        terms.token = address(silent);
        silent.mint(escrow.depositAddressOf(terms), 150);
        escrow.createEscrowFromDeposit(terms);
        escrow.returnDeposit(terms, address(silent));
        vm.assertEq(silent.balanceOf(address(escrow)), 100);
        vm.assertEq(silent.balanceOf(buyer), 50);
    }

    function test_aTokenCannotReenterACreation() public {
        ReentrantToken reentrant = useReentrant();
        Escrow.Terms memory terms = newTerms(100);
        Escrow.Terms memory other = newTerms(101);
        prepare(terms, buyer);
        token.mint(escrow.depositAddressOf(other), 101);
        // Without the lock, the inner creation's money would be counted for the outer one too.
        reentrant.arm(address(escrow), abi.encodeCall(Escrow.createEscrowFromDeposit, (other)));
        vm.prank(buyer);
        escrow.createEscrow(terms);
        checkLocked(reentrant);
        checkStatus(escrow.escrowIdOf(other), Escrow.Status.None);
        checkBalance(address(escrow), 100);
    }

    function test_aTokenCannotReenterACreationFromDeposit() public {
        ReentrantToken reentrant = useReentrant();
        Escrow.Terms memory terms = newTerms(100);
        token.mint(escrow.depositAddressOf(terms), 150);
        reentrant.arm(address(escrow), abi.encodeCall(Escrow.returnDeposit, (terms, address(token))));
        escrow.createEscrowFromDeposit(terms);
        checkLocked(reentrant);
        checkBalance(address(escrow), 100);
    }

    function test_aTokenCannotReenterARelease() public {
        ReentrantToken reentrant = useReentrant();
        (Escrow.Terms memory terms,) = newFunded(100);
        (Escrow.Terms memory other, bytes32 otherId) = newDelivered(101);
        vm.warp(START + ACCEPTANCE_WINDOW);
        reentrant.arm(address(escrow), abi.encodeCall(Escrow.release, (other)));
        vm.prank(buyer);
        escrow.release(terms);
        checkLocked(reentrant);
        checkStatus(otherId, Escrow.Status.Funded);
        checkBalance(provider, 100);
    }

    function test_aTokenCannotReenterARefund() public {
        ReentrantToken reentrant = useReentrant();
        (Escrow.Terms memory terms,) = newFunded(100);
        (Escrow.Terms memory other, bytes32 otherId) = newFunded(101);
        vm.warp(START + DELIVERY_WINDOW + 1);
        reentrant.arm(address(escrow), abi.encodeCall(Escrow.refund, (other)));
        escrow.refund(terms);
        checkLocked(reentrant);
        checkStatus(otherId, Escrow.Status.Funded);
        checkBalance(buyer, 100);
    }

    function test_aTokenCannotReenterASettlement() public {
        ReentrantToken reentrant = useReentrant();
        (Escrow.Terms memory terms,) = newDisputed(100);
        decide(terms, 40);
        vm.warp(START + APPEAL_WINDOW);
        reentrant.arm(address(escrow), abi.encodeCall(Escrow.settleDispute, (terms)));
        escrow.settleDispute(terms);
        checkLocked(reentrant);
        checkBalance(provider, 40);
        checkBalance(buyer, 60);
    }

    function test_aTokenCannotReenterAReturn() public {
        ReentrantToken reentrant = useReentrant();
        Escrow.Terms memory terms = newTerms(100);
        vm.warp(FUND_BY + 1);
        token.mint(escrow.depositAddressOf(terms), 100);
        reentrant.arm(address(escrow), abi.encodeCall(Escrow.returnDeposit, (terms, address(token))));
        escrow.returnDeposit(terms, address(token));
        checkLocked(reentrant);
        checkBalance(buyer, 100);
    }

    function useReentrant() private returns (ReentrantToken reentrant) {
        reentrant = new ReentrantToken();
        token = reentrant;
    }

    function checkLocked(ReentrantToken reentrant) private view {
        vm.assertTrue(reentrant.attempted(), "the token did not try");
        vm.assertTrue(!reentrant.succeeded(), "the call back was let through");
        vm.assertEq(
            bytes32(reentrant.refusal()),
            bytes32(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector)
        );
    }
}
