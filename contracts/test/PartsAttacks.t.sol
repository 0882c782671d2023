// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {ReentrantToken} from "./base/Tokens.sol";
import {TypedData} from "./base/TypedData.sol";

/// @notice Attempts of one side, of its token or of an outsider to gain from parts.
contract PartsAttacksTest is EscrowTest {
    bytes32 private constant WORK = keccak256("work");

    ReentrantToken private reentrant;

    function setUp() public override {
        super.setUp();
        reentrant = new ReentrantToken();
        token = reentrant;
    }

    function test_aVoucherIsNoCloseAndACloseIsNoVoucher() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        bytes32 voucher = TypedData.voucher(address(escrow), id, 30, bytes32(DEADLINE));
        bytes32 close = TypedData.close(address(escrow), id, 30, DEADLINE);
        bytes memory ofVoucher = sign(BUYER_KEY, voucher);
        bytes memory ofClose = sign(BUYER_KEY, close);
        bytes memory ofProvider = sign(PROVIDER_KEY, close);
        expectInvalidSignature(buyer, close);
        escrow.close(terms, 30, DEADLINE, ofVoucher, ofProvider);
        expectInvalidSignature(buyer, voucher);
        escrow.useVoucher(terms, 30, bytes32(DEADLINE), ofClose);
    }

    function test_aVoucherPaysNothingOnAnotherChain() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        bytes memory signature = sign(BUYER_KEY, TypedData.voucher(address(escrow), id, 30, WORK));
        vm.chainId(block.chainid + 1);
        expectWrongStatus(Escrow.Status.None, Escrow.Status.Funded);
        escrow.useVoucher(terms, 30, WORK, signature);
    }

    /// @dev The arbiter's decision comes while the token pays a voucher, and must count it.
    function test_aDecisionFromWithinAVoucherLeavesItPaid() public {
        (Escrow.Terms memory terms, bytes32 id) = newDisputed(100);
        callBack(terms, id, 29);
        vm.prank(buyer);
        escrow.useVoucher(terms, 30, WORK, "");
        vm.assertTrue(!reentrant.succeeded(), "decided below what is paid");
        bytes memory tooLow = abi.encodeWithSelector(Escrow.ProviderAmountTooLow.selector, 29, 30);
        vm.assertEq(reentrant.answer(), tooLow, "refused for another cause");
        callBack(terms, id, 35);
        vm.prank(buyer);
        escrow.useVoucher(terms, 35, WORK, "");
        vm.assertTrue(reentrant.succeeded(), "a decision while a part is paid is refused");
        checkStatus(id, Escrow.Status.Decided);
        vm.warp(START + APPEAL_WINDOW);
        escrow.settleDispute(terms);
        checkBalance(provider, 35);
        checkBalance(buyer, 65);
    }

    function test_aDisputeFromWithinAReleaseOfPartsTakesNothingBack() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        recordPart(terms, 30, false);
        vm.warp(START + ACCEPTANCE_WINDOW);
        bytes memory signature = sign(BUYER_KEY, disputeDigest(id, REASON, DEADLINE));
        bytes memory data =
            abi.encodeCall(Escrow.disputeWithSignature, (terms, buyer, REASON, DEADLINE, signature));
        reentrant.arm(address(escrow), data, 0);
        escrow.releasePart(terms);
        vm.assertTrue(reentrant.succeeded(), "a dispute while a part is paid is refused");
        checkStatus(id, Escrow.Status.Disputed);
        expectError(Escrow.ProviderAmountTooLow.selector, 29, 30);
        decide(terms, 29);
    }

    /// @dev A buyer that pays first only makes the provider's final part end the escrow, or gives more than it claims.
    function testFuzz_aBuyerGainsNothingByAVoucherBeforeTheFinalPart(uint8 claim, uint8 early) public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        uint256 sum = 1 + claim % 99;
        uint256 first = 1 + early % 99;
        pay(terms, first);
        if (first > sum) expectError(Escrow.ProviderAmountTooLow.selector, sum, first);
        recordPart(terms, sum, true);
        if (first < sum) {
            vm.warp(START + ACCEPTANCE_WINDOW);
            escrow.release(terms);
        } else if (first > sum) {
            recordPart(terms, first, true);
        }
        checkStatus(id, Escrow.Status.Split);
        checkBalance(provider, first > sum ? first : sum);
        checkBalance(buyer, 100 - (first > sum ? first : sum));
    }

    /// @dev The buyer's dispute in the very second of the acceptance comes in time, before or behind a release.
    function test_aDisputeInTheSecondOfTheAcceptanceFreezesThePart() public {
        (Escrow.Terms memory terms,) = newFunded(100);
        recordPart(terms, 30, false);
        vm.warp(START + ACCEPTANCE_WINDOW);
        dispute(terms);
        expectError(Escrow.ProviderAmountTooLow.selector, 0, 0);
        escrow.releasePart(terms);
        decide(terms, 0);
    }

    function testFuzz_aProviderThatGivesUpInADisputeKeepsOnlyWhatIsPaid(uint8 paid) public {
        (Escrow.Terms memory terms, bytes32 id) = newDisputed(100);
        uint256 sum = 1 + paid % 99;
        pay(terms, sum);
        recordPart(terms, sum, true);
        checkStatus(id, Escrow.Status.Split);
        checkBalance(provider, sum);
        checkBalance(buyer, 100 - sum);
        expectWrongStatus(Escrow.Status.Split, Escrow.Status.Disputed);
        decide(terms, 100);
    }

    /// @dev Makes the token send the arbiter's decision when it next moves money.
    function callBack(Escrow.Terms memory terms, bytes32 id, uint256 share) private {
        bytes memory signature = sign(ARBITER_KEY, decisionDigest(id, share, RULING, DEADLINE));
        bytes memory data =
            abi.encodeCall(Escrow.decideDisputeWithSignature, (terms, share, RULING, DEADLINE, signature));
        reentrant.arm(address(escrow), data, 0);
    }

    function recordPart(Escrow.Terms memory terms, uint256 earned, bool isFinal) private {
        vm.prank(terms.provider);
        escrow.recordPart(terms, earned, WORK, isFinal);
    }

    function pay(Escrow.Terms memory terms, uint256 total) private {
        vm.prank(terms.buyer);
        escrow.useVoucher(terms, total, WORK, "");
    }
}
