// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {Wallet} from "./base/Wallet.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

contract RefundTest is EscrowTest {
    uint48 private constant DELIVER_BY = START + DELIVERY_WINDOW;

    function test_emitsOnceAndBeforeTheMoneyMoves() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        vm.recordLogs();
        vm.prank(provider);
        escrow.refund(terms);
        checkEvents(abi.encodePacked(Escrow.Refunded.selector, IERC20.Transfer.selector));
    }

    function testFuzz_providerPaysTheBuyerBackAtOnce(uint128 amount) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(amount);
        vm.expectEmit(address(escrow));
        emit Escrow.Refunded(escrowId, buyer, address(token), terms.amount);
        vm.prank(provider);
        escrow.refund(terms);
        checkStatus(escrowId, Escrow.Status.Refunded);
        checkBalance(buyer, terms.amount);
        checkBalance(address(escrow), 0);
    }

    function test_providerRefundsAfterADelivery() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDelivered(100);
        vm.prank(provider);
        escrow.refund(terms);
        checkStatus(escrowId, Escrow.Status.Refunded);
    }

    function testFuzz_anyoneRefundsWhenNothingWasDelivered(address caller, uint32 late) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        vm.warp(uint256(DELIVER_BY) + 1 + late);
        vm.prank(caller);
        escrow.refund(terms);
        checkStatus(escrowId, Escrow.Status.Refunded);
        checkBalance(buyer, 100);
    }

    function testFuzz_refusesAnyoneElseBefore(uint32 early) public {
        (Escrow.Terms memory terms,) = newFunded(100);
        uint48 time = DELIVER_BY - early % (DELIVERY_WINDOW + 1);
        vm.warp(time);
        expectError(Escrow.TooEarly.selector, time, DELIVER_BY + 1);
        vm.prank(buyer);
        escrow.refund(terms);
    }

    function test_refusesAnyoneElseOnceADeliveryIsRecorded() public {
        (Escrow.Terms memory terms,) = newDelivered(100);
        vm.warp(START + 365 days);
        expectError(Escrow.NotProvider.selector, buyer, provider);
        vm.prank(buyer);
        escrow.refund(terms);
    }

    function test_refusesTwice() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        newFunded(101);
        vm.prank(provider);
        escrow.refund(terms);
        expectWrongStatus(Escrow.Status.Refunded, Escrow.Status.Funded);
        vm.prank(provider);
        escrow.refund(terms);
        checkBalance(address(escrow), 101);
    }

    function test_refusesADisputedEscrow() public {
        (Escrow.Terms memory terms,) = newDisputed(100);
        expectWrongStatus(Escrow.Status.Disputed, Escrow.Status.Funded);
        vm.prank(provider);
        escrow.refund(terms);
    }

    function test_refusesAnUnknownEscrow() public {
        expectWrongStatus(Escrow.Status.None, Escrow.Status.Funded);
        vm.prank(provider);
        escrow.refund(newTerms(100));
    }

    function testFuzz_anyoneRelaysTheProvidersSignature(uint128 amount) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(amount);
        bytes memory signature = sign(PROVIDER_KEY, refundDigest(escrowId, DEADLINE));
        vm.prank(outsider);
        escrow.refundWithSignature(terms, DEADLINE, signature);
        checkStatus(escrowId, Escrow.Status.Refunded);
        checkBalance(buyer, terms.amount);
    }

    function test_takesTheSignatureOfAnERC1271Wallet() public {
        Wallet wallet = new Wallet();
        Escrow.Terms memory terms = newTerms(100);
        terms.provider = address(wallet);
        bytes32 escrowId = fund(terms);
        wallet.approve(refundDigest(escrowId, DEADLINE));
        escrow.refundWithSignature(terms, DEADLINE, "");
        checkStatus(escrowId, Escrow.Status.Refunded);
    }

    function test_refusesTheBuyersSignature() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        bytes memory signature = sign(BUYER_KEY, refundDigest(escrowId, DEADLINE));
        expectInvalidSignature(provider, refundDigest(escrowId, DEADLINE));
        escrow.refundWithSignature(terms, DEADLINE, signature);
    }

    function test_refusesAnExpiredSignature() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        bytes memory signature = sign(PROVIDER_KEY, refundDigest(escrowId, START + 60));
        vm.warp(START + 61);
        expectError(Escrow.SignatureExpired.selector, START + 61, START + 60);
        escrow.refundWithSignature(terms, START + 60, signature);
    }

    function test_refusesASignatureForADisputedEscrow() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDisputed(100);
        bytes memory signature = sign(PROVIDER_KEY, refundDigest(escrowId, DEADLINE));
        expectWrongStatus(Escrow.Status.Disputed, Escrow.Status.Funded);
        escrow.refundWithSignature(terms, DEADLINE, signature);
    }

    function test_aSignatureServesOnce() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        bytes memory signature = sign(PROVIDER_KEY, refundDigest(escrowId, DEADLINE));
        escrow.refundWithSignature(terms, DEADLINE, signature);
        expectWrongStatus(Escrow.Status.Refunded, Escrow.Status.Funded);
        escrow.refundWithSignature(terms, DEADLINE, signature);
    }
}
