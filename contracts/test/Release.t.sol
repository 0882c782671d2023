// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {Wallet} from "./base/Wallet.sol";
import {WatchingToken} from "./base/WatchingToken.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

contract ReleaseTest is EscrowTest {
    uint48 private constant AUTO_RELEASE_AT = START + ACCEPTANCE_WINDOW;

    function testFuzz_buyerPaysTheProviderAtOnce(uint128 amount) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(amount);
        vm.expectEmit(address(escrow));
        emit Escrow.Released(escrowId, provider, address(token), terms.amount);
        vm.prank(buyer);
        escrow.release(terms);
        checkStatus(escrowId, Escrow.Status.Released);
        checkBalance(provider, terms.amount);
        checkBalance(address(escrow), 0);
    }

    function test_emitsOnceAndBeforeTheMoneyMoves() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        vm.recordLogs();
        vm.prank(buyer);
        escrow.release(terms);
        checkEvents(abi.encodePacked(Escrow.Released.selector, IERC20.Transfer.selector));
    }

    function test_theTokenSeesTheEscrowEnded() public {
        WatchingToken watching = new WatchingToken();
        token = watching;
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        watching.watch(escrow, escrowId);
        vm.prank(buyer);
        escrow.release(terms);
        vm.assertEq(watching.looks(), 1);
        vm.assertEq(uint256(watching.seenStatus()), uint256(Escrow.Status.Released));
    }

    function test_buyerReleasesAfterAllWindows() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        vm.warp(START + 365 days);
        vm.prank(buyer);
        escrow.release(terms);
        checkStatus(escrowId, Escrow.Status.Released);
    }

    function testFuzz_anyoneReleasesOnceTheAcceptanceWindowPassed(address caller, uint32 late) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDelivered(100);
        vm.warp(AUTO_RELEASE_AT + late);
        vm.prank(caller);
        escrow.release(terms);
        checkStatus(escrowId, Escrow.Status.Released);
        checkBalance(provider, 100);
    }

    function testFuzz_refusesAnyoneElseBefore(uint32 early) public {
        (Escrow.Terms memory terms,) = newDelivered(100);
        uint48 time = AUTO_RELEASE_AT - 1 - early % ACCEPTANCE_WINDOW;
        vm.warp(time);
        expectError(Escrow.TooEarly.selector, time, AUTO_RELEASE_AT);
        vm.prank(provider);
        escrow.release(terms);
    }

    function test_refusesAnyoneElseWithoutARecordedDelivery() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        vm.warp(START + 365 days);
        expectError(Escrow.NotBuyer.selector, provider, buyer);
        vm.prank(provider);
        escrow.release(terms);
    }

    function test_laterRecordsDoNotDelayIt() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDelivered(100);
        vm.warp(START + DELIVERY_WINDOW);
        recordDelivery(terms);
        vm.warp(AUTO_RELEASE_AT);
        escrow.release(terms);
        checkStatus(escrowId, Escrow.Status.Released);
    }

    function test_refusesTwice() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        newFunded(101);
        vm.prank(buyer);
        escrow.release(terms);
        expectWrongStatus(Escrow.Status.Released, Escrow.Status.Funded);
        vm.prank(buyer);
        escrow.release(terms);
        checkBalance(address(escrow), 101);
    }

    function test_refusesADisputedEscrow() public {
        (Escrow.Terms memory terms,) = newDisputed(100);
        expectWrongStatus(Escrow.Status.Disputed, Escrow.Status.Funded);
        vm.prank(buyer);
        escrow.release(terms);
    }

    function test_refusesAnUnknownEscrow() public {
        expectWrongStatus(Escrow.Status.None, Escrow.Status.Funded);
        vm.prank(buyer);
        escrow.release(newTerms(100));
    }

    function test_refusesChangedTerms() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        terms.provider = outsider;
        expectWrongStatus(Escrow.Status.None, Escrow.Status.Funded);
        vm.prank(buyer);
        escrow.release(terms);
    }

    function testFuzz_anyoneRelaysTheBuyersSignature(uint128 amount) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(amount);
        bytes memory signature = sign(BUYER_KEY, releaseDigest(escrowId, DEADLINE));
        vm.prank(outsider);
        escrow.releaseWithSignature(terms, DEADLINE, signature);
        checkStatus(escrowId, Escrow.Status.Released);
        checkBalance(provider, terms.amount);
    }

    function test_takesTheSignatureOfAnERC1271Wallet() public {
        Wallet wallet = new Wallet();
        Escrow.Terms memory terms = newTerms(100);
        terms.buyer = address(wallet);
        prepare(terms, outsider);
        vm.prank(outsider);
        bytes32 escrowId = escrow.createEscrow(terms);
        wallet.approve(releaseDigest(escrowId, DEADLINE));
        escrow.releaseWithSignature(terms, DEADLINE, new bytes(65));
        checkStatus(escrowId, Escrow.Status.Released);
    }

    function test_refusesWhatAnERC1271WalletDidNotApprove() public {
        Wallet wallet = new Wallet();
        Escrow.Terms memory terms = newTerms(100);
        terms.buyer = address(wallet);
        prepare(terms, outsider);
        vm.prank(outsider);
        bytes32 escrowId = escrow.createEscrow(terms);
        expectInvalidSignature(address(wallet), releaseDigest(escrowId, DEADLINE));
        escrow.releaseWithSignature(terms, DEADLINE, new bytes(65));
    }

    function test_refusesTheProvidersSignature() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        bytes memory signature = sign(PROVIDER_KEY, releaseDigest(escrowId, DEADLINE));
        expectInvalidSignature(buyer, releaseDigest(escrowId, DEADLINE));
        escrow.releaseWithSignature(terms, DEADLINE, signature);
    }

    function test_refusesASignatureOfRefund() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        bytes memory signature = sign(BUYER_KEY, refundDigest(escrowId, DEADLINE));
        expectInvalidSignature(buyer, releaseDigest(escrowId, DEADLINE));
        escrow.releaseWithSignature(terms, DEADLINE, signature);
    }

    function test_refusesAnExpiredSignature() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        bytes memory signature = sign(BUYER_KEY, releaseDigest(escrowId, START + 60));
        vm.warp(START + 61);
        expectError(Escrow.SignatureExpired.selector, START + 61, START + 60);
        escrow.releaseWithSignature(terms, START + 60, signature);
    }

    function test_refusesASignatureForADisputedEscrow() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newDisputed(100);
        bytes memory signature = sign(BUYER_KEY, releaseDigest(escrowId, DEADLINE));
        expectWrongStatus(Escrow.Status.Disputed, Escrow.Status.Funded);
        escrow.releaseWithSignature(terms, DEADLINE, signature);
    }

    function test_aSignatureServesOnce() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(100);
        bytes memory signature = sign(BUYER_KEY, releaseDigest(escrowId, DEADLINE));
        escrow.releaseWithSignature(terms, DEADLINE, signature);
        expectWrongStatus(Escrow.Status.Released, Escrow.Status.Funded);
        escrow.releaseWithSignature(terms, DEADLINE, signature);
    }
}
