// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {Wallet} from "./base/Wallet.sol";

contract DecideDisputeTest is EscrowTest {
    uint48 private constant DECIDE_BY = START + DISPUTE_WINDOW;

    function testFuzz_arbiterDividesTheAmount(uint128 amount, uint256 share, uint32 delay) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDisputed(amount);
        uint256 providerAmount = share % (uint256(terms.amount) + 1);
        uint48 time = START + delay % (DISPUTE_WINDOW + 1);
        vm.warp(time);
        vm.expectEmit(address(escrow));
        emit Escrow.DisputeDecided(
            escrowId, arbiter, providerAmount, terms.amount - providerAmount, RULING, time + APPEAL_WINDOW
        );
        vm.prank(arbiter);
        escrow.decideDispute(terms, providerAmount, RULING);

        checkStatus(escrowId, Escrow.Status.Decided);
        Escrow.Decision memory decision = escrow.getDecision(escrowId);
        vm.assertEq(decision.providerAmount, providerAmount);
        vm.assertEq(decision.decidedAt, time);
        checkBalance(address(escrow), terms.amount);
    }

    function testFuzz_theWindowIsCountedFromTheDispute(uint32 delay) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        uint48 disputedAt = START + 1 + delay;
        vm.warp(disputedAt);
        dispute(terms);
        vm.warp(disputedAt + DISPUTE_WINDOW);
        decide(terms, 50);
        checkStatus(escrowId, Escrow.Status.Decided);
    }

    function test_keepsATimeAfter2106() public {
        vm.warp(FAR);
        Escrow.Terms memory terms = newTerms(100);
        terms.fundBy = FAR;
        bytes32 escrowId = fund(terms);
        dispute(terms);
        vm.expectEmit(address(escrow));
        emit Escrow.DisputeDecided(escrowId, arbiter, 60, 40, RULING, FAR + APPEAL_WINDOW);
        decide(terms, 60);
        vm.assertEq(escrow.getDecision(escrowId).decidedAt, FAR);
    }

    function testFuzz_refusesMoreThanThereIs(uint128 amount, uint256 excess) public {
        (Escrow.Terms memory terms,) = newDisputed(amount);
        uint256 tooMuch = uint256(terms.amount) + 1 + excess % (type(uint256).max - terms.amount);
        expectError(Escrow.ProviderAmountTooHigh.selector, tooMuch, terms.amount);
        decide(terms, tooMuch);
    }

    function test_refusesAnyoneElse() public {
        (Escrow.Terms memory terms,) = newDisputed(100);
        expectError(Escrow.NotArbiter.selector, provider, arbiter);
        vm.prank(provider);
        escrow.decideDispute(terms, 100, RULING);
    }

    function test_refusesEveryoneWhereThereIsNoArbiter() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.arbiter = address(0);
        bytes32 escrowId = fund(terms);
        dispute(terms);
        expectError(Escrow.NotArbiter.selector, provider, address(0));
        vm.prank(provider);
        escrow.decideDispute(terms, 100, RULING);
        expectInvalidSignature(address(0), decisionDigest(escrowId, 100, RULING, DEADLINE));
        escrow.decideDisputeWithSignature(terms, 100, RULING, DEADLINE, new bytes(65));
    }

    function test_refusesAfterTheDisputeWindow() public {
        (Escrow.Terms memory terms,) = newDisputed(100);
        vm.warp(DECIDE_BY + 1);
        expectError(Escrow.TooLate.selector, DECIDE_BY + 1, DECIDE_BY);
        decide(terms, 50);
    }

    function test_refusesTwice() public {
        (Escrow.Terms memory terms,) = newDisputed(100);
        decide(terms, 50);
        expectWrongStatus(Escrow.Status.Decided, Escrow.Status.Disputed);
        decide(terms, 60);
    }

    function test_refusesAnEscrowWithoutADispute() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        expectWrongStatus(Escrow.Status.Funded, Escrow.Status.Disputed);
        decide(terms, 50);
    }

    function testFuzz_anyoneRelaysTheArbitersSignature(uint128 amount, uint256 share) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDisputed(amount);
        uint256 providerAmount = share % (uint256(terms.amount) + 1);
        bytes memory signature = sign(ARBITER_KEY, decisionDigest(escrowId, providerAmount, RULING, DEADLINE));
        vm.prank(outsider);
        escrow.decideDisputeWithSignature(terms, providerAmount, RULING, DEADLINE, signature);
        checkStatus(escrowId, Escrow.Status.Decided);
        vm.assertEq(escrow.getDecision(escrowId).providerAmount, providerAmount);
    }

    function test_takesTheSignatureOfAnERC1271Wallet() public {
        Wallet wallet = new Wallet();
        Escrow.Terms memory terms = newTerms(100);
        terms.arbiter = address(wallet);
        bytes32 escrowId = fund(terms);
        dispute(terms);
        wallet.approve(decisionDigest(escrowId, 50, RULING, DEADLINE));
        escrow.decideDisputeWithSignature(terms, 50, RULING, DEADLINE, "any bytes");
        checkStatus(escrowId, Escrow.Status.Decided);
    }

    function test_refusesASignatureOfAnotherAmount() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDisputed(100);
        bytes memory signature = sign(ARBITER_KEY, decisionDigest(escrowId, 50, RULING, DEADLINE));
        expectInvalidSignature(arbiter, decisionDigest(escrowId, 51, RULING, DEADLINE));
        escrow.decideDisputeWithSignature(terms, 51, RULING, DEADLINE, signature);
    }

    function test_refusesAPartysSignature() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDisputed(100);
        bytes memory signature = sign(PROVIDER_KEY, decisionDigest(escrowId, 100, RULING, DEADLINE));
        expectInvalidSignature(arbiter, decisionDigest(escrowId, 100, RULING, DEADLINE));
        escrow.decideDisputeWithSignature(terms, 100, RULING, DEADLINE, signature);
    }

    function test_refusesAnExpiredSignature() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDisputed(100);
        bytes memory signature = sign(ARBITER_KEY, decisionDigest(escrowId, 50, RULING, START + 60));
        vm.warp(START + 61);
        expectError(Escrow.SignatureExpired.selector, START + 61, START + 60);
        escrow.decideDisputeWithSignature(terms, 50, RULING, START + 60, signature);
    }

    function test_aSignatureServesOnce() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDisputed(100);
        bytes memory signature = sign(ARBITER_KEY, decisionDigest(escrowId, 50, RULING, DEADLINE));
        escrow.decideDisputeWithSignature(terms, 50, RULING, DEADLINE, signature);
        expectWrongStatus(Escrow.Status.Decided, Escrow.Status.Disputed);
        escrow.decideDisputeWithSignature(terms, 50, RULING, DEADLINE, signature);
    }
}
