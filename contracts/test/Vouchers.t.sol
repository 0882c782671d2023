// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {BlockingToken} from "./base/Tokens.sol";
import {TypedData} from "./base/TypedData.sol";
import {OwnedWallet} from "./base/Wallet.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @notice Payments by the buyer's vouchers, and ends by both parties' signatures.
contract VouchersTest is EscrowTest {
    bytes32 private constant WORK = keccak256("work");

    // Vouchers alone

    function testFuzz_anEscrowOfVouchersAloneTakesNoRecord(uint256 sum, bool isFinal) public {
        Escrow.Terms memory terms = newVouchersOnly();
        vm.prank(provider);
        expectOnlyVouchers();
        escrow.recordDelivery(terms, WORK);
        vm.prank(provider);
        expectOnlyVouchers();
        escrow.recordPart(terms, sum, WORK, isFinal);
        bytes32 id = escrow.escrowIdOf(terms);
        bytes memory signature = sign(PROVIDER_KEY, deliveryDigest(id, WORK, 1, DEADLINE));
        expectOnlyVouchers();
        escrow.recordDeliveryWithSignature(terms, WORK, DEADLINE, signature);
        bytes32 part = TypedData.recordPart(address(escrow), id, sum, WORK, isFinal, 1, DEADLINE);
        signature = sign(PROVIDER_KEY, part);
        expectOnlyVouchers();
        escrow.recordPartWithSignature(terms, sum, WORK, isFinal, DEADLINE, signature);
    }

    function test_anEscrowOfVouchersAloneTakesNoDispute() public {
        Escrow.Terms memory terms = newVouchersOnly();
        vm.prank(buyer);
        expectOnlyVouchers();
        escrow.dispute(terms, REASON);
        vm.prank(provider);
        expectOnlyVouchers();
        escrow.dispute(terms, REASON);
        expectNotParty(outsider);
        vm.prank(outsider);
        escrow.dispute(terms, REASON);
        bytes memory signature = sign(BUYER_KEY, disputeDigest(escrow.escrowIdOf(terms), REASON, DEADLINE));
        expectOnlyVouchers();
        escrow.disputeWithSignature(terms, buyer, REASON, DEADLINE, signature);
    }

    function test_aWindowASecondShorterTakesRecordsAndDisputes() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.acceptanceWindow = escrow.VOUCHERS_ONLY() - 1;
        bytes32 id = fund(terms);
        recordPart(terms, 30, false);
        recordDelivery(terms);
        dispute(terms);
        checkStatus(id, Escrow.Status.Disputed);
    }

    function test_theBuyerGivesAllOfAnEscrowOfVouchersAlone() public {
        (Escrow.Terms memory terms, bytes32 id) = newUsed();
        vm.prank(buyer);
        escrow.release(terms);
        checkEnd(id, Escrow.Status.Released, 100);
    }

    function test_theProviderReturnsTheRestOfAnEscrowOfVouchersAlone() public {
        (Escrow.Terms memory terms, bytes32 id) = newUsed();
        vm.prank(provider);
        escrow.refund(terms);
        checkEnd(id, Escrow.Status.Split, 30);
    }

    function test_anyoneReturnsTheRestOfAnEscrowOfVouchersAloneInTime() public {
        (Escrow.Terms memory terms, bytes32 id) = newUsed();
        vm.warp(START + DELIVERY_WINDOW + 1);
        vm.prank(outsider);
        escrow.refund(terms);
        checkEnd(id, Escrow.Status.Split, 30);
    }

    function test_nobodyElseReleasesAnEscrowOfVouchersAlone() public {
        (Escrow.Terms memory terms,) = newUsed();
        vm.warp(START + 2 * uint256(type(uint32).max));
        vm.prank(provider);
        vm.expectRevert(abi.encodeWithSelector(Escrow.NotBuyer.selector, provider, buyer));
        escrow.release(terms);
        expectError(Escrow.ProviderAmountTooLow.selector, 0, 30);
        escrow.releasePart(terms);
    }

    function newVouchersOnly() private returns (Escrow.Terms memory terms) {
        terms = newTerms(100);
        terms.acceptanceWindow = escrow.VOUCHERS_ONLY();
        fund(terms);
    }

    function expectOnlyVouchers() private {
        vm.expectRevert(abi.encodeWithSelector(Escrow.OnlyVouchersPay.selector));
    }

    function newUsed() private returns (Escrow.Terms memory terms, bytes32 id) {
        terms = newVouchersOnly();
        id = escrow.escrowIdOf(terms);
        use(terms, id, 30);
    }

    // Vouchers

    function testFuzz_anyoneUsesTheBuyersVoucher(uint128 amount, uint128 total, address caller) public {
        amount = amount < 2 ? 2 : amount;
        (Escrow.Terms memory terms, bytes32 id) = newFunded(amount);
        total = 1 + total % (amount - 1);
        bytes memory signature = sign(BUYER_KEY, voucherDigest(id, total));
        vm.expectEmit(address(escrow));
        emit Escrow.PartReleased(id, provider, address(token), total, total, WORK);
        vm.prank(caller);
        escrow.useVoucher(terms, total, WORK, signature);
        checkBalance(provider, total);
        checkBalance(address(escrow), amount - total);
        checkStatus(id, Escrow.Status.Funded);
        vm.assertEq(escrow.getEscrow(id).paid, total);
        vm.assertEq(escrow.getEscrow(id).earned, total);
    }

    function test_theNewestVoucherPaysItsDifference() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        use(terms, id, 30);
        bytes memory newer = sign(BUYER_KEY, voucherDigest(id, 45));
        vm.expectEmit(address(escrow));
        emit Escrow.PartReleased(id, provider, address(token), 15, 45, WORK);
        escrow.useVoucher(terms, 45, WORK, newer);
        checkBalance(provider, 45);
        bytes memory older = sign(BUYER_KEY, voucherDigest(id, 40));
        expectError(Escrow.ProviderAmountTooLow.selector, 40, 45);
        escrow.useVoucher(terms, 40, WORK, older);
    }

    function test_aVoucherServesOnce() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        use(terms, id, 30);
        bytes memory signature = sign(BUYER_KEY, voucherDigest(id, 30));
        expectError(Escrow.ProviderAmountTooLow.selector, 30, 30);
        escrow.useVoucher(terms, 30, WORK, signature);
    }

    function test_aVoucherLeavesAHigherClaim() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 50, false);
        use(terms, id, 30);
        vm.assertEq(escrow.getEscrow(id).earned, 50);
        vm.warp(START + ACCEPTANCE_WINDOW);
        escrow.releasePart(terms);
        checkBalance(provider, 50);
    }

    function test_emitsBeforeTheMoneyMoves() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 60, true);
        bytes memory signature = sign(BUYER_KEY, voucherDigest(id, 60));
        vm.recordLogs();
        escrow.useVoucher(terms, 60, WORK, signature);
        checkEvents(
            abi.encodePacked(
                Escrow.PartReleased.selector,
                Escrow.Released.selector,
                Escrow.Refunded.selector,
                IERC20.Transfer.selector,
                IERC20.Transfer.selector
            )
        );
        checkEnd(id, Escrow.Status.Split, 60);
    }

    function test_aVoucherOfTheAmountEndsTheEscrow() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        use(terms, id, 30);
        use(terms, id, 100);
        checkEnd(id, Escrow.Status.Released, 100);
        bytes memory signature = sign(BUYER_KEY, voucherDigest(id, 100));
        expectWrongStatus(Escrow.Status.Released, Escrow.Status.Funded);
        escrow.useVoucher(terms, 100, WORK, signature);
    }

    function test_aVoucherAboveAFinalPartEndsTheEscrow() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 40, true);
        use(terms, id, 30);
        checkStatus(id, Escrow.Status.Funded);
        use(terms, id, 70);
        checkEnd(id, Escrow.Status.Split, 70);
    }

    function test_aVoucherOfADeliveredEscrowLeavesTheClaimOfTheAmount() public {
        (Escrow.Terms memory terms, bytes32 id) = newDelivered(100);
        use(terms, id, 30);
        vm.assertEq(escrow.getEscrow(id).earned, 100);
        vm.warp(START + ACCEPTANCE_WINDOW);
        escrow.release(terms);
        checkEnd(id, Escrow.Status.Released, 100);
    }

    function test_isGoodInADisputeAndAfterADecision() public {
        (Escrow.Terms memory terms, bytes32 id) = newDisputed(100);
        use(terms, id, 30);
        decide(terms, 40);
        use(terms, id, 50);
        checkStatus(id, Escrow.Status.Decided);
        use(terms, id, 100);
        checkEnd(id, Escrow.Status.Released, 100);
    }

    function test_theBuyerNeedsNoVoucher() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        vm.prank(buyer);
        escrow.useVoucher(terms, 30, WORK, "");
        checkBalance(provider, 30);
    }

    function testFuzz_refusesMoreThanTheAmount(uint256 over) public {
        (Escrow.Terms memory terms,) = newFunded(100);
        over = 101 + over % (1 << 200);
        vm.prank(buyer);
        expectError(Escrow.ProviderAmountTooHigh.selector, over, 100);
        escrow.useVoucher(terms, over, WORK, "");
    }

    function test_refusesTheProvidersSignature() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        bytes32 digest = voucherDigest(id, 30);
        bytes memory signature = sign(PROVIDER_KEY, digest);
        vm.prank(provider);
        expectInvalidSignature(buyer, digest);
        escrow.useVoucher(terms, 30, WORK, signature);
    }

    function test_refusesAVoucherOfAnotherSumWorkOrEscrow() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        bytes memory signature = sign(BUYER_KEY, voucherDigest(id, 30));
        expectInvalidSignature(buyer, voucherDigest(id, 31));
        escrow.useVoucher(terms, 31, WORK, signature);
        expectInvalidSignature(buyer, TypedData.voucher(address(escrow), id, 30, OUTPUT));
        escrow.useVoucher(terms, 30, OUTPUT, signature);
        (Escrow.Terms memory others, bytes32 other) = newFunded(101);
        expectInvalidSignature(buyer, voucherDigest(other, 30));
        escrow.useVoucher(others, 30, WORK, signature);
    }

    function test_refusesAnUnknownEscrow() public {
        Escrow.Terms memory terms = newTerms(100);
        vm.prank(buyer);
        expectWrongStatus(Escrow.Status.None, Escrow.Status.Funded);
        escrow.useVoucher(terms, 30, WORK, "");
    }

    function test_takesTheSignatureOfAnERC1271Wallet() public {
        OwnedWallet wallet = new OwnedWallet(buyer, false);
        Escrow.Terms memory terms = newTerms(100);
        terms.buyer = address(wallet);
        prepare(terms, outsider);
        vm.prank(outsider);
        bytes32 id = escrow.createEscrow(terms);
        bytes memory signature = abi.encodePacked(sign(BUYER_KEY, voucherDigest(id, 30)), bytes1(0x01));
        escrow.useVoucher(terms, 30, WORK, signature);
        checkBalance(provider, 30);
    }

    function test_aRefusedPartIsOwed() public {
        BlockingToken blocking = new BlockingToken();
        Escrow.Terms memory terms = newTerms(100);
        terms.token = address(blocking);
        bytes32 id = fund(terms);
        blocking.setBlocked(provider, true);
        vm.expectEmit(address(escrow));
        emit Escrow.PartReleased(id, provider, address(blocking), 30, 30, WORK);
        vm.expectEmit(address(escrow));
        emit Escrow.PayoutDeferred(id, provider, address(blocking), 30);
        vm.prank(buyer);
        escrow.useVoucher(terms, 30, WORK, "");
        vm.assertEq(escrow.owed(provider, address(blocking)), 30);
        vm.prank(buyer);
        escrow.release(terms);
        vm.assertEq(escrow.owed(provider, address(blocking)), 100);
        blocking.setBlocked(provider, false);
        escrow.withdraw(address(blocking), provider);
        vm.assertEq(blocking.balanceOf(provider), 100);
    }

    // Ends by both parties

    function testFuzz_bothPartiesCloseAtOnce(uint128 amount, uint256 share, uint8 status) public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(amount);
        share = share % (uint256(terms.amount) + 1);
        if (status % 3 > 0) dispute(terms);
        if (status % 3 > 1) decide(terms, 0);
        close(terms, id, share);
        checkBalance(provider, share);
        checkBalance(buyer, terms.amount - share);
        Escrow.Status expected = Escrow.Status.Split;
        if (share == 0) expected = Escrow.Status.Refunded;
        if (share == terms.amount) expected = Escrow.Status.Released;
        checkStatus(id, expected);
    }

    function test_aCloseCountsWhatIsPaid() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        use(terms, id, 30);
        (bytes memory first, bytes memory second) = closeSignatures(id, 29);
        expectError(Escrow.ProviderAmountTooLow.selector, 29, 30);
        escrow.close(terms, 29, DEADLINE, first, second);
        close(terms, id, 30);
        checkEnd(id, Escrow.Status.Split, 30);
    }

    function test_aCloseMayGiveMoreThanAFinalPart() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 30, true);
        close(terms, id, 50);
        checkEnd(id, Escrow.Status.Split, 50);
    }

    function test_refusesACloseOfMoreThanTheAmount() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        (bytes memory first, bytes memory second) = closeSignatures(id, 101);
        expectError(Escrow.ProviderAmountTooHigh.selector, 101, 100);
        escrow.close(terms, 101, DEADLINE, first, second);
    }

    function test_refusesACloseOfOneParty() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        (bytes memory first, bytes memory second) = closeSignatures(id, 50);
        bytes32 digest = TypedData.close(address(escrow), id, 50, DEADLINE);
        expectInvalidSignature(provider, digest);
        escrow.close(terms, 50, DEADLINE, first, first);
        expectInvalidSignature(buyer, digest);
        escrow.close(terms, 50, DEADLINE, second, second);
        vm.prank(buyer);
        expectInvalidSignature(buyer, digest);
        escrow.close(terms, 50, DEADLINE, "", second);
    }

    function test_refusesACloseOfAnotherSumOrAfterItsDeadline() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        (bytes memory first, bytes memory second) = closeSignatures(id, 50);
        expectInvalidSignature(buyer, TypedData.close(address(escrow), id, 51, DEADLINE));
        escrow.close(terms, 51, DEADLINE, first, second);
        vm.warp(DEADLINE + 1);
        expectError(Escrow.SignatureExpired.selector, DEADLINE + 1, DEADLINE);
        escrow.close(terms, 50, DEADLINE, first, second);
    }

    function test_refusesACloseOfAnEndedEscrow() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        close(terms, id, 50);
        (bytes memory first, bytes memory second) = closeSignatures(id, 50);
        expectWrongStatus(Escrow.Status.Split, Escrow.Status.Funded);
        escrow.close(terms, 50, DEADLINE, first, second);
    }

    // Inside

    function use(Escrow.Terms memory terms, bytes32 id, uint256 total) private {
        escrow.useVoucher(terms, total, WORK, sign(BUYER_KEY, voucherDigest(id, total)));
    }

    function close(Escrow.Terms memory terms, bytes32 id, uint256 providerAmount) private {
        (bytes memory first, bytes memory second) = closeSignatures(id, providerAmount);
        escrow.close(terms, providerAmount, DEADLINE, first, second);
    }

    function closeSignatures(bytes32 id, uint256 providerAmount)
        private
        view
        returns (bytes memory, bytes memory)
    {
        bytes32 digest = TypedData.close(address(escrow), id, providerAmount, DEADLINE);
        return (sign(BUYER_KEY, digest), sign(PROVIDER_KEY, digest));
    }

    function recordPart(Escrow.Terms memory terms, uint256 earned, bool isFinal) private {
        vm.prank(terms.provider);
        escrow.recordPart(terms, earned, WORK, isFinal);
    }

    function voucherDigest(bytes32 id, uint256 total) private view returns (bytes32) {
        return TypedData.voucher(address(escrow), id, total, WORK);
    }

    function checkEnd(bytes32 id, Escrow.Status status, uint256 providerAmount) private view {
        checkStatus(id, status);
        checkBalance(provider, providerAmount);
        checkBalance(buyer, 100 - providerAmount);
        checkBalance(address(escrow), 0);
    }
}
