// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {FeeToken} from "./base/Tokens.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

contract CreateEscrowFromDepositTest is EscrowTest {
    function testFuzz_takesExactlyTheAmount(uint128 amount, uint128 excess) public {
        Escrow.Terms memory terms = newTerms(amount);
        address deposit = escrow.depositAddressOf(terms);
        token.mint(deposit, uint256(terms.amount) + excess);

        vm.expectEmit(address(escrow));
        emit Escrow.EscrowCreated(escrow.escrowIdOf(terms), terms.orderHash, deposit, terms);
        vm.prank(outsider);
        bytes32 escrowId = escrow.createEscrowFromDeposit(terms);

        checkStatus(escrowId, Escrow.Status.Funded);
        checkBalance(address(escrow), terms.amount);
        checkBalance(deposit, excess);
    }

    function testFuzz_refusesAShortDeposit(uint128 amount, uint128 held) public {
        Escrow.Terms memory terms = newTerms(amount);
        held = held % terms.amount;
        token.mint(escrow.depositAddressOf(terms), held);
        expectError(Escrow.DepositTooLow.selector, held, terms.amount);
        escrow.createEscrowFromDeposit(terms);
    }

    function test_takesAToppedUpDeposit() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(escrow.depositAddressOf(terms), 60);
        token.mint(escrow.depositAddressOf(terms), 40);
        checkStatus(escrow.createEscrowFromDeposit(terms), Escrow.Status.Funded);
    }

    function test_worksAfterAForeignTokenWasReturned() public {
        Escrow.Terms memory terms = newTerms(100);
        address deposit = escrow.depositAddressOf(terms);
        token.mint(deposit, 100);
        vm.deal(deposit, 1 ether);
        escrow.returnDeposit(terms, address(0));
        checkStatus(escrow.createEscrowFromDeposit(terms), Escrow.Status.Funded);
        checkBalance(address(escrow), 100);
    }

    function test_refusesADoubleDepositASecondTime() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(escrow.depositAddressOf(terms), 200);
        escrow.createEscrowFromDeposit(terms);
        expectWrongStatus(Escrow.Status.Funded, Escrow.Status.None);
        escrow.createEscrowFromDeposit(terms);
    }

    function test_acceptsTheLastSecondOfFundBy() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(escrow.depositAddressOf(terms), 100);
        vm.warp(FUND_BY);
        checkStatus(escrow.createEscrowFromDeposit(terms), Escrow.Status.Funded);
    }

    function test_emitsOnceAndBeforeTheMoneyMoves() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(escrow.depositAddressOf(terms), 100);
        vm.recordLogs();
        escrow.createEscrowFromDeposit(terms);
        checkEvents(abi.encodePacked(Escrow.EscrowCreated.selector, IERC20.Transfer.selector));
    }

    function test_othersMoneyDoesNotMakeUpForAFee() public {
        token = new FeeToken(address(escrow));
        token.mint(address(escrow), 1000);
        Escrow.Terms memory terms = newTerms(100);
        token.mint(escrow.depositAddressOf(terms), 100);
        expectError(Escrow.ReceivedTooLittle.selector, 99, 100);
        escrow.createEscrowFromDeposit(terms);
    }

    function test_refusesALateDeposit() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(escrow.depositAddressOf(terms), 100);
        vm.warp(FUND_BY + 1);
        expectError(Escrow.TooLate.selector, FUND_BY + 1, FUND_BY);
        escrow.createEscrowFromDeposit(terms);
    }

    function test_refusesInvalidTerms() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.provider = buyer;
        token.mint(escrow.depositAddressOf(terms), 100);
        expectError(Escrow.SameParties.selector, buyer);
        escrow.createEscrowFromDeposit(terms);
    }
}
