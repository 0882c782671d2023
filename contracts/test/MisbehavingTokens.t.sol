// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {FalseToken, FeeToken, SilentToken} from "./base/Tokens.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @notice Tokens that keep a fee, return false or return nothing. Those that block: Withdraw.t.sol; that call back:
///         Reentrancy.t.sol.
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
}
