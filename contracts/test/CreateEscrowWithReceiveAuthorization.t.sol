// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestUSD} from "../dev/TestUSD.sol";
import {Escrow, IReceiveWithAuthorizationBytes} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {FeeToken, PermissiveToken, PlainToken} from "./base/Tokens.sol";
import {TypedData} from "./base/TypedData.sol";
import {Wallet} from "./base/Wallet.sol";
import {IERC3009} from "@openzeppelin/contracts/interfaces/draft-IERC3009.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC3009} from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";

contract CreateEscrowWithReceiveAuthorizationTest is EscrowTest {
    function testFuzz_takesTheSignersMoney(uint128 amount, bytes32 orderHash) public {
        Escrow.Terms memory terms = newTerms(amount);
        terms.orderHash = orderHash;
        token.mint(buyer, terms.amount);
        bytes memory signature = sign(BUYER_KEY, receiptDigest(terms, buyer));

        vm.expectEmit(address(escrow));
        emit Escrow.EscrowCreated(escrow.escrowIdOf(terms), orderHash, buyer, terms);
        bytes32 escrowId = send(terms, buyer, signature);

        vm.assertEq(escrowId, escrow.escrowIdOf(terms));
        checkStatus(escrowId, Escrow.Status.Funded);
        vm.assertEq(escrow.getEscrow(escrowId).fundedAt, START);
        checkBalance(address(escrow), terms.amount);
        checkBalance(buyer, 0);
        vm.assertTrue(token.authorizationState(buyer, escrowId), "the nonce is not the id");
    }

    function test_takesAnotherPayersMoneyForTheBuyer() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(outsider, 100);
        vm.expectEmit(address(escrow));
        emit Escrow.EscrowCreated(escrow.escrowIdOf(terms), terms.orderHash, outsider, terms);
        send(terms, outsider, sign(OUTSIDER_KEY, receiptDigest(terms, outsider)));
        vm.prank(provider);
        escrow.refund(terms);
        checkBalance(buyer, 100);
    }

    function test_takesTheMoneyOfAnERC1271Wallet() public {
        Wallet wallet = new Wallet();
        Escrow.Terms memory terms = newTerms(100);
        terms.buyer = address(wallet);
        token.mint(address(wallet), 100);
        wallet.approve(receiptDigest(terms, address(wallet)));
        checkStatus(send(terms, address(wallet), "any bytes"), Escrow.Status.Funded);
        checkBalance(address(escrow), 100);
    }

    function test_emitsOnceAndBeforeTheMoneyMoves() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        bytes memory signature = sign(BUYER_KEY, receiptDigest(terms, buyer));
        vm.recordLogs();
        send(terms, buyer, signature);
        checkEvents(
            abi.encodePacked(
                Escrow.EscrowCreated.selector, IERC3009.AuthorizationUsed.selector, IERC20.Transfer.selector
            )
        );
    }

    function test_givesTheTokenASignatureOf65BytesInItsParts() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(BUYER_KEY, receiptDigest(terms, buyer));
        vm.expectCall(
            address(token),
            abi.encodeCall(
                IERC3009.receiveWithAuthorization,
                (
                    buyer,
                    address(escrow),
                    100,
                    0,
                    uint256(FUND_BY) + 1,
                    TypedData.idOf(address(escrow), terms),
                    v,
                    r,
                    s
                )
            )
        );
        send(terms, buyer, abi.encodePacked(r, s, v));
    }

    function testFuzz_givesTheTokenASignatureOfAnyOtherLengthWhole(bytes memory signature) public {
        if (signature.length == 65) signature = new bytes(66);
        Wallet wallet = new Wallet();
        Escrow.Terms memory terms = newTerms(100);
        token.mint(address(wallet), 100);
        wallet.approve(receiptDigest(terms, address(wallet)));
        vm.expectCall(
            address(token),
            abi.encodeCall(
                IReceiveWithAuthorizationBytes.receiveWithAuthorization,
                (
                    address(wallet),
                    address(escrow),
                    100,
                    0,
                    uint256(FUND_BY) + 1,
                    TypedData.idOf(address(escrow), terms),
                    signature
                )
            )
        );
        send(terms, address(wallet), signature);
    }

    function test_givesTheTokenASignatureOf64BytesWhole() public {
        testFuzz_givesTheTokenASignatureOfAnyOtherLengthWhole(new bytes(64));
    }

    function test_givesTheTokenASignatureOf66BytesWhole() public {
        testFuzz_givesTheTokenASignatureOfAnyOtherLengthWhole(new bytes(66));
    }

    function test_leavesWhatLiesAtTheDepositAddressToBeReturned() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(escrow.depositAddressOf(terms), 140);
        token.mint(buyer, 100);
        send(terms, buyer, sign(BUYER_KEY, receiptDigest(terms, buyer)));
        checkBalance(address(escrow), 100);
        vm.prank(outsider);
        escrow.returnDeposit(terms, address(token));
        checkBalance(buyer, 140);
    }

    function test_worksOnceADepositWasReturnedBefore() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(escrow.depositAddressOf(terms), 7);
        vm.prank(buyer);
        escrow.returnDeposit(terms, address(token));
        token.mint(buyer, 93);
        bytes32 escrowId = send(terms, buyer, sign(BUYER_KEY, receiptDigest(terms, buyer)));
        checkStatus(escrowId, Escrow.Status.Funded);
        vm.assertEq(escrow.getEscrow(escrowId).fundedAt, START);
    }

    /// @dev So the money cannot arrive here without its escrow.
    function test_nobodyElseUsesTheAuthorization() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        bytes memory signature = sign(BUYER_KEY, receiptDigest(terms, buyer));
        bytes32 id = escrow.escrowIdOf(terms);
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InvalidReceiver.selector, address(escrow)));
        vm.prank(outsider);
        token.receiveWithAuthorization(buyer, address(escrow), 100, 0, uint256(FUND_BY) + 1, id, signature);
        vm.expectRevert(abi.encodeWithSelector(ERC3009.ERC3009InvalidSignature.selector));
        vm.prank(outsider);
        token.transferWithAuthorization(buyer, address(escrow), 100, 0, uint256(FUND_BY) + 1, id, signature);
        checkStatus(send(terms, buyer, signature), Escrow.Status.Funded);
    }

    /// @dev Changes each of the eleven terms, the payer and the time: none may differ from the signed value.
    function testFuzz_servesNoOtherTerms(uint8 term, uint128 by) public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, type(uint128).max);
        token.mint(outsider, type(uint128).max);
        bytes memory signature = sign(BUYER_KEY, receiptDigest(terms, buyer));
        uint256 validBefore = uint256(FUND_BY) + 1;
        address from = buyer;
        uint128 other = by == 0 ? 1 : by;
        term = term % 12;
        if (term == 0) terms.buyer = outsider;
        if (term == 1) terms.provider = outsider;
        if (term == 2) terms.amount = other == 100 ? 101 : other;
        if (term == 3) terms.fundBy = FUND_BY + 1 + uint32(other);
        if (term == 4) terms.deliveryWindow ^= uint32(other) | 1;
        if (term == 5) terms.acceptanceWindow ^= uint32(other) | 1;
        if (term == 6) terms.disputeWindow ^= uint32(other) | 1;
        if (term == 7) terms.appealWindow ^= uint32(other) | 1;
        if (term == 8) terms.arbiter = address(0);
        if (term == 9) terms.orderHash ^= bytes32(uint256(other));
        if (term == 10) validBefore += other;
        if (term == 11) from = outsider;
        vm.expectRevert(abi.encodeWithSelector(ERC3009.ERC3009InvalidSignature.selector));
        escrow.createEscrowWithReceiveAuthorization(terms, from, validBefore, signature);
    }

    function test_servesNoOtherToken() public {
        Escrow.Terms memory terms = newTerms(100);
        bytes memory signature = sign(BUYER_KEY, receiptDigest(terms, buyer));
        TestUSD other = new TestUSD();
        other.mint(buyer, 100);
        terms.token = address(other);
        vm.expectRevert(abi.encodeWithSelector(ERC3009.ERC3009InvalidSignature.selector));
        send(terms, buyer, signature);
    }

    function test_servesNoOtherChain() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        bytes memory signature = sign(BUYER_KEY, receiptDigest(terms, buyer));
        vm.chainId(block.chainid + 1);
        vm.expectRevert(abi.encodeWithSelector(ERC3009.ERC3009InvalidSignature.selector));
        send(terms, buyer, signature);
    }

    /// @dev The authorization has the same key, amount and time, but is to the deposit address with the id as the nonce.
    function test_isNoAuthorizationToTheDepositAddressNorTheOtherWayRound() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        bytes32 id = escrow.escrowIdOf(terms);
        bytes memory toDeposit = sign(BUYER_KEY, authorizationDigest(terms, buyer, id));
        bytes memory toEscrow = sign(BUYER_KEY, receiptDigest(terms, buyer));
        vm.expectRevert(abi.encodeWithSelector(ERC3009.ERC3009InvalidSignature.selector));
        send(terms, buyer, toDeposit);
        vm.expectRevert(abi.encodeWithSelector(ERC3009.ERC3009InvalidSignature.selector));
        escrow.createEscrowWithAuthorization(terms, buyer, 0, uint256(FUND_BY) + 1, id, toEscrow);
    }

    function test_passesOnThatTheSignatureIsAnothers() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        bytes memory signature = sign(OUTSIDER_KEY, receiptDigest(terms, buyer));
        vm.expectRevert(abi.encodeWithSelector(ERC3009.ERC3009InvalidSignature.selector));
        send(terms, buyer, signature);
    }

    function test_passesOnThatTheSignerLacksTheMoney() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 99);
        bytes memory signature = sign(BUYER_KEY, receiptDigest(terms, buyer));
        vm.expectRevert(
            abi.encodeWithSelector(IERC20Errors.ERC20InsufficientBalance.selector, buyer, 99, 100)
        );
        send(terms, buyer, signature);
    }

    function test_passesOnThatTheAuthorizationExpired() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        bytes32 id = escrow.escrowIdOf(terms);
        bytes memory signature = sign(
            BUYER_KEY,
            TypedData.receiveWithAuthorization(address(token), buyer, address(escrow), 100, START, id)
        );
        vm.expectRevert(abi.encodeWithSelector(ERC3009.ERC3009InvalidAuthorizationTime.selector, 0, START));
        escrow.createEscrowWithReceiveAuthorization(terms, buyer, START, signature);
        // A new authorization with the same nonce is valid, because the expired one did not use the nonce.
        send(terms, buyer, sign(BUYER_KEY, receiptDigest(terms, buyer)));
    }

    function test_passesOnThatTheSignerCancelled() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        bytes memory signature = sign(BUYER_KEY, receiptDigest(terms, buyer));
        bytes32 id = escrow.escrowIdOf(terms);
        bytes32 typeHash = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");
        bytes32 cancel = digestOf(address(token), "Test USD", keccak256(abi.encode(typeHash, buyer, id)));
        token.cancelAuthorization(buyer, id, sign(BUYER_KEY, cancel));
        vm.expectRevert(abi.encodeWithSelector(ERC3009.ERC3009UsedAuthorization.selector, buyer, id));
        send(terms, buyer, signature);
    }

    function test_refusesATokenWithoutAuthorizations() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.token = address(new PlainToken());
        vm.expectRevert(bytes(""));
        send(terms, buyer, new bytes(65));
        vm.expectRevert(bytes(""));
        send(terms, buyer, new bytes(66));
    }

    function test_refusesATokenThatTakesTheAuthorizationAndDoesNothing() public {
        PermissiveToken permissive = new PermissiveToken();
        Escrow.Terms memory terms = newTerms(100);
        terms.token = address(permissive);
        permissive.mint(buyer, 100);
        permissive.mint(address(escrow), 100);
        expectError(Escrow.ReceivedTooLittle.selector, 0, 100);
        send(terms, buyer, new bytes(65));
        expectError(Escrow.ReceivedTooLittle.selector, 0, 100);
        send(terms, buyer, new bytes(66));
    }

    function test_refusesATokenThatKeepsAFeeOnTheWay() public {
        token = new FeeToken(address(0));
        Escrow.Terms memory terms = newTerms(1000);
        token.mint(address(escrow), 5000);
        token.mint(buyer, 1011);
        bytes memory signature = sign(BUYER_KEY, receiptDigest(terms, buyer));
        expectError(Escrow.ReceivedTooLittle.selector, 990, 1000);
        send(terms, buyer, signature);
    }

    function test_acceptsTheLastSecondOfFundBy() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        bytes memory signature = sign(BUYER_KEY, receiptDigest(terms, buyer));
        vm.warp(FUND_BY);
        checkStatus(send(terms, buyer, signature), Escrow.Status.Funded);
    }

    function test_refusesAfterFundBy() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        vm.warp(FUND_BY + 1);
        expectError(Escrow.TooLate.selector, FUND_BY + 1, FUND_BY);
        escrow.createEscrowWithReceiveAuthorization(terms, buyer, type(uint256).max, new bytes(65));
    }

    function test_refusesTheSameTermsTwice() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 200);
        bytes memory signature = sign(BUYER_KEY, receiptDigest(terms, buyer));
        send(terms, buyer, signature);
        expectWrongStatus(Escrow.Status.Funded, Escrow.Status.None);
        send(terms, buyer, signature);
        checkBalance(buyer, 100);
    }

    function test_refusesInvalidTerms() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.token = outsider;
        expectError(Escrow.TokenWithoutCode.selector, outsider);
        send(terms, buyer, new bytes(65));
    }

    function send(Escrow.Terms memory terms, address from, bytes memory signature) private returns (bytes32) {
        return escrow.createEscrowWithReceiveAuthorization(terms, from, uint256(terms.fundBy) + 1, signature);
    }
}
