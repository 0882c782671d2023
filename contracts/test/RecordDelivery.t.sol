// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {Wallet} from "./base/Wallet.sol";

contract RecordDeliveryTest is EscrowTest {
    uint48 private constant DELIVER_BY = START + DELIVERY_WINDOW;

    function testFuzz_firstRecordStartsTheAcceptanceWindow(uint32 delay, bytes32 outputHash) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        uint48 time = START + delay % (DELIVERY_WINDOW + 1);
        vm.warp(time);
        vm.expectEmit(address(escrow));
        emit Escrow.DeliveryRecorded(escrowId, outputHash, 1, time, time + ACCEPTANCE_WINDOW);
        vm.prank(provider);
        escrow.recordDelivery(terms, outputHash);
        checkDelivery(escrowId, 1, time);
        checkStatus(escrowId, Escrow.Status.Funded);
    }

    function test_laterRecordsMoveNoDate() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDelivered(100);
        vm.warp(START + 600);
        bytes32 revised = keccak256("revised output");
        vm.expectEmit(address(escrow));
        emit Escrow.DeliveryRecorded(escrowId, revised, 2, START, START + ACCEPTANCE_WINDOW);
        vm.prank(provider);
        escrow.recordDelivery(terms, revised);
        checkDelivery(escrowId, 2, START);
    }

    function test_isPossibleWhileDisputed() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDisputed(100);
        recordDelivery(terms);
        checkDelivery(escrowId, 1, START);
        checkStatus(escrowId, Escrow.Status.Disputed);
    }

    function test_refusesAfterTheDeliveryWindow() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        vm.warp(DELIVER_BY + 1);
        expectError(Escrow.TooLate.selector, DELIVER_BY + 1, DELIVER_BY);
        recordDelivery(terms);
    }

    function test_refusesALaterRecordAfterTheDeliveryWindow() public {
        (Escrow.Terms memory terms,) = newDelivered(100);
        vm.warp(DELIVER_BY + 1);
        expectError(Escrow.TooLate.selector, DELIVER_BY + 1, DELIVER_BY);
        recordDelivery(terms);
    }

    function test_refusesAnyoneButTheProvider() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        expectError(Escrow.NotProvider.selector, buyer, provider);
        vm.prank(buyer);
        escrow.recordDelivery(terms, OUTPUT);
        expectError(Escrow.NotProvider.selector, outsider, provider);
        vm.prank(outsider);
        escrow.recordDelivery(terms, OUTPUT);
    }

    function test_keepsATimeAfter2106() public {
        vm.warp(FAR);
        Escrow.Terms memory terms = newTerms(100);
        terms.fundBy = FAR;
        bytes32 escrowId = fund(terms);
        recordDelivery(terms);
        checkDelivery(escrowId, 1, FAR);
    }

    function test_refusesAnUnknownEscrow() public {
        expectWrongStatus(Escrow.Status.None, Escrow.Status.Funded);
        recordDelivery(newTerms(100));
    }

    function test_refusesADecidedDispute() public {
        (Escrow.Terms memory terms,) = newDisputed(100);
        decide(terms, 0);
        expectWrongStatus(Escrow.Status.Decided, Escrow.Status.Funded);
        recordDelivery(terms);
    }

    function test_refusesAnEndedEscrow() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        vm.prank(buyer);
        escrow.release(terms);
        expectWrongStatus(Escrow.Status.Released, Escrow.Status.Funded);
        recordDelivery(terms);
    }

    function testFuzz_anyoneRelaysTheProvidersSignature(bytes32 outputHash) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        bytes memory signature = sign(PROVIDER_KEY, deliveryDigest(escrowId, outputHash, 1, DEADLINE));
        vm.expectEmit(address(escrow));
        emit Escrow.DeliveryRecorded(escrowId, outputHash, 1, START, START + ACCEPTANCE_WINDOW);
        vm.prank(outsider);
        escrow.recordDeliveryWithSignature(terms, outputHash, DEADLINE, signature);
        checkDelivery(escrowId, 1, START);
    }

    function test_takesTheSignatureOfAnERC1271Wallet() public {
        Wallet wallet = new Wallet();
        Escrow.Terms memory terms = newTerms(100);
        terms.provider = address(wallet);
        bytes32 escrowId = fund(terms);
        wallet.approve(deliveryDigest(escrowId, OUTPUT, 1, DEADLINE));
        escrow.recordDeliveryWithSignature(terms, OUTPUT, DEADLINE, "any bytes");
        checkDelivery(escrowId, 1, START);
    }

    function test_aSignatureServesOnce() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        bytes memory signature = sign(PROVIDER_KEY, deliveryDigest(escrowId, OUTPUT, 1, DEADLINE));
        escrow.recordDeliveryWithSignature(terms, OUTPUT, DEADLINE, signature);
        expectInvalidSignature(provider, deliveryDigest(escrowId, OUTPUT, 2, DEADLINE));
        escrow.recordDeliveryWithSignature(terms, OUTPUT, DEADLINE, signature);
    }

    function test_anOldSignatureCannotBringAnOldHashBack() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        bytes memory unused = sign(PROVIDER_KEY, deliveryDigest(escrowId, OUTPUT, 1, DEADLINE));
        vm.prank(provider);
        escrow.recordDelivery(terms, keccak256("better output"));
        expectInvalidSignature(provider, deliveryDigest(escrowId, OUTPUT, 2, DEADLINE));
        escrow.recordDeliveryWithSignature(terms, OUTPUT, DEADLINE, unused);
    }

    function test_aSignatureIsGoodInItsLastSecond() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        bytes memory signature = sign(PROVIDER_KEY, deliveryDigest(escrowId, OUTPUT, 1, START + 60));
        vm.warp(START + 60);
        escrow.recordDeliveryWithSignature(terms, OUTPUT, START + 60, signature);
        checkDelivery(escrowId, 1, START + 60);
    }

    function test_refusesAnExpiredSignature() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        bytes memory signature = sign(PROVIDER_KEY, deliveryDigest(escrowId, OUTPUT, 1, START + 60));
        vm.warp(START + 61);
        expectError(Escrow.SignatureExpired.selector, START + 61, START + 60);
        escrow.recordDeliveryWithSignature(terms, OUTPUT, START + 60, signature);
    }

    function test_refusesTheBuyersSignature() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        bytes memory signature = sign(BUYER_KEY, deliveryDigest(escrowId, OUTPUT, 1, DEADLINE));
        expectInvalidSignature(provider, deliveryDigest(escrowId, OUTPUT, 1, DEADLINE));
        escrow.recordDeliveryWithSignature(terms, OUTPUT, DEADLINE, signature);
    }

    function test_refusesASignatureOfAnotherHash() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        bytes memory signature = sign(PROVIDER_KEY, deliveryDigest(escrowId, OUTPUT, 1, DEADLINE));
        expectInvalidSignature(provider, deliveryDigest(escrowId, keccak256("other"), 1, DEADLINE));
        escrow.recordDeliveryWithSignature(terms, keccak256("other"), DEADLINE, signature);
    }

    function test_refusesASignatureOfAnotherEscrow() public {
        (, bytes32 escrowId) = newFunded(100);
        (Escrow.Terms memory other, bytes32 otherId) = newFunded(101);
        bytes memory signature = sign(PROVIDER_KEY, deliveryDigest(escrowId, OUTPUT, 1, DEADLINE));
        expectInvalidSignature(provider, deliveryDigest(otherId, OUTPUT, 1, DEADLINE));
        escrow.recordDeliveryWithSignature(other, OUTPUT, DEADLINE, signature);
    }

    function test_refusesASignatureOfAnotherChain() public {
        vm.chainId(1);
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        vm.chainId(2);
        bytes memory signature = sign(PROVIDER_KEY, deliveryDigest(escrowId, OUTPUT, 1, DEADLINE));
        vm.chainId(1);
        expectInvalidSignature(provider, deliveryDigest(escrowId, OUTPUT, 1, DEADLINE));
        escrow.recordDeliveryWithSignature(terms, OUTPUT, DEADLINE, signature);
    }

    function test_refusesAShortenedSignature() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        expectInvalidSignature(provider, deliveryDigest(escrowId, OUTPUT, 1, DEADLINE));
        escrow.recordDeliveryWithSignature(terms, OUTPUT, DEADLINE, new bytes(64));
    }

    function checkDelivery(bytes32 escrowId, uint32 count, uint48 deliveredAt) private view {
        Escrow.State memory state = escrow.getEscrow(escrowId);
        vm.assertEq(state.deliveryCount, count);
        vm.assertEq(state.deliveredAt, deliveredAt);
    }
}
