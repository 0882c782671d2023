// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {TypedData} from "./base/TypedData.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @notice Recorded parts: their claims, acceptance windows and releases.
contract PartsTest is EscrowTest {
    bytes32 private constant WORK = keccak256("work");

    // Records

    function testFuzz_aPartIsAClaimWithItsOwnWindow(uint128 amount, uint128 earned) public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(amount);
        earned = 1 + earned % terms.amount;
        vm.expectEmit(address(escrow));
        emit Escrow.PartRecorded(id, WORK, earned, 1, START, START + ACCEPTANCE_WINDOW, false);
        recordPart(terms, earned, false);
        checkSums(id, 0, earned);
        Escrow.Claim[] memory claims = escrow.getClaims(id);
        vm.assertEq(claims.length, 1);
        vm.assertEq(claims[0].earned, earned);
        vm.assertEq(claims[0].recordedAt, START);
        vm.assertEq(escrow.getEscrow(id).deliveredAt, 0);
        vm.assertEq(escrow.getEscrow(id).deliveryCount, 1);
    }

    function test_aHigherPartMovesNoEarlierWindow() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 30, false);
        vm.warp(START + DELIVERY_WINDOW);
        recordPart(terms, 50, false);
        vm.warp(START + ACCEPTANCE_WINDOW);
        escrow.releasePart(terms);
        checkSums(id, 30, 50);
        checkBalance(provider, 30);
        vm.warp(START + DELIVERY_WINDOW + ACCEPTANCE_WINDOW);
        escrow.releasePart(terms);
        checkSums(id, 50, 50);
        checkBalance(provider, 50);
        checkStatus(id, Escrow.Status.Funded);
    }

    function test_theSameSumAgainIsARevision() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 30, false);
        vm.warp(START + 1 hours);
        vm.expectEmit(address(escrow));
        emit Escrow.PartRecorded(id, WORK, 30, 2, START, START + ACCEPTANCE_WINDOW, false);
        recordPart(terms, 30, false);
        vm.assertEq(escrow.getClaims(id).length, 1);
    }

    function test_aRevisionMakesThePartFinal() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 30, false);
        vm.warp(START + 1 hours);
        vm.expectEmit(address(escrow));
        emit Escrow.PartRecorded(id, WORK, 30, 2, START, START + ACCEPTANCE_WINDOW, true);
        recordPart(terms, 30, true);
        vm.assertEq(escrow.getEscrow(id).deliveredAt, START);
    }

    function test_aRevisionOfTheFinalPartStaysFinal() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 30, true);
        vm.expectEmit(address(escrow));
        emit Escrow.PartRecorded(id, WORK, 30, 2, START, START + ACCEPTANCE_WINDOW, true);
        recordPart(terms, 30, false);
    }

    function test_refusesALowerPart() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        recordPart(terms, 30, false);
        expectError(Escrow.ProviderAmountTooLow.selector, 29, 30);
        recordPart(terms, 29, false);
    }

    function test_refusesAPartOfNothing() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        expectError(Escrow.ProviderAmountTooLow.selector, 0, 0);
        recordPart(terms, 0, true);
    }

    function test_refusesAPartThatAVoucherPaid() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 30, false);
        pay(terms, 40);
        checkSums(id, 40, 40);
        expectError(Escrow.ProviderAmountTooLow.selector, 30, 40);
        recordPart(terms, 30, false);
        expectError(Escrow.ProviderAmountTooLow.selector, 40, 40);
        recordPart(terms, 40, false);
        recordPart(terms, 41, false);
    }

    function testFuzz_refusesMoreThanTheAmount(uint128 amount, uint256 over) public {
        (Escrow.Terms memory terms,) = newFunded(amount);
        over = uint256(terms.amount) + 1 + over % (1 << 200);
        expectError(Escrow.ProviderAmountTooHigh.selector, over, terms.amount);
        recordPart(terms, over, false);
    }

    function test_refusesAnotherSumAfterTheFinalPart() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        recordPart(terms, 30, true);
        vm.expectRevert(abi.encodeWithSelector(Escrow.AlreadyDelivered.selector));
        recordPart(terms, 31, false);
        vm.expectRevert(abi.encodeWithSelector(Escrow.AlreadyDelivered.selector));
        recordPart(terms, 29, false);
        vm.expectRevert(abi.encodeWithSelector(Escrow.AlreadyDelivered.selector));
        recordDelivery(terms);
    }

    function test_refusesAPartAfterADelivery() public {
        (Escrow.Terms memory terms,) = newDelivered(100);
        vm.expectRevert(abi.encodeWithSelector(Escrow.AlreadyDelivered.selector));
        recordPart(terms, 100, false);
        pay(terms, 10);
        vm.expectRevert(abi.encodeWithSelector(Escrow.AlreadyDelivered.selector));
        recordPart(terms, 100, false);
        recordDelivery(terms);
    }

    function test_aDeliveryAfterPartsClaimsTheAmount() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 30, false);
        vm.warp(START + 1 hours);
        recordDelivery(terms);
        checkSums(id, 0, 100);
        vm.warp(START + ACCEPTANCE_WINDOW);
        escrow.releasePart(terms);
        checkSums(id, 30, 100);
        vm.warp(START + 1 hours + ACCEPTANCE_WINDOW);
        escrow.release(terms);
        checkEnd(id, Escrow.Status.Released, 100);
    }

    function test_aFinalPartOfTheAmountIsRevisedByADelivery() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        recordPart(terms, 100, true);
        recordDelivery(terms);
    }

    function test_aRevisionAfterADeliveryMovesNoDate() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 100, false);
        vm.warp(START + 1 hours);
        recordDelivery(terms);
        vm.warp(START + 2 hours);
        recordPart(terms, 100, true);
        vm.assertEq(escrow.getEscrow(id).deliveredAt, START + 1 hours);
        uint256 accepted = START + ACCEPTANCE_WINDOW;
        vm.warp(accepted);
        expectError(Escrow.TooEarly.selector, accepted, accepted + 1 hours);
        escrow.release(terms);
        escrow.releasePart(terms);
        checkEnd(id, Escrow.Status.Released, 100);
    }

    function test_takesSixtyFourPartsAndNoMore() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        for (uint256 i = 1; i <= 64; i++) {
            recordPart(terms, i, false);
        }
        vm.expectRevert(abi.encodeWithSelector(Escrow.TooManyClaims.selector, 64));
        recordPart(terms, 65, false);
        recordPart(terms, 64, false);
        vm.assertEq(escrow.getClaims(id).length, 64);
        recordDelivery(terms);
    }

    function test_isPossibleUntilTheDeliveryDeadlineAndInADispute() public {
        (Escrow.Terms memory terms,) = newDisputed(100);
        vm.warp(START + DELIVERY_WINDOW);
        recordPart(terms, 10, false);
        vm.warp(START + DELIVERY_WINDOW + 1);
        expectError(Escrow.TooLate.selector, START + DELIVERY_WINDOW + 1, START + DELIVERY_WINDOW);
        recordPart(terms, 20, false);
    }

    function test_refusesAnyoneButTheProvider() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        vm.prank(buyer);
        expectError(Escrow.NotProvider.selector, buyer, provider);
        escrow.recordPart(terms, 10, WORK, false);
    }

    function test_refusesOtherStatuses() public {
        Escrow.Terms memory terms = newTerms(100);
        expectWrongStatus(Escrow.Status.None, Escrow.Status.Funded);
        recordPart(terms, 10, false);
        fund(terms);
        dispute(terms);
        decide(terms, 50);
        expectWrongStatus(Escrow.Status.Decided, Escrow.Status.Funded);
        recordPart(terms, 10, false);
        expectWrongStatus(Escrow.Status.Decided, Escrow.Status.Funded);
        escrow.releasePart(terms);
    }

    function testFuzz_anyoneRelaysTheProvidersSignature(address caller, bool isFinal) public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        bytes memory signature = sign(PROVIDER_KEY, partDigest(id, 40, isFinal, 1));
        vm.prank(caller);
        escrow.recordPartWithSignature(terms, 40, WORK, isFinal, DEADLINE, signature);
        checkSums(id, 0, 40);
        bytes32 again = partDigest(id, 40, isFinal, 2);
        expectInvalidSignature(provider, again);
        escrow.recordPartWithSignature(terms, 40, WORK, isFinal, DEADLINE, signature);
    }

    function test_refusesASignatureOfAnotherPart() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        bytes memory signature = sign(PROVIDER_KEY, partDigest(id, 40, false, 1));
        expectInvalidSignature(provider, partDigest(id, 41, false, 1));
        escrow.recordPartWithSignature(terms, 41, WORK, false, DEADLINE, signature);
        expectInvalidSignature(provider, partDigest(id, 40, true, 1));
        escrow.recordPartWithSignature(terms, 40, WORK, true, DEADLINE, signature);
        vm.warp(DEADLINE + 1);
        expectError(Escrow.SignatureExpired.selector, DEADLINE + 1, DEADLINE);
        escrow.recordPartWithSignature(terms, 40, WORK, false, DEADLINE, signature);
    }

    // Final parts that are paid already

    function test_aFinalPartOfThePaidSumEndsTheEscrow() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        pay(terms, 30);
        vm.warp(START + 5);
        vm.expectEmit(address(escrow));
        emit Escrow.PartRecorded(id, WORK, 30, 1, START + 5, START + 5 + ACCEPTANCE_WINDOW, true);
        vm.expectEmit(address(escrow));
        emit Escrow.Released(id, provider, address(token), 30);
        vm.expectEmit(address(escrow));
        emit Escrow.Refunded(id, buyer, address(token), 70);
        vm.expectEmit(address(token));
        emit IERC20.Transfer(address(escrow), buyer, 70);
        vm.recordLogs();
        recordPart(terms, 30, true);
        checkEnd(id, Escrow.Status.Split, 30);
        vm.assertEq(vm.getRecordedLogs().length, 4, "events");
        vm.assertEq(escrow.getEscrow(id).deliveredAt, START + 5);
        vm.assertEq(escrow.getEscrow(id).deliveryCount, 1);
        vm.assertEq(escrow.getClaims(id).length, 0);
        checkSums(id, 30, 30);
    }

    function test_aFinalPartOfThePaidSumEndsTheEscrowBySignature() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        pay(terms, 30);
        bytes memory signature = sign(PROVIDER_KEY, partDigest(id, 30, true, 1));
        escrow.recordPartWithSignature(terms, 30, WORK, true, DEADLINE, signature);
        checkEnd(id, Escrow.Status.Split, 30);
    }

    function test_aPaidPartEndsTheEscrowOnceItIsMadeFinal() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 30, false);
        pay(terms, 30);
        recordPart(terms, 30, false);
        checkStatus(id, Escrow.Status.Funded);
        vm.warp(START + 5);
        vm.expectEmit(address(escrow));
        emit Escrow.PartRecorded(id, WORK, 30, 3, START, START + ACCEPTANCE_WINDOW, true);
        recordPart(terms, 30, true);
        checkEnd(id, Escrow.Status.Split, 30);
    }

    function test_aFinalPartOfThePaidSumNeedsNoFreeClaim() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        for (uint256 i = 1; i <= 64; i++) {
            recordPart(terms, i, false);
        }
        pay(terms, 70);
        recordPart(terms, 70, true);
        checkEnd(id, Escrow.Status.Split, 70);
    }

    /// @dev All is paid that an arbiter could not take back, so the buyer gets the most that a decision could give.
    function test_aFinalPartOfThePaidSumEndsADispute() public {
        (Escrow.Terms memory terms, bytes32 id) = newDisputed(100);
        pay(terms, 30);
        recordPart(terms, 30, true);
        checkEnd(id, Escrow.Status.Split, 30);
    }

    function test_refusesAFinalPartOfThePaidSumBelowAClaim() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 50, false);
        pay(terms, 30);
        expectError(Escrow.ProviderAmountTooLow.selector, 30, 50);
        recordPart(terms, 30, true);
        checkStatus(id, Escrow.Status.Funded);
    }

    function test_refusesAFinalPartOfThePaidSumAfterADelivery() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        pay(terms, 30);
        recordDelivery(terms);
        vm.expectRevert(abi.encodeWithSelector(Escrow.AlreadyDelivered.selector));
        recordPart(terms, 30, true);
    }

    function test_refusesAFinalPartOfThePaidSumAfterTheDeliveryDeadline() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        pay(terms, 30);
        vm.warp(START + DELIVERY_WINDOW + 1);
        expectError(Escrow.TooLate.selector, START + DELIVERY_WINDOW + 1, START + DELIVERY_WINDOW);
        recordPart(terms, 30, true);
    }

    // Releases of parts

    function test_refusesAPartBeforeItsWindow() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        recordPart(terms, 30, false);
        vm.warp(START + ACCEPTANCE_WINDOW - 1);
        expectError(Escrow.ProviderAmountTooLow.selector, 0, 0);
        escrow.releasePart(terms);
        vm.warp(START + ACCEPTANCE_WINDOW);
        vm.expectEmit(address(escrow));
        emit Escrow.PartReleased(escrow.escrowIdOf(terms), provider, address(token), 30, 30, 0);
        escrow.releasePart(terms);
        expectError(Escrow.ProviderAmountTooLow.selector, 30, 30);
        escrow.releasePart(terms);
    }

    function test_aPartOfTheAmountEndsTheEscrow() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 100, false);
        vm.warp(START + ACCEPTANCE_WINDOW);
        vm.recordLogs();
        escrow.releasePart(terms);
        checkEnd(id, Escrow.Status.Released, 100);
    }

    function test_aFinalPartEndsTheEscrowAndPaysTheRestBack() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 30, true);
        vm.warp(START + ACCEPTANCE_WINDOW);
        vm.expectEmit(address(escrow));
        emit Escrow.PartReleased(id, provider, address(token), 30, 30, 0);
        vm.expectEmit(address(escrow));
        emit Escrow.Released(id, provider, address(token), 30);
        vm.expectEmit(address(escrow));
        emit Escrow.Refunded(id, buyer, address(token), 70);
        escrow.releasePart(terms);
        checkEnd(id, Escrow.Status.Split, 30);
    }

    function test_aDisputeFreezesWhatWasNotAcceptedBefore() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 30, false);
        vm.warp(START + 10);
        recordPart(terms, 50, false);
        vm.warp(START + ACCEPTANCE_WINDOW + 10);
        dispute(terms);
        vm.warp(START + ACCEPTANCE_WINDOW + 1 days);
        escrow.releasePart(terms);
        checkSums(id, 30, 50);
        expectError(Escrow.ProviderAmountTooLow.selector, 30, 30);
        escrow.releasePart(terms);
    }

    function test_noRecordOfADisputeIsAcceptedEvenWithoutAWindow() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.acceptanceWindow = 0;
        fund(terms);
        dispute(terms);
        recordPart(terms, 30, false);
        expectError(Escrow.ProviderAmountTooLow.selector, 0, 0);
        escrow.releasePart(terms);
        decide(terms, 0);
    }

    function test_anAcceptedFinalPartEndsADispute() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 30, true);
        vm.warp(START + ACCEPTANCE_WINDOW + 1);
        dispute(terms);
        escrow.releasePart(terms);
        checkEnd(id, Escrow.Status.Split, 30);
    }

    // Ends of an escrow with parts

    function test_theBuyerReleasesTheAmount() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 30, false);
        pay(terms, 10);
        vm.prank(buyer);
        escrow.release(terms);
        checkEnd(id, Escrow.Status.Released, 100);
    }

    function test_theBuyerReleasesWhatAFinalPartClaims() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 30, true);
        bytes memory signature = sign(BUYER_KEY, releaseDigest(id, DEADLINE));
        escrow.releaseWithSignature(terms, DEADLINE, signature);
        checkEnd(id, Escrow.Status.Split, 30);
    }

    function test_anyoneReleasesTheFinalPart() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 30, false);
        vm.warp(START + 10);
        recordPart(terms, 40, true);
        vm.warp(START + 9 + ACCEPTANCE_WINDOW);
        expectError(Escrow.TooEarly.selector, START + 9 + ACCEPTANCE_WINDOW, START + 10 + ACCEPTANCE_WINDOW);
        escrow.release(terms);
        vm.warp(START + 10 + ACCEPTANCE_WINDOW);
        escrow.release(terms);
        checkEnd(id, Escrow.Status.Split, 40);
    }

    function test_theProviderRefundsWhatIsNotPaid() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 50, false);
        pay(terms, 20);
        vm.prank(provider);
        escrow.refund(terms);
        checkEnd(id, Escrow.Status.Split, 20);
    }

    function test_theProviderRefundsWhatIsNotPaidBySignature() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 50, false);
        pay(terms, 20);
        escrow.refundWithSignature(terms, DEADLINE, sign(PROVIDER_KEY, refundDigest(id, DEADLINE)));
        checkEnd(id, Escrow.Status.Split, 20);
    }

    function test_anyoneRefundsOnceTheLastPartIsAccepted() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 20, false);
        vm.warp(START + DELIVERY_WINDOW);
        recordPart(terms, 50, false);
        uint256 end = START + DELIVERY_WINDOW + ACCEPTANCE_WINDOW;
        vm.warp(end - 1);
        expectError(Escrow.TooEarly.selector, end - 1, end);
        escrow.refund(terms);
        vm.warp(end);
        escrow.refund(terms);
        checkEnd(id, Escrow.Status.Split, 50);
    }

    function test_anyoneRefundsAfterAVoucher() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        pay(terms, 20);
        vm.warp(START + DELIVERY_WINDOW);
        expectError(Escrow.TooEarly.selector, START + DELIVERY_WINDOW, START + DELIVERY_WINDOW + 1);
        escrow.refund(terms);
        vm.warp(START + DELIVERY_WINDOW + 1);
        escrow.refund(terms);
        checkEnd(id, Escrow.Status.Split, 20);
    }

    function test_refusesAnOpenRefundAfterAFinalPart() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        recordPart(terms, 20, true);
        vm.warp(START + 365 days);
        expectError(Escrow.NotProvider.selector, address(this), provider);
        escrow.refund(terms);
    }

    // Disputes of an escrow with parts

    function test_theArbiterKeepsWhatIsPaidAndAccepted() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 30, false);
        vm.warp(START + ACCEPTANCE_WINDOW + 1);
        dispute(terms);
        pay(terms, 20);
        expectError(Escrow.ProviderAmountTooLow.selector, 19, 20);
        decide(terms, 19);
        expectError(Escrow.ProviderAmountTooLow.selector, 29, 30);
        decide(terms, 29);
        decide(terms, 30);
        vm.warp(START + ACCEPTANCE_WINDOW + 1 + APPEAL_WINDOW);
        escrow.settleDispute(terms);
        checkEnd(id, Escrow.Status.Split, 30);
    }

    function test_theArbiterGivesNoMoreThanAFinalPartClaims() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        recordPart(terms, 30, true);
        dispute(terms);
        expectError(Escrow.ProviderAmountTooHigh.selector, 31, 30);
        decide(terms, 31);
        decide(terms, 30);
    }

    function test_aVoucherAfterTheDecisionCounts() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        dispute(terms);
        decide(terms, 30);
        pay(terms, 45);
        vm.warp(START + APPEAL_WINDOW);
        escrow.settleDispute(terms);
        checkEnd(id, Escrow.Status.Split, 45);
    }

    function test_aSilentArbiterGivesWhatIsClaimed() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        dispute(terms);
        recordPart(terms, 30, false);
        vm.warp(START + DISPUTE_WINDOW + 1);
        escrow.settleDispute(terms);
        checkEnd(id, Escrow.Status.Split, 30);
    }

    function test_aSilentArbiterWaitsForTheDeliveryWindowUnlessAPartIsFinal() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.disputeWindow = 1 hours;
        bytes32 id = fund(terms);
        recordPart(terms, 30, false);
        dispute(terms);
        vm.warp(START + 1 hours + 1);
        expectError(Escrow.TooEarly.selector, START + 1 hours + 1, START + DELIVERY_WINDOW + 1);
        escrow.settleDispute(terms);
        recordPart(terms, 40, true);
        escrow.settleDispute(terms);
        checkEnd(id, Escrow.Status.Split, 40);
    }

    function test_aSilentArbiterGivesTheAmountIfDelivered() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 30, false);
        recordDelivery(terms);
        dispute(terms);
        vm.warp(START + DISPUTE_WINDOW + 1);
        escrow.settleDispute(terms);
        checkEnd(id, Escrow.Status.Released, 100);
    }

    // Inside

    function recordPart(Escrow.Terms memory terms, uint256 earned, bool isFinal) private {
        vm.prank(terms.provider);
        escrow.recordPart(terms, earned, WORK, isFinal);
    }

    function pay(Escrow.Terms memory terms, uint256 total) private {
        vm.prank(terms.buyer);
        escrow.useVoucher(terms, total, WORK, "");
    }

    function partDigest(bytes32 id, uint256 earned, bool isFinal, uint32 number)
        private
        view
        returns (bytes32)
    {
        return TypedData.recordPart(address(escrow), id, earned, WORK, isFinal, number, DEADLINE);
    }

    function checkSums(bytes32 id, uint256 paid, uint256 earned) private view {
        Escrow.State memory state = escrow.getEscrow(id);
        vm.assertEq(state.paid, paid, "paid");
        vm.assertEq(state.earned, earned, "earned");
    }

    function checkEnd(bytes32 id, Escrow.Status status, uint256 providerAmount) private view {
        checkStatus(id, status);
        checkBalance(provider, providerAmount);
        checkBalance(buyer, 100 - providerAmount);
        checkBalance(address(escrow), 0);
    }
}
