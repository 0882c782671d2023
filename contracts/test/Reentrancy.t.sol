// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {Reentrant, ReentrantBuyer} from "./base/Reentrant.sol";
import {ReentrantToken} from "./base/Tokens.sol";
import {TypedData} from "./base/TypedData.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @notice During every call that moves money, all calls are tried that would succeed alone. The lock refuses the calls
///         that move money. The others change only their own escrow.
contract ReentrancyTest is EscrowTest {
    /// @dev The calls that move money, which hold the lock, then the other calls.
    enum Entry {
        CreateEscrow,
        CreateEscrowWithAuthorization,
        CreateEscrowWithReceiveAuthorization,
        CreateEscrowFromDeposit,
        ReturnDeposit,
        Release,
        ReleaseWithSignature,
        Refund,
        RefundWithSignature,
        SettleDispute,
        Withdraw,
        ReleasePart,
        UseVoucher,
        Close,
        RecordPart,
        RecordPartWithSignature,
        RecordDeliveryWithSignature,
        DisputeWithSignature,
        DecideDisputeWithSignature
    }

    uint256 private constant LOCKED = 16;
    uint256 private constant ENTRIES = 19;

    ReentrantToken private reentrant;
    uint256 private orders;

    function setUp() public override {
        super.setUp();
        reentrant = new ReentrantToken();
        token = reentrant;
    }

    /// @dev The prepared calls succeed alone, so only the lock refuses them in the tests below.
    function test_eachOfTheCallsSucceedsOnItsOwn() public {
        for (uint256 i = 0; i < ENTRIES; i++) {
            bytes memory data = prepare(Entry(i), 100);
            vm.prank(address(token));
            (bool done,) = address(escrow).call(data);
            vm.assertTrue(done, "a prepared call fails");
        }
    }

    function test_fromCreateEscrow() public {
        checkFrom(Entry.CreateEscrow, 0);
    }

    function test_fromCreateEscrowWithAuthorizationWhileTheAuthorizationIsUsed() public {
        checkFrom(Entry.CreateEscrowWithAuthorization, 0);
    }

    function test_fromCreateEscrowWithAuthorizationWhileTheDepositIsCollected() public {
        checkFrom(Entry.CreateEscrowWithAuthorization, 1);
    }

    function test_fromCreateEscrowWithReceiveAuthorization() public {
        checkFrom(Entry.CreateEscrowWithReceiveAuthorization, 0);
    }

    function test_fromCreateEscrowFromDeposit() public {
        checkFrom(Entry.CreateEscrowFromDeposit, 0);
    }

    function test_fromReturnDeposit() public {
        checkFrom(Entry.ReturnDeposit, 0);
    }

    function test_fromRelease() public {
        checkFrom(Entry.Release, 0);
    }

    function test_fromReleaseWithSignature() public {
        checkFrom(Entry.ReleaseWithSignature, 0);
    }

    function test_fromRefund() public {
        checkFrom(Entry.Refund, 0);
    }

    function test_fromRefundWithSignature() public {
        checkFrom(Entry.RefundWithSignature, 0);
    }

    function test_fromTheProvidersPartOfASettlement() public {
        checkFrom(Entry.SettleDispute, 0);
    }

    function test_fromTheBuyersPartOfASettlement() public {
        checkFrom(Entry.SettleDispute, 1);
    }

    function test_fromWithdraw() public {
        checkFrom(Entry.Withdraw, 0);
    }

    function test_fromReleasePart() public {
        checkFrom(Entry.ReleasePart, 0);
    }

    function test_fromUseVoucher() public {
        checkFrom(Entry.UseVoucher, 0);
    }

    function test_fromClose() public {
        checkFrom(Entry.Close, 0);
    }

    function test_fromAFinalPartThatWasPaid() public {
        checkFrom(Entry.RecordPart, 0);
    }

    function test_fromAFinalPartThatWasPaidBySignature() public {
        checkFrom(Entry.RecordPartWithSignature, 0);
    }

    function test_fromAReturnOfNativeCoin() public {
        ReentrantBuyer reentrantBuyer = new ReentrantBuyer();
        for (uint256 i = 0; i < LOCKED; i++) {
            Escrow.Terms memory terms = newOrder(100);
            terms.buyer = address(reentrantBuyer);
            vm.deal(escrow.depositAddressOf(terms), 1 ether);
            uint256 before = address(reentrantBuyer).balance;
            bytes memory data = prepare(Entry(i), 1000);
            reentrantBuyer.arm(address(escrow), data, 0);
            escrow.returnDeposit(terms, address(0));
            checkLocked(reentrantBuyer);
            vm.assertEq(address(reentrantBuyer).balance, before + 1 ether, "native coin");
        }
    }

    /// @dev The escrow exists before its money arrives, so a party's signature can dispute it. The money still arrives.
    function test_aDisputeFromWithinTheCreationStands() public {
        Escrow.Terms memory terms = newOrder(100);
        prepare(terms, buyer);
        bytes32 escrowId = escrow.escrowIdOf(terms);
        bytes memory signature = sign(PROVIDER_KEY, disputeDigest(escrowId, REASON, DEADLINE));
        bytes memory data =
            abi.encodeCall(Escrow.disputeWithSignature, (terms, provider, REASON, DEADLINE, signature));
        reentrant.arm(address(escrow), data, 0);
        vm.prank(buyer);
        escrow.createEscrow(terms);
        vm.assertTrue(reentrant.succeeded(), "a dispute right after the creation is refused");
        checkStatus(escrowId, Escrow.Status.Disputed);
        checkBalance(address(escrow), 100);
    }

    function test_anEndedEscrowIsEndedWhileItPays() public {
        Escrow.Terms memory terms = newOrder(100);
        bytes32 escrowId = fund(terms);
        bytes memory signature = sign(BUYER_KEY, disputeDigest(escrowId, REASON, DEADLINE));
        bytes memory data =
            abi.encodeCall(Escrow.disputeWithSignature, (terms, buyer, REASON, DEADLINE, signature));
        reentrant.arm(address(escrow), data, 0);
        vm.prank(buyer);
        escrow.release(terms);
        checkAnswer(
            reentrant,
            abi.encodeWithSelector(Escrow.WrongStatus.selector, Escrow.Status.Released, Escrow.Status.Funded)
        );
        checkStatus(escrowId, Escrow.Status.Released);
        checkBalance(provider, 100);
    }

    /// @dev The sums of a part are written before it is paid, so a delivery in the meantime claims the amount.
    function test_aDeliveryFromWithinAVoucherClaimsTheAmount() public {
        Escrow.Terms memory terms = newOrder(100);
        bytes32 escrowId = fund(terms);
        bytes memory signature = sign(PROVIDER_KEY, deliveryDigest(escrowId, OUTPUT, 1, DEADLINE));
        bytes memory data =
            abi.encodeCall(Escrow.recordDeliveryWithSignature, (terms, OUTPUT, DEADLINE, signature));
        reentrant.arm(address(escrow), data, 0);
        vm.prank(buyer);
        escrow.useVoucher(terms, 30, OUTPUT, "");
        vm.assertTrue(reentrant.succeeded(), "a delivery while a part is paid is refused");
        vm.assertEq(escrow.getEscrow(escrowId).paid, 30);
        vm.assertEq(escrow.getEscrow(escrowId).earned, 100);
    }

    // Inside

    /// @dev Tries every prepared call from within `outer`, at its first movement of money or a later one.
    function checkFrom(Entry outer, uint256 movement) private {
        for (uint256 i = 0; i < ENTRIES; i++) {
            bytes memory outerData = prepare(outer, 100);
            bytes memory innerData = prepare(Entry(i), 1000);
            uint256 before = token.balanceOf(address(escrow));
            reentrant.arm(address(escrow), innerData, movement);
            vm.prank(address(token));
            (bool done,) = address(escrow).call(outerData);
            vm.assertTrue(done, "the outer call failed");

            if (i < LOCKED) checkLocked(reentrant);
            else vm.assertTrue(reentrant.succeeded(), "a call that needs no lock is refused");
            checkBalance(address(escrow), expectedAfter(outer, before));
        }
    }

    /// @dev The contract's balance if only `outer` moved the 100 of its escrow.
    function expectedAfter(Entry outer, uint256 before) private pure returns (uint256) {
        if (outer < Entry.ReturnDeposit) return before + 100;
        if (outer == Entry.RecordPart || outer == Entry.RecordPartWithSignature) return before - 60;
        return outer == Entry.ReturnDeposit ? before : before - 100;
    }

    function checkLocked(Reentrant caller) private view {
        checkAnswer(
            caller, abi.encodeWithSelector(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector)
        );
    }

    function checkAnswer(Reentrant caller, bytes memory expected) private view {
        vm.assertTrue(caller.attempted(), "it did not call back");
        vm.assertTrue(!caller.succeeded(), "the call back was let through");
        vm.assertEq(caller.answer(), expected, "refused for another cause");
    }

    /// @dev A call that would succeed now by anybody, on a separate escrow.
    function prepare(Entry entry, uint128 amount) private returns (bytes memory data) {
        vm.warp(START);
        Escrow.Terms memory terms = newOrder(amount);
        data = entry < Entry.ReturnDeposit ? prepareCreation(entry, terms) : prepareAct(entry, terms);
        vm.warp(START + 1);
    }

    function prepareCreation(Entry entry, Escrow.Terms memory terms) private returns (bytes memory) {
        if (entry == Entry.CreateEscrow) {
            prepare(terms, address(token));
            return abi.encodeCall(Escrow.createEscrow, (terms));
        }
        if (entry == Entry.CreateEscrowFromDeposit) {
            token.mint(escrow.depositAddressOf(terms), terms.amount);
            return abi.encodeCall(Escrow.createEscrowFromDeposit, (terms));
        }
        token.mint(buyer, terms.amount);
        if (entry == Entry.CreateEscrowWithReceiveAuthorization) {
            bytes memory receipt = sign(BUYER_KEY, receiptDigest(terms, buyer));
            return abi.encodeCall(
                Escrow.createEscrowWithReceiveAuthorization, (terms, buyer, uint256(FUND_BY) + 1, receipt)
            );
        }
        bytes memory signature = sign(BUYER_KEY, authorizationDigest(terms, buyer, terms.orderHash));
        return abi.encodeCall(
            Escrow.createEscrowWithAuthorization,
            (terms, buyer, 0, uint256(FUND_BY) + 1, terms.orderHash, signature)
        );
    }

    /// @dev The windows that block the call are over in the next second.
    function prepareAct(Entry entry, Escrow.Terms memory terms) private returns (bytes memory) {
        if (entry == Entry.Refund) terms.deliveryWindow = 0;
        // The caller is the token.
        if (entry == Entry.RecordPart) terms.provider = address(token);
        terms.acceptanceWindow = 0;
        terms.appealWindow = 0;
        bytes32 id = fund(terms);
        if (entry == Entry.ReturnDeposit) {
            token.mint(escrow.depositAddressOf(terms), terms.amount);
            return abi.encodeCall(Escrow.returnDeposit, (terms, address(token)));
        }
        if (entry == Entry.Refund) return abi.encodeCall(Escrow.refund, (terms));
        if (entry == Entry.Withdraw) return prepareWithdrawal(terms);
        if (entry == Entry.Release) {
            recordDelivery(terms);
            return abi.encodeCall(Escrow.release, (terms));
        }
        if (entry == Entry.ReleasePart) {
            vm.prank(provider);
            escrow.recordPart(terms, terms.amount, OUTPUT, false);
            return abi.encodeCall(Escrow.releasePart, (terms));
        }
        if (entry == Entry.RecordPart) {
            vm.prank(buyer);
            escrow.useVoucher(terms, terms.amount * 2 / 5, OUTPUT, "");
            return abi.encodeCall(Escrow.recordPart, (terms, terms.amount * 2 / 5, OUTPUT, true));
        }
        if (entry == Entry.SettleDispute) {
            dispute(terms);
            decide(terms, terms.amount * 2 / 5);
            return abi.encodeCall(Escrow.settleDispute, (terms));
        }
        return prepareSigned(entry, terms, id);
    }

    function prepareSigned(Entry entry, Escrow.Terms memory terms, bytes32 id)
        private
        returns (bytes memory)
    {
        if (entry == Entry.ReleaseWithSignature) {
            bytes memory ofBuyer = sign(BUYER_KEY, releaseDigest(id, DEADLINE));
            return abi.encodeCall(Escrow.releaseWithSignature, (terms, DEADLINE, ofBuyer));
        }
        if (entry == Entry.DisputeWithSignature) {
            bytes memory ofBuyer = sign(BUYER_KEY, disputeDigest(id, REASON, DEADLINE));
            return abi.encodeCall(Escrow.disputeWithSignature, (terms, buyer, REASON, DEADLINE, ofBuyer));
        }
        if (entry == Entry.DecideDisputeWithSignature) {
            dispute(terms);
            bytes memory ofArbiter = sign(ARBITER_KEY, decisionDigest(id, 5, RULING, DEADLINE));
            return abi.encodeCall(Escrow.decideDisputeWithSignature, (terms, 5, RULING, DEADLINE, ofArbiter));
        }
        if (entry == Entry.RefundWithSignature) {
            bytes memory signature = sign(PROVIDER_KEY, refundDigest(id, DEADLINE));
            return abi.encodeCall(Escrow.refundWithSignature, (terms, DEADLINE, signature));
        }
        if (entry == Entry.UseVoucher) {
            bytes32 digest = TypedData.voucher(address(escrow), id, terms.amount, OUTPUT);
            return abi.encodeCall(Escrow.useVoucher, (terms, terms.amount, OUTPUT, sign(BUYER_KEY, digest)));
        }
        if (entry == Entry.Close) {
            bytes32 digest = TypedData.close(address(escrow), id, terms.amount * 2 / 5, DEADLINE);
            return abi.encodeCall(
                Escrow.close,
                (terms, terms.amount * 2 / 5, DEADLINE, sign(BUYER_KEY, digest), sign(PROVIDER_KEY, digest))
            );
        }
        if (entry == Entry.RecordPartWithSignature) {
            uint256 sum = terms.amount * 2 / 5;
            vm.prank(buyer);
            escrow.useVoucher(terms, sum, OUTPUT, "");
            bytes32 digest = TypedData.recordPart(address(escrow), id, sum, OUTPUT, true, 1, DEADLINE);
            return abi.encodeCall(
                Escrow.recordPartWithSignature,
                (terms, sum, OUTPUT, true, DEADLINE, sign(PROVIDER_KEY, digest))
            );
        }
        bytes memory ofProvider = sign(PROVIDER_KEY, deliveryDigest(id, OUTPUT, 1, DEADLINE));
        return abi.encodeCall(Escrow.recordDeliveryWithSignature, (terms, OUTPUT, DEADLINE, ofProvider));
    }

    /// @dev Each payee has debts of its own, so that withdrawals do not mix.
    function prepareWithdrawal(Escrow.Terms memory terms) private returns (bytes memory) {
        terms.provider = address(uint160(uint256(keccak256(abi.encode(terms.orderHash)))));
        fund(terms);
        reentrant.setBlocked(terms.provider, true);
        vm.prank(terms.buyer);
        escrow.release(terms);
        reentrant.setBlocked(terms.provider, false);
        return abi.encodeCall(Escrow.withdraw, (address(token), terms.provider));
    }

    function newOrder(uint128 amount) private returns (Escrow.Terms memory terms) {
        terms = newTerms(amount);
        terms.orderHash = bytes32(++orders);
    }
}
