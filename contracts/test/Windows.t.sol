// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {TypedData} from "./base/TypedData.sol";

/// @notice The second in which each time limit begins or ends, whatever its length: the call succeeds in that second,
///         and is refused in the second before or after it.
contract WindowsTest is EscrowTest {
    function testFuzz_createEscrowUntilFundBy(uint48 fundBy) public {
        Escrow.Terms memory terms = newTermsUntil(fundBy);
        prepare(terms, buyer);
        checkUntil(buyer, abi.encodeCall(Escrow.createEscrow, (terms)), terms.fundBy);
    }

    function testFuzz_createEscrowWithAuthorizationUntilFundBy(uint48 fundBy) public {
        Escrow.Terms memory terms = newTermsUntil(fundBy);
        token.mint(buyer, terms.amount);
        uint256 validBefore = uint256(terms.fundBy) + 1;
        bytes memory signature = sign(BUYER_KEY, authorizationDigest(terms, buyer, 0));
        bytes memory data = abi.encodeCall(
            Escrow.createEscrowWithAuthorization, (terms, buyer, 0, validBefore, 0, signature)
        );
        checkUntil(outsider, data, terms.fundBy);
    }

    function testFuzz_createEscrowFromDepositUntilFundBy(uint48 fundBy) public {
        Escrow.Terms memory terms = newTermsUntil(fundBy);
        token.mint(escrow.depositAddressOf(terms), terms.amount);
        checkUntil(outsider, abi.encodeCall(Escrow.createEscrowFromDeposit, (terms)), terms.fundBy);
    }

    function testFuzz_returnDepositByAnyoneAfterFundBy(uint48 fundBy) public {
        Escrow.Terms memory terms = newTermsUntil(fundBy);
        token.mint(escrow.depositAddressOf(terms), terms.amount);
        bytes memory data = abi.encodeCall(Escrow.returnDeposit, (terms, address(token)));
        checkFrom(data, uint256(terms.fundBy) + 1);
    }

    function testFuzz_recordDeliveryUntilTheDeliveryWindowEnds(uint32 window) public {
        (Escrow.Terms memory terms,) = newWindowed(window);
        bytes memory data = abi.encodeCall(Escrow.recordDelivery, (terms, OUTPUT));
        checkUntil(provider, data, START + uint256(window));
    }

    function testFuzz_recordDeliveryWithSignatureUntilTheDeliveryWindowEnds(uint32 window) public {
        (Escrow.Terms memory terms, bytes32 id) = newWindowed(window);
        uint256 deadline = type(uint256).max;
        bytes memory signature = sign(PROVIDER_KEY, deliveryDigest(id, OUTPUT, 1, deadline));
        bytes memory data =
            abi.encodeCall(Escrow.recordDeliveryWithSignature, (terms, OUTPUT, deadline, signature));
        checkUntil(outsider, data, START + uint256(window));
    }

    function testFuzz_recordDeliveryWhileDisputedUntilTheDeliveryWindowEnds(uint32 window) public {
        (Escrow.Terms memory terms,) = newWindowed(window);
        dispute(terms);
        bytes memory data = abi.encodeCall(Escrow.recordDelivery, (terms, OUTPUT));
        checkUntil(provider, data, START + uint256(window));
    }

    function testFuzz_refundByAnyoneAfterTheDeliveryWindow(uint32 window) public {
        (Escrow.Terms memory terms,) = newWindowed(window);
        checkFrom(abi.encodeCall(Escrow.refund, (terms)), START + uint256(window) + 1);
    }

    function testFuzz_releaseByAnyoneFromTheEndOfTheAcceptanceWindow(uint32 window, uint32 delay) public {
        (Escrow.Terms memory terms,) = newWindowed(window);
        uint256 deliveredAt = START + uint256(delay) % (uint256(window) + 1);
        vm.warp(deliveredAt);
        recordDelivery(terms);
        checkFrom(abi.encodeCall(Escrow.release, (terms)), deliveredAt + terms.acceptanceWindow);
    }

    function testFuzz_recordPartUntilTheDeliveryWindowEnds(uint32 window) public {
        (Escrow.Terms memory terms,) = newWindowed(window);
        bytes memory data = abi.encodeCall(Escrow.recordPart, (terms, 50, OUTPUT, false));
        checkUntil(provider, data, START + uint256(window));
    }

    function testFuzz_releasePartFromTheEndOfItsAcceptanceWindow(uint32 window, uint32 delay) public {
        (Escrow.Terms memory terms,) = newWindowed(window);
        window = terms.acceptanceWindow;
        uint256 recordedAt = START + uint256(delay) % (uint256(window) + 1);
        vm.warp(recordedAt);
        vm.prank(provider);
        escrow.recordPart(terms, 50, OUTPUT, false);
        vm.warp(recordedAt + window);
        if (window > 0) {
            vm.warp(recordedAt + window - 1);
            expectError(Escrow.ProviderAmountTooLow.selector, 0, 0);
            escrow.releasePart(terms);
            vm.warp(recordedAt + window);
        }
        escrow.releasePart(terms);
        checkBalance(provider, 50);
    }

    function testFuzz_refundByAnyoneAfterTheLastPartsAcceptanceWindow(uint32 window) public {
        Escrow.Terms memory terms = newTerms(100);
        terms.acceptanceWindow = window < DELIVERY_WINDOW ? DELIVERY_WINDOW : acceptanceOf(window);
        fund(terms);
        vm.warp(START + 1);
        vm.prank(provider);
        escrow.recordPart(terms, 50, OUTPUT, false);
        checkFrom(abi.encodeCall(Escrow.refund, (terms)), START + 1 + uint256(terms.acceptanceWindow));
    }

    function testFuzz_recordPartWithSignatureUntilItsDeadline(uint32 length) public {
        (Escrow.Terms memory terms, bytes32 id) = newWindowed(type(uint32).max);
        uint256 deadline = START + uint256(length);
        bytes32 digest = TypedData.recordPart(address(escrow), id, 50, OUTPUT, true, 1, deadline);
        bytes memory signature = sign(PROVIDER_KEY, digest);
        checkDeadline(
            abi.encodeCall(Escrow.recordPartWithSignature, (terms, 50, OUTPUT, true, deadline, signature)),
            deadline
        );
    }

    function testFuzz_closeUntilItsDeadline(uint32 length) public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        uint256 deadline = START + uint256(length);
        bytes32 digest = TypedData.close(address(escrow), id, 50, deadline);
        bytes memory first = sign(BUYER_KEY, digest);
        bytes memory second = sign(PROVIDER_KEY, digest);
        checkDeadline(abi.encodeCall(Escrow.close, (terms, 50, deadline, first, second)), deadline);
    }

    function testFuzz_decideDisputeUntilTheDisputeWindowEnds(uint32 window, uint32 delay) public {
        (Escrow.Terms memory terms,) = newWindowed(window);
        vm.warp(START + uint256(delay));
        dispute(terms);
        bytes memory data = abi.encodeCall(Escrow.decideDispute, (terms, 50, RULING));
        checkUntil(arbiter, data, START + uint256(delay) + window);
    }

    function testFuzz_decideDisputeWithSignatureUntilTheDisputeWindowEnds(uint32 window) public {
        (Escrow.Terms memory terms, bytes32 id) = newWindowed(window);
        dispute(terms);
        uint256 deadline = type(uint256).max;
        bytes memory signature = sign(ARBITER_KEY, decisionDigest(id, 50, RULING, deadline));
        bytes memory data =
            abi.encodeCall(Escrow.decideDisputeWithSignature, (terms, 50, RULING, deadline, signature));
        checkUntil(outsider, data, START + uint256(window));
    }

    function testFuzz_settleDisputeAfterTheDisputeWindow(uint32 window, uint32 delay) public {
        (Escrow.Terms memory terms,) = newWindowed(window);
        vm.warp(START + uint256(delay));
        dispute(terms);
        bytes memory data = abi.encodeCall(Escrow.settleDispute, (terms));
        checkFrom(data, START + uint256(delay) + window + 1);
    }

    function testFuzz_settleDisputeFromTheEndOfTheAppealWindow(uint32 window, uint32 delay) public {
        (Escrow.Terms memory terms,) = newWindowed(window);
        dispute(terms);
        uint256 decidedAt = START + uint256(delay) % (uint256(window) + 1);
        vm.warp(decidedAt);
        decide(terms, 50);
        checkFrom(abi.encodeCall(Escrow.settleDispute, (terms)), decidedAt + window);
    }

    function testFuzz_recordDeliveryWithSignatureUntilItsDeadline(uint32 length) public {
        (Escrow.Terms memory terms, bytes32 id) = newWindowed(type(uint32).max);
        uint256 deadline = START + uint256(length);
        bytes memory signature = sign(PROVIDER_KEY, deliveryDigest(id, OUTPUT, 1, deadline));
        checkDeadline(
            abi.encodeCall(Escrow.recordDeliveryWithSignature, (terms, OUTPUT, deadline, signature)), deadline
        );
    }

    function testFuzz_releaseWithSignatureUntilItsDeadline(uint32 length) public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        uint256 deadline = START + uint256(length);
        bytes memory signature = sign(BUYER_KEY, releaseDigest(id, deadline));
        checkDeadline(abi.encodeCall(Escrow.releaseWithSignature, (terms, deadline, signature)), deadline);
    }

    function testFuzz_refundWithSignatureUntilItsDeadline(uint32 length) public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        uint256 deadline = START + uint256(length);
        bytes memory signature = sign(PROVIDER_KEY, refundDigest(id, deadline));
        checkDeadline(abi.encodeCall(Escrow.refundWithSignature, (terms, deadline, signature)), deadline);
    }

    function testFuzz_disputeWithSignatureUntilItsDeadline(uint32 length) public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        uint256 deadline = START + uint256(length);
        bytes memory signature = sign(BUYER_KEY, disputeDigest(id, REASON, deadline));
        checkDeadline(
            abi.encodeCall(Escrow.disputeWithSignature, (terms, buyer, REASON, deadline, signature)), deadline
        );
    }

    function testFuzz_decideDisputeWithSignatureUntilItsDeadline(uint32 length) public {
        (Escrow.Terms memory terms, bytes32 id) = newWindowed(type(uint32).max);
        dispute(terms);
        uint256 deadline = START + uint256(length);
        bytes memory signature = sign(ARBITER_KEY, decisionDigest(id, 50, RULING, deadline));
        checkDeadline(
            abi.encodeCall(Escrow.decideDisputeWithSignature, (terms, 50, RULING, deadline, signature)),
            deadline
        );
    }

    /// @dev Excludes the last second that the field can hold, because the test also tries the second after it.
    function newTermsUntil(uint48 fundBy) private view returns (Escrow.Terms memory terms) {
        terms = newTerms(100);
        terms.fundBy = uint48(START + fundBy % (type(uint48).max - START));
    }

    /// @dev The acceptance window; the longest number means vouchers alone.
    function acceptanceOf(uint32 window) private view returns (uint32) {
        return window == escrow.VOUCHERS_ONLY() ? window - 1 : window;
    }

    function newWindowed(uint32 window) private returns (Escrow.Terms memory terms, bytes32 escrowId) {
        terms = newTerms(100);
        terms.deliveryWindow = window;
        terms.acceptanceWindow = acceptanceOf(window);
        terms.disputeWindow = window;
        terms.appealWindow = window;
        escrowId = fund(terms);
    }

    function checkUntil(address caller, bytes memory data, uint256 last) private {
        checkRefused(caller, data, last + 1, abi.encodeWithSelector(Escrow.TooLate.selector, last + 1, last));
        checkDone(caller, data, last);
    }

    function checkDeadline(bytes memory data, uint256 last) private {
        bytes memory refusal = abi.encodeWithSelector(Escrow.SignatureExpired.selector, last + 1, last);
        checkRefused(outsider, data, last + 1, refusal);
        checkDone(outsider, data, last);
    }

    function checkFrom(bytes memory data, uint256 first) private {
        bytes memory refusal = abi.encodeWithSelector(Escrow.TooEarly.selector, first - 1, first);
        checkRefused(outsider, data, first - 1, refusal);
        checkDone(outsider, data, first);
    }

    function checkRefused(address caller, bytes memory data, uint256 time, bytes memory refusal) private {
        vm.warp(time);
        vm.prank(caller);
        (bool done, bytes memory answer) = address(escrow).call(data);
        vm.assertTrue(!done, "it went through");
        vm.assertEq(answer, refusal, "refused for another cause");
    }

    function checkDone(address caller, bytes memory data, uint256 time) private {
        vm.warp(time);
        vm.prank(caller);
        (bool done,) = address(escrow).call(data);
        vm.assertTrue(done, "refused in a good second");
    }
}
