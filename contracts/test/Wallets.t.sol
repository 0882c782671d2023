// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {TypedData} from "./base/TypedData.sol";
import {BadWallet, OwnedWallet} from "./base/Wallet.sol";

/// @notice Parties, arbiters and payers that are contracts and sign by ERC-1271.
contract WalletsTest is EscrowTest {
    OwnedWallet private buyerWallet;
    OwnedWallet private providerWallet;
    OwnedWallet private arbiterWallet;

    function setUp() public override {
        super.setUp();
        buyerWallet = new OwnedWallet(buyer, true);
        providerWallet = new OwnedWallet(provider, true);
        arbiterWallet = new OwnedWallet(arbiter, true);
    }

    function testFuzz_walletsPayDeliverDisputeDecideAndAreBothPaid(uint128 amount, uint128 share) public {
        Escrow.Terms memory terms = newWalletTerms(amount);
        uint256 providerAmount = share % (uint256(terms.amount) + 1);
        token.mint(address(buyerWallet), terms.amount);
        bytes memory authorization = signOwned(BUYER_KEY, authorizationDigest(terms, address(buyerWallet), 0));
        bytes32 id = escrow.createEscrowWithAuthorization(
            terms, address(buyerWallet), 0, uint256(FUND_BY) + 1, 0, authorization
        );
        escrow.recordDeliveryWithSignature(
            terms, OUTPUT, DEADLINE, signOwned(PROVIDER_KEY, deliveryDigest(id, OUTPUT, 1, DEADLINE))
        );
        escrow.disputeWithSignature(
            terms,
            address(buyerWallet),
            REASON,
            DEADLINE,
            signOwned(BUYER_KEY, disputeDigest(id, REASON, DEADLINE))
        );
        escrow.decideDisputeWithSignature(
            terms,
            providerAmount,
            RULING,
            DEADLINE,
            signOwned(ARBITER_KEY, decisionDigest(id, providerAmount, RULING, DEADLINE))
        );
        vm.warp(START + APPEAL_WINDOW);
        escrow.settleDispute(terms);
        checkBalance(address(providerWallet), providerAmount);
        checkBalance(address(buyerWallet), terms.amount - providerAmount);
    }

    function testFuzz_aWalletReleases(uint128 amount) public {
        Escrow.Terms memory terms = newWalletTerms(amount);
        bytes32 id = fundBySomebody(terms);
        escrow.releaseWithSignature(terms, DEADLINE, signOwned(BUYER_KEY, releaseDigest(id, DEADLINE)));
        checkBalance(address(providerWallet), terms.amount);
    }

    function testFuzz_aWalletRefunds(uint128 amount) public {
        Escrow.Terms memory terms = newWalletTerms(amount);
        bytes32 id = fundBySomebody(terms);
        escrow.refundWithSignature(terms, DEADLINE, signOwned(PROVIDER_KEY, refundDigest(id, DEADLINE)));
        checkBalance(address(buyerWallet), terms.amount);
    }

    function test_aProvidersWalletDisputes() public {
        Escrow.Terms memory terms = newWalletTerms(100);
        bytes32 id = fundBySomebody(terms);
        bytes memory signature = signOwned(PROVIDER_KEY, disputeDigest(id, REASON, DEADLINE));
        escrow.disputeWithSignature(terms, address(providerWallet), REASON, DEADLINE, signature);
        checkStatus(id, Escrow.Status.Disputed);
    }

    function test_theOwnersSignatureIsNotTheWallets() public {
        Escrow.Terms memory terms = newWalletTerms(100);
        bytes32 digest = releaseDigest(fundBySomebody(terms), DEADLINE);
        expectInvalidSignature(address(buyerWallet), digest);
        escrow.releaseWithSignature(terms, DEADLINE, sign(BUYER_KEY, digest));
    }

    function test_oneWalletsSignatureIsNotAnothers() public {
        Escrow.Terms memory terms = newWalletTerms(100);
        bytes32 digest = refundDigest(fundBySomebody(terms), DEADLINE);
        expectInvalidSignature(address(providerWallet), digest);
        escrow.refundWithSignature(terms, DEADLINE, signOwned(BUYER_KEY, digest));
    }

    /// @dev An account that delegates by EIP-7702 has code, which then checks its signatures.
    function test_anAccountThatHasCodeSignsByERC1271Alone() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        bytes32 digest = releaseDigest(id, DEADLINE);
        vm.etch(buyer, address(new OwnedWallet(outsider, true)).code);
        expectInvalidSignature(buyer, digest);
        escrow.releaseWithSignature(terms, DEADLINE, sign(BUYER_KEY, digest));
        escrow.releaseWithSignature(terms, DEADLINE, signOwned(OUTSIDER_KEY, digest));
        checkBalance(provider, 100);
    }

    /// @dev Every answer but the right one, of the right length, is a refusal; even one that burns the gas or buries the
    ///      caller in data.
    function testFuzz_aWalletThatAnswersBadlySignedNothing(uint8 answer, bytes memory signature) public {
        BadWallet bad = new BadWallet(BadWallet.Answer(answer % 7));
        Escrow.Terms memory terms = newTerms(100);
        terms.arbiter = address(bad);
        bytes32 id = fund(terms);
        dispute(terms);
        expectInvalidSignature(address(bad), decisionDigest(id, 50, RULING, DEADLINE));
        escrow.decideDisputeWithSignature{gas: 30_000_000}(terms, 50, RULING, DEADLINE, signature);
    }

    function test_walletsRecordPayReleaseAndCloseInParts() public {
        Escrow.Terms memory terms = newWalletTerms(100);
        bytes32 id = fundBySomebody(terms);
        bytes memory signature = signOwned(PROVIDER_KEY, partDigest(id, 30, 1));
        escrow.recordPartWithSignature(terms, 30, OUTPUT, false, DEADLINE, signature);
        escrow.useVoucher(terms, 10, OUTPUT, signOwned(BUYER_KEY, voucherDigest(id, 10)));
        checkBalance(address(providerWallet), 10);
        vm.warp(START + ACCEPTANCE_WINDOW);
        escrow.releasePart(terms);
        checkBalance(address(providerWallet), 30);
        bytes32 digest = TypedData.close(address(escrow), id, 60, DEADLINE);
        signature = signOwned(BUYER_KEY, digest);
        escrow.close(terms, 60, DEADLINE, signature, signOwned(PROVIDER_KEY, digest));
        checkBalance(address(providerWallet), 60);
        checkBalance(address(buyerWallet), 40);
    }

    function test_theOwnersSignatureOfAPartIsNotTheWallets() public {
        Escrow.Terms memory terms = newWalletTerms(100);
        bytes32 id = fundBySomebody(terms);
        bytes32 digest = voucherDigest(id, 10);
        expectInvalidSignature(address(buyerWallet), digest);
        escrow.useVoucher(terms, 10, OUTPUT, sign(BUYER_KEY, digest));
        digest = partDigest(id, 30, 1);
        expectInvalidSignature(address(providerWallet), digest);
        escrow.recordPartWithSignature(terms, 30, OUTPUT, false, DEADLINE, sign(PROVIDER_KEY, digest));
        digest = TypedData.close(address(escrow), id, 60, DEADLINE);
        bytes memory buyers = signOwned(BUYER_KEY, digest);
        expectInvalidSignature(address(providerWallet), digest);
        escrow.close(terms, 60, DEADLINE, buyers, sign(PROVIDER_KEY, digest));
    }

    function test_oneWalletsSignatureClosesNothingForTheOther() public {
        Escrow.Terms memory terms = newWalletTerms(100);
        bytes32 digest = TypedData.close(address(escrow), fundBySomebody(terms), 60, DEADLINE);
        bytes memory buyers = signOwned(BUYER_KEY, digest);
        expectInvalidSignature(address(providerWallet), digest);
        escrow.close(terms, 60, DEADLINE, buyers, buyers);
    }

    function testFuzz_aWalletThatAnswersBadlySignedNoPart(uint8 answer, bytes memory signature) public {
        BadWallet bad = new BadWallet(BadWallet.Answer(answer % 7));
        Escrow.Terms memory terms = newTerms(100);
        terms.buyer = address(bad);
        bytes32 id = fundBySomebody(terms);
        expectInvalidSignature(address(bad), voucherDigest(id, 10));
        escrow.useVoucher{gas: 30_000_000}(terms, 10, OUTPUT, signature);
        expectInvalidSignature(address(bad), TypedData.close(address(escrow), id, 60, DEADLINE));
        escrow.close{gas: 30_000_000}(terms, 60, DEADLINE, signature, signature);
    }

    function newWalletTerms(uint128 amount) private view returns (Escrow.Terms memory terms) {
        terms = newTerms(amount);
        terms.buyer = address(buyerWallet);
        terms.provider = address(providerWallet);
        terms.arbiter = address(arbiterWallet);
    }

    function fundBySomebody(Escrow.Terms memory terms) private returns (bytes32) {
        prepare(terms, outsider);
        vm.prank(outsider);
        return escrow.createEscrow(terms);
    }

    /// @dev The form in which a wallet accepts its owner's signature: with one byte appended.
    function signOwned(uint256 key, bytes32 digest) private pure returns (bytes memory) {
        return abi.encodePacked(sign(key, digest), bytes1(0x01));
    }

    function partDigest(bytes32 id, uint256 earned, uint32 number) private view returns (bytes32) {
        return TypedData.recordPart(address(escrow), id, earned, OUTPUT, false, number, DEADLINE);
    }

    function voucherDigest(bytes32 id, uint256 total) private view returns (bytes32) {
        return TypedData.voucher(address(escrow), id, total, OUTPUT);
    }
}
