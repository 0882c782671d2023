// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

contract SettleDisputeTest is EscrowTest {
    uint48 private constant SETTLEABLE_AT = START + APPEAL_WINDOW;
    uint48 private constant DECIDE_BY = START + DISPUTE_WINDOW;

    function testFuzz_paysAsDecided(uint128 amount, uint256 share, address caller) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDisputed(amount);
        uint256 providerAmount = share % (uint256(terms.amount) + 1);
        decide(terms, providerAmount);
        vm.warp(SETTLEABLE_AT);
        vm.prank(caller);
        escrow.settleDispute(terms);
        checkBalance(provider, providerAmount);
        checkBalance(buyer, terms.amount - providerAmount);
        checkBalance(address(escrow), 0);
        Escrow.Status expected = Escrow.Status.Split;
        if (providerAmount == 0) expected = Escrow.Status.Refunded;
        if (providerAmount == terms.amount) expected = Escrow.Status.Released;
        checkStatus(escrowId, expected);
    }

    function testFuzz_aSplitEmitsBothPayments(uint128 amount, uint128 share) public {
        amount = amount < 2 ? 2 : amount;
        uint256 providerAmount = 1 + share % (amount - 1);
        (Escrow.Terms memory terms, bytes32 escrowId) = newDisputed(amount);
        decide(terms, providerAmount);
        vm.warp(SETTLEABLE_AT);
        vm.expectEmit(address(escrow));
        emit Escrow.Released(escrowId, provider, address(token), providerAmount);
        vm.expectEmit(address(escrow));
        emit Escrow.Refunded(escrowId, buyer, address(token), amount - providerAmount);
        escrow.settleDispute(terms);
        checkStatus(escrowId, Escrow.Status.Split);
    }

    function test_aSplitEmitsBothBeforeTheMoneyMoves() public {
        (Escrow.Terms memory terms,) = newDisputed(100);
        decide(terms, 30);
        vm.warp(SETTLEABLE_AT);
        vm.recordLogs();
        escrow.settleDispute(terms);
        checkEvents(
            abi.encodePacked(
                Escrow.Released.selector,
                Escrow.Refunded.selector,
                IERC20.Transfer.selector,
                IERC20.Transfer.selector
            )
        );
    }

    function testFuzz_theArbitersTimeIsCountedFromTheDispute(uint32 delay) public {
        (Escrow.Terms memory terms,) = newFunded(100);
        uint48 disputedAt = START + 1 + delay;
        vm.warp(disputedAt);
        dispute(terms);
        vm.warp(disputedAt + DISPUTE_WINDOW);
        expectError(
            Escrow.TooEarly.selector, disputedAt + DISPUTE_WINDOW, uint256(disputedAt) + DISPUTE_WINDOW + 1
        );
        escrow.settleDispute(terms);
    }

    function test_endsAsReleasedWhenAllIsTheProviders() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDisputed(100);
        decide(terms, 100);
        vm.warp(SETTLEABLE_AT);
        escrow.settleDispute(terms);
        checkStatus(escrowId, Escrow.Status.Released);
    }

    function test_endsAsRefundedWhenAllIsTheBuyers() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDisputed(100);
        decide(terms, 0);
        vm.warp(SETTLEABLE_AT);
        escrow.settleDispute(terms);
        checkStatus(escrowId, Escrow.Status.Refunded);
    }

    function test_refusesDuringTheAppealWindow() public {
        (Escrow.Terms memory terms,) = newDisputed(100);
        decide(terms, 50);
        vm.warp(SETTLEABLE_AT - 1);
        expectError(Escrow.TooEarly.selector, SETTLEABLE_AT - 1, SETTLEABLE_AT);
        escrow.settleDispute(terms);
    }

    function test_aDecisionInTheLastSecondStillHasItsAppealWindow() public {
        (Escrow.Terms memory terms,) = newDisputed(100);
        vm.warp(DECIDE_BY);
        decide(terms, 50);
        vm.warp(DECIDE_BY + 1);
        expectError(Escrow.TooEarly.selector, DECIDE_BY + 1, DECIDE_BY + APPEAL_WINDOW);
        escrow.settleDispute(terms);
    }

    function test_paysTheProviderWhenTheArbiterIsSilentAndADeliveryIsRecorded() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDelivered(100);
        dispute(terms);
        vm.warp(DECIDE_BY + 1);
        vm.prank(outsider);
        escrow.settleDispute(terms);
        checkStatus(escrowId, Escrow.Status.Released);
        checkBalance(provider, 100);
    }

    function test_paysTheProviderWhoRecordedWhileDisputed() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDisputed(100);
        vm.warp(START + DELIVERY_WINDOW);
        recordDelivery(terms);
        vm.warp(DECIDE_BY + 1);
        escrow.settleDispute(terms);
        checkStatus(escrowId, Escrow.Status.Released);
    }

    function test_paysTheBuyerBackWhenTheArbiterIsSilentAndNothingIsRecorded() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDisputed(100);
        vm.warp(DECIDE_BY + 1);
        vm.prank(outsider);
        escrow.settleDispute(terms);
        checkStatus(escrowId, Escrow.Status.Refunded);
        checkBalance(buyer, 100);
    }

    function test_runsToTheWindowsEndWithoutAnArbiter() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.arbiter = address(0);
        bytes32 escrowId = fund(terms);
        dispute(terms);
        vm.warp(DECIDE_BY + 1);
        escrow.settleDispute(terms);
        checkStatus(escrowId, Escrow.Status.Refunded);
    }

    function testFuzz_paysTheBuyerBackOnlyOnceTheDeliveryWindowHasEndedToo(
        uint32 deliveryWindow,
        uint32 disputeWindow
    ) public {
        Escrow.Terms memory terms = newTerms(100);
        terms.deliveryWindow = deliveryWindow;
        terms.disputeWindow = disputeWindow;
        bytes32 escrowId = fund(terms);
        dispute(terms);
        uint256 longer = deliveryWindow > disputeWindow ? deliveryWindow : disputeWindow;
        vm.warp(START + longer);
        vm.prank(buyer);
        expectError(Escrow.TooEarly.selector, START + longer, START + longer + 1);
        escrow.settleDispute(terms);
        vm.warp(START + longer + 1);
        vm.prank(outsider);
        escrow.settleDispute(terms);
        checkStatus(escrowId, Escrow.Status.Refunded);
        checkBalance(buyer, 100);
    }

    function test_aDisputeTakesNoTimeFromTheProviderToDeliver() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.disputeWindow = 1 hours;
        bytes32 escrowId = fund(terms);
        dispute(terms);
        vm.warp(START + DELIVERY_WINDOW);
        recordDelivery(terms);
        escrow.settleDispute(terms);
        checkStatus(escrowId, Escrow.Status.Released);
        checkBalance(provider, 100);
    }

    function test_refusesWhileTheArbiterMayDecide() public {
        (Escrow.Terms memory terms,) = newDisputed(100);
        vm.warp(DECIDE_BY);
        expectError(Escrow.TooEarly.selector, DECIDE_BY, DECIDE_BY + 1);
        escrow.settleDispute(terms);
    }

    function test_refusesAnEscrowWithoutADispute() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        vm.warp(DECIDE_BY + 1);
        expectWrongStatus(Escrow.Status.Funded, Escrow.Status.Disputed);
        escrow.settleDispute(terms);
    }

    function test_refusesTwice() public {
        (Escrow.Terms memory terms,) = newDisputed(100);
        newFunded(101);
        vm.warp(DECIDE_BY + 1);
        escrow.settleDispute(terms);
        expectWrongStatus(Escrow.Status.Refunded, Escrow.Status.Disputed);
        escrow.settleDispute(terms);
        checkBalance(address(escrow), 101);
    }
}
