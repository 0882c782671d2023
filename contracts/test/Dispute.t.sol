// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {Wallet} from "./base/Wallet.sol";

contract DisputeTest is EscrowTest {
    function testFuzz_buyerStopsTheEscrow(uint32 delay, bytes32 reasonHash) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        vm.warp(START + delay);
        vm.expectEmit(address(escrow));
        emit Escrow.Disputed(escrowId, buyer, reasonHash, START + delay + DISPUTE_WINDOW);
        vm.prank(buyer);
        escrow.dispute(terms, reasonHash);
        checkStatus(escrowId, Escrow.Status.Disputed);
        vm.assertEq(escrow.getEscrow(escrowId).disputedAt, START + delay);
        checkBalance(address(escrow), 100);
    }

    function test_providerStopsTheEscrow() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        vm.expectEmit(address(escrow));
        emit Escrow.Disputed(escrowId, provider, REASON, START + DISPUTE_WINDOW);
        vm.prank(provider);
        escrow.dispute(terms, REASON);
        checkStatus(escrowId, Escrow.Status.Disputed);
    }

    function test_isPossibleUntilSomebodyReleases() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDelivered(100);
        vm.warp(START + ACCEPTANCE_WINDOW + 1);
        dispute(terms);
        checkStatus(escrowId, Escrow.Status.Disputed);
    }

    function test_keepsTheRecordedDelivery() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDelivered(100);
        vm.warp(START + 60);
        dispute(terms);
        vm.assertEq(escrow.getEscrow(escrowId).deliveredAt, START);
        vm.assertEq(escrow.getEscrow(escrowId).fundedAt, START);
    }

    function test_refusesAnyoneElse() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        expectNotParty(arbiter);
        vm.prank(arbiter);
        escrow.dispute(terms, REASON);
    }

    function test_refusesTwice() public {
        (Escrow.Terms memory terms,) = newDisputed(100);
        expectWrongStatus(Escrow.Status.Disputed, Escrow.Status.Funded);
        vm.prank(provider);
        escrow.dispute(terms, REASON);
    }

    function test_refusesAnEndedEscrow() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        vm.prank(provider);
        escrow.refund(terms);
        expectWrongStatus(Escrow.Status.Refunded, Escrow.Status.Funded);
        dispute(terms);
    }

    function test_refusesAnUnknownEscrow() public {
        expectWrongStatus(Escrow.Status.None, Escrow.Status.Funded);
        dispute(newTerms(100));
    }

    function testFuzz_anyoneRelaysAPartysSignature(bool byProvider, bytes32 reasonHash) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        address party = byProvider ? provider : buyer;
        bytes memory signature =
            sign(byProvider ? PROVIDER_KEY : BUYER_KEY, disputeDigest(escrowId, reasonHash, DEADLINE));
        vm.expectEmit(address(escrow));
        emit Escrow.Disputed(escrowId, party, reasonHash, START + DISPUTE_WINDOW);
        vm.prank(outsider);
        escrow.disputeWithSignature(terms, party, reasonHash, DEADLINE, signature);
        checkStatus(escrowId, Escrow.Status.Disputed);
    }

    function test_takesTheSignatureOfAnERC1271Wallet() public {
        Wallet wallet = new Wallet();
        Escrow.Terms memory terms = newTerms(100);
        terms.provider = address(wallet);
        bytes32 escrowId = fund(terms);
        wallet.approve(disputeDigest(escrowId, REASON, DEADLINE));
        escrow.disputeWithSignature(terms, address(wallet), REASON, DEADLINE, "any bytes");
        checkStatus(escrowId, Escrow.Status.Disputed);
    }

    function test_refusesAnOutsidersSignature() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        bytes memory signature = sign(OUTSIDER_KEY, disputeDigest(escrowId, REASON, DEADLINE));
        expectNotParty(outsider);
        escrow.disputeWithSignature(terms, outsider, REASON, DEADLINE, signature);
    }

    function test_refusesOnePartysSignatureForTheOther() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        bytes memory signature = sign(PROVIDER_KEY, disputeDigest(escrowId, REASON, DEADLINE));
        expectInvalidSignature(buyer, disputeDigest(escrowId, REASON, DEADLINE));
        escrow.disputeWithSignature(terms, buyer, REASON, DEADLINE, signature);
    }

    function test_refusesAnExpiredSignature() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        bytes memory signature = sign(BUYER_KEY, disputeDigest(escrowId, REASON, START + 60));
        vm.warp(START + 61);
        expectError(Escrow.SignatureExpired.selector, START + 61, START + 60);
        escrow.disputeWithSignature(terms, buyer, REASON, START + 60, signature);
    }

    function test_aSignatureServesOnce() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        bytes memory signature = sign(BUYER_KEY, disputeDigest(escrowId, REASON, DEADLINE));
        escrow.disputeWithSignature(terms, buyer, REASON, DEADLINE, signature);
        expectWrongStatus(Escrow.Status.Disputed, Escrow.Status.Funded);
        escrow.disputeWithSignature(terms, buyer, REASON, DEADLINE, signature);
    }
}
