// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestUSD} from "../dev/TestUSD.sol";
import {Deposit} from "../src/Deposit.sol";
import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {Refuser} from "./base/Wallet.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Errors} from "@openzeppelin/contracts/utils/Errors.sol";

contract ReturnDepositTest is EscrowTest {
    function testFuzz_buyerTakesBackBeforeAnEscrowIsCreated(uint128 amount, uint128 held) public {
        Escrow.Terms memory terms = newTerms(amount);
        held = held == 0 ? 1 : held;
        token.mint(escrow.depositAddressOf(terms), held);
        vm.expectEmit(address(escrow));
        emit Escrow.DepositReturned(escrow.escrowIdOf(terms), address(token), buyer, held);
        vm.prank(buyer);
        vm.assertEq(escrow.returnDeposit(terms, address(token)), held);
        checkBalance(buyer, held);
        checkStatus(escrow.escrowIdOf(terms), Escrow.Status.None);
    }

    function test_emitsOnceAndBeforeTheMoneyMoves() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(escrow.depositAddressOf(terms), 100);
        vm.recordLogs();
        vm.prank(buyer);
        escrow.returnDeposit(terms, address(token));
        checkEvents(abi.encodePacked(Escrow.DepositReturned.selector, IERC20.Transfer.selector));
    }

    function test_refusesAnOutsiderWhileAnEscrowCanBeCreated() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(escrow.depositAddressOf(terms), 100);
        vm.warp(FUND_BY);
        expectError(Escrow.TooEarly.selector, FUND_BY, FUND_BY + 1);
        vm.prank(outsider);
        escrow.returnDeposit(terms, address(token));
    }

    function test_refusesTheProviderWhileAnEscrowCanBeCreated() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(escrow.depositAddressOf(terms), 100);
        expectError(Escrow.TooEarly.selector, START, FUND_BY + 1);
        vm.prank(provider);
        escrow.returnDeposit(terms, address(token));
    }

    function test_anyoneReturnsALateDeposit() public {
        Escrow.Terms memory terms = newTerms(100);
        vm.warp(FUND_BY + 1);
        token.mint(escrow.depositAddressOf(terms), 100);
        vm.prank(outsider);
        escrow.returnDeposit(terms, address(token));
        checkBalance(buyer, 100);
    }

    function test_anyoneReturnsAShortDepositAfterFundBy() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(escrow.depositAddressOf(terms), 99);
        vm.warp(FUND_BY + 1);
        vm.prank(outsider);
        escrow.returnDeposit(terms, address(token));
        checkBalance(buyer, 99);
    }

    function test_anyoneReturnsASecondPaymentOnceTheEscrowIsThere() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(escrow.depositAddressOf(terms), 200);
        escrow.createEscrowFromDeposit(terms);
        vm.prank(outsider);
        escrow.returnDeposit(terms, address(token));
        checkBalance(buyer, 100);
        checkBalance(address(escrow), 100);
    }

    function test_anyoneReturnsADepositOfAnEscrowPaidByAllowance() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        token.mint(escrow.depositAddressOf(terms), 100);
        vm.prank(outsider);
        escrow.returnDeposit(terms, address(token));
        checkBalance(buyer, 100);
        checkBalance(address(escrow), 100);
    }

    function test_returnsAgainAndAgain() public {
        Escrow.Terms memory terms = newTerms(100);
        vm.warp(FUND_BY + 1);
        for (uint256 i = 1; i <= 3; i++) {
            token.mint(escrow.depositAddressOf(terms), 10);
            escrow.returnDeposit(terms, address(token));
            checkBalance(buyer, 10 * i);
        }
    }

    function test_returnsAfterTheEscrowEnded() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        vm.prank(buyer);
        escrow.release(terms);
        token.mint(escrow.depositAddressOf(terms), 30);
        vm.prank(outsider);
        escrow.returnDeposit(terms, address(token));
        checkBalance(buyer, 30);
    }

    function test_anyoneReturnsAForeignTokenAnyTime() public {
        Escrow.Terms memory terms = newTerms(100);
        TestUSD foreign = new TestUSD();
        foreign.mint(escrow.depositAddressOf(terms), 5);
        vm.prank(outsider);
        escrow.returnDeposit(terms, address(foreign));
        vm.assertEq(foreign.balanceOf(buyer), 5);
    }

    function test_anyoneReturnsNativeCoinSentBeforeDeployment() public {
        Escrow.Terms memory terms = newTerms(100);
        address deposit = escrow.depositAddressOf(terms);
        vm.deal(deposit, 3 ether);
        uint256 before = buyer.balance;
        vm.expectEmit(address(escrow));
        emit Escrow.DepositReturned(escrow.escrowIdOf(terms), address(0), buyer, 3 ether);
        vm.prank(outsider);
        vm.assertEq(escrow.returnDeposit(terms, address(0)), 3 ether);
        vm.assertEq(buyer.balance - before, 3 ether);
    }

    function test_refusesNativeCoinOnceDeployed() public {
        Escrow.Terms memory terms = newTerms(100);
        address deposit = escrow.depositAddressOf(terms);
        token.mint(deposit, 100);
        escrow.createEscrowFromDeposit(terms);
        vm.deal(address(this), 1 ether);
        (bool success,) = deposit.call{value: 1 ether}("");
        vm.assertTrue(!success, "the deposit took native coin");
    }

    function test_waitsWhileTheBuyerRefusesNativeCoin() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.buyer = address(new Refuser());
        address deposit = escrow.depositAddressOf(terms);
        vm.deal(deposit, 1 ether);
        vm.expectRevert(abi.encodeWithSelector(Errors.FailedCall.selector));
        escrow.returnDeposit(terms, address(0));
        vm.assertEq(deposit.balance, 1 ether);
    }

    function test_refusesWhereNothingIs() public {
        Escrow.Terms memory terms = newTerms(100);
        address deposit = escrow.depositAddressOf(terms);
        expectError(Escrow.NothingToReturn.selector, deposit, address(token));
        vm.prank(buyer);
        escrow.returnDeposit(terms, address(token));
        expectError(Escrow.NothingToReturn.selector, deposit, address(0));
        escrow.returnDeposit(terms, address(0));
    }

    function test_onlyTheEscrowContractSweeps() public {
        Escrow.Terms memory terms = newTerms(100);
        address deposit = escrow.depositAddressOf(terms);
        token.mint(deposit, 150);
        escrow.createEscrowFromDeposit(terms);
        expectError(Deposit.NotEscrow.selector, buyer, address(escrow));
        vm.prank(buyer);
        Deposit(deposit).sweep(address(token), buyer, 50);
        vm.assertEq(Deposit(deposit).ESCROW(), address(escrow));
    }

    function test_onlyTheEscrowContractSweepsTheImplementation() public {
        Deposit implementation = Deposit(escrow.DEPOSIT_IMPLEMENTATION());
        token.mint(address(implementation), 50);
        expectError(Deposit.NotEscrow.selector, outsider, address(escrow));
        vm.prank(outsider);
        implementation.sweep(address(token), outsider, 50);
    }
}
