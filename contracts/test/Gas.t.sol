// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {TypedData} from "./base/TypedData.sol";

/// @notice The cost of each call as a transaction, written to contracts/gas. All accounts already hold the token, and
///         the very first escrow is not measured, as in normal use.
contract GasTest is EscrowTest {
    bytes32 private constant NONCE = keccak256("nonce");
    uint128 private constant AMOUNT = 12_345_678;

    function setUp() public override {
        super.setUp();
        token.mint(address(escrow), 1);
        token.mint(buyer, 10 * AMOUNT);
        token.mint(provider, 1);
        vm.prank(buyer);
        token.approve(address(escrow), type(uint256).max);
    }

    function test_createEscrow() public {
        create();
        vm.assertTrue(record("createEscrow") <= 80_000, "dearer than intended");
    }

    function test_createEscrowWithAuthorization() public {
        Escrow.Terms memory terms = newTerms(AMOUNT);
        bytes memory signature = sign(BUYER_KEY, authorizationDigest(terms, buyer, NONCE));
        escrow.createEscrowWithAuthorization(terms, buyer, 0, uint256(FUND_BY) + 1, NONCE, signature);
        vm.assertTrue(record("createEscrowWithAuthorization") <= 155_000, "dearer than intended");
    }

    function test_createEscrowWithReceiveAuthorization() public {
        Escrow.Terms memory terms = newTerms(AMOUNT);
        bytes memory signature = sign(BUYER_KEY, receiptDigest(terms, buyer));
        escrow.createEscrowWithReceiveAuthorization(terms, buyer, uint256(FUND_BY) + 1, signature);
        uint256 paid = record("createEscrowWithReceiveAuthorization");
        vm.assertTrue(paid <= 102_000, "dearer than intended");
        vm.prank(buyer);
        escrow.release(terms);
        vm.assertTrue(paid + record("release") <= 151_000, "a life is dearer than intended");
    }

    function test_createEscrowFromDeposit() public {
        Escrow.Terms memory terms = newTerms(AMOUNT);
        token.mint(escrow.depositAddressOf(terms), AMOUNT);
        escrow.createEscrowFromDeposit(terms);
        record("createEscrowFromDeposit");
    }

    function test_returnDeposit() public {
        Escrow.Terms memory terms = newTerms(AMOUNT);
        token.mint(escrow.depositAddressOf(terms), AMOUNT);
        vm.warp(FUND_BY + 1);
        escrow.returnDeposit(terms, address(token));
        record("returnDeposit, first");
        token.mint(escrow.depositAddressOf(terms), AMOUNT);
        escrow.returnDeposit(terms, address(token));
        record("returnDeposit, again");
    }

    function test_recordDelivery() public {
        Escrow.Terms memory terms = create();
        recordDelivery(terms);
        record("recordDelivery, first");
        recordDelivery(terms);
        record("recordDelivery, again");
    }

    function test_recordDeliveryWithSignature() public {
        Escrow.Terms memory terms = create();
        bytes memory signature =
            sign(PROVIDER_KEY, deliveryDigest(escrow.escrowIdOf(terms), OUTPUT, 1, DEADLINE));
        escrow.recordDeliveryWithSignature(terms, OUTPUT, DEADLINE, signature);
        record("recordDeliveryWithSignature");
    }

    function test_release() public {
        Escrow.Terms memory terms = create();
        vm.prank(buyer);
        escrow.release(terms);
        vm.assertTrue(record("release") <= 50_000, "dearer than intended");
    }

    function test_releaseWithSignature() public {
        Escrow.Terms memory terms = create();
        bytes memory signature = sign(BUYER_KEY, releaseDigest(escrow.escrowIdOf(terms), DEADLINE));
        escrow.releaseWithSignature(terms, DEADLINE, signature);
        record("releaseWithSignature");
    }

    function test_refund() public {
        Escrow.Terms memory terms = create();
        vm.prank(provider);
        escrow.refund(terms);
        record("refund");
    }

    function test_releaseByAnyone() public {
        Escrow.Terms memory terms = create();
        recordDelivery(terms);
        vm.warp(START + ACCEPTANCE_WINDOW);
        escrow.release(terms);
        record("release by anyone");
    }

    function test_refundByAnyone() public {
        Escrow.Terms memory terms = create();
        vm.warp(START + DELIVERY_WINDOW + 1);
        escrow.refund(terms);
        record("refund by anyone");
    }

    function test_refundWithSignature() public {
        Escrow.Terms memory terms = create();
        bytes memory signature = sign(PROVIDER_KEY, refundDigest(escrow.escrowIdOf(terms), DEADLINE));
        escrow.refundWithSignature(terms, DEADLINE, signature);
        record("refundWithSignature");
    }

    function test_disputeAndDecisionWithSignatures() public {
        Escrow.Terms memory terms = create();
        bytes32 id = escrow.escrowIdOf(terms);
        bytes memory signature = sign(BUYER_KEY, disputeDigest(id, REASON, DEADLINE));
        escrow.disputeWithSignature(terms, buyer, REASON, DEADLINE, signature);
        record("disputeWithSignature");
        signature = sign(ARBITER_KEY, decisionDigest(id, AMOUNT / 3, RULING, DEADLINE));
        escrow.decideDisputeWithSignature(terms, AMOUNT / 3, RULING, DEADLINE, signature);
        record("decideDisputeWithSignature");
    }

    function test_settleDisputeOfASilentArbiter() public {
        Escrow.Terms memory terms = create();
        dispute(terms);
        vm.warp(START + DISPUTE_WINDOW + 1);
        escrow.settleDispute(terms);
        record("settleDispute, silent arbiter");
    }

    function test_withdraw() public {
        Escrow.Terms memory terms = create();
        bytes memory code = address(token).code;
        vm.etch(address(token), "");
        vm.prank(buyer);
        escrow.release(terms);
        vm.etch(address(token), code);
        escrow.withdraw(address(token), provider);
        record("withdraw");
    }

    function test_dispute() public {
        Escrow.Terms memory terms = create();
        dispute(terms);
        record("dispute");
        decide(terms, AMOUNT / 3);
        record("decideDispute");
        vm.warp(START + APPEAL_WINDOW);
        escrow.settleDispute(terms);
        record("settleDispute, split");
    }

    function test_parts() public {
        Escrow.Terms memory terms = create();
        bytes32 id = escrow.escrowIdOf(terms);
        vm.prank(provider);
        escrow.recordPart(terms, 10, OUTPUT, false);
        record("recordPart, first");
        bytes memory signature =
            sign(PROVIDER_KEY, TypedData.recordPart(address(escrow), id, 20, OUTPUT, false, 2, DEADLINE));
        escrow.recordPartWithSignature(terms, 20, OUTPUT, false, DEADLINE, signature);
        record("recordPartWithSignature, again");
        vm.warp(START + ACCEPTANCE_WINDOW);
        escrow.releasePart(terms);
        record("releasePart");
        vm.prank(buyer);
        escrow.release(terms);
        record("release, in parts");
    }

    function test_releaseOfTheOldestOfSixtyFourParts() public {
        Escrow.Terms memory terms = create();
        for (uint256 i = 1; i <= 64; i++) {
            vm.warp(START + i);
            vm.prank(provider);
            escrow.recordPart(terms, i, OUTPUT, false);
        }
        vm.warp(START + 1 + ACCEPTANCE_WINDOW);
        escrow.releasePart(terms);
        record("releasePart, oldest of 64");
    }

    function test_useVoucher() public {
        Escrow.Terms memory terms = create();
        bytes32 id = escrow.escrowIdOf(terms);
        bytes memory signature = sign(BUYER_KEY, TypedData.voucher(address(escrow), id, AMOUNT / 3, OUTPUT));
        escrow.useVoucher(terms, AMOUNT / 3, OUTPUT, signature);
        record("useVoucher, first");
        signature = sign(BUYER_KEY, TypedData.voucher(address(escrow), id, AMOUNT / 2, OUTPUT));
        escrow.useVoucher(terms, AMOUNT / 2, OUTPUT, signature);
        record("useVoucher, again");
    }

    function test_close() public {
        Escrow.Terms memory terms = create();
        bytes32 digest = TypedData.close(address(escrow), escrow.escrowIdOf(terms), AMOUNT / 3, DEADLINE);
        (bytes memory first, bytes memory second) = (sign(BUYER_KEY, digest), sign(PROVIDER_KEY, digest));
        escrow.close(terms, AMOUNT / 3, DEADLINE, first, second);
        record("close");
    }

    function test_anchor() public {
        anchors.anchor(keccak256("root"), 1_000_123);
        vm.assertTrue(vm.snapshotGasLastCall("Anchors", "anchor") <= 24_000, "dearer than intended");
    }

    function create() private returns (Escrow.Terms memory terms) {
        terms = newTerms(AMOUNT);
        vm.prank(buyer);
        escrow.createEscrow(terms);
    }

    function record(string memory name) private returns (uint256 gas) {
        return vm.snapshotGasLastCall("Escrow", name);
    }
}
