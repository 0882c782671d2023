// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow, ITransferWithAuthorizationBytes} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {FeeToken, PermissiveToken} from "./base/Tokens.sol";
import {Wallet} from "./base/Wallet.sol";
import {IERC3009} from "@openzeppelin/contracts/interfaces/draft-IERC3009.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC3009} from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";
import {Errors} from "@openzeppelin/contracts/utils/Errors.sol";

contract CreateEscrowWithAuthorizationTest is EscrowTest {
    bytes32 private constant NONCE = keccak256("nonce");

    function testFuzz_takesTheSignersMoney(uint128 amount, bytes32 nonce) public {
        Escrow.Terms memory terms = newTerms(amount);
        token.mint(buyer, terms.amount);
        bytes memory signature = sign(BUYER_KEY, authorizationDigest(terms, buyer, nonce));

        vm.expectEmit(address(escrow));
        emit Escrow.EscrowCreated(escrow.escrowIdOf(terms), terms.orderHash, buyer, terms);
        bytes32 escrowId = send(terms, buyer, nonce, signature);

        checkStatus(escrowId, Escrow.Status.Funded);
        checkBalance(address(escrow), terms.amount);
        checkBalance(buyer, 0);
        checkBalance(escrow.depositAddressOf(terms), 0);
    }

    function test_takesAnotherPayersMoneyForTheBuyer() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(outsider, 100);
        vm.expectEmit(address(escrow));
        emit Escrow.EscrowCreated(escrow.escrowIdOf(terms), terms.orderHash, outsider, terms);
        send(terms, outsider, NONCE, sign(OUTSIDER_KEY, authorizationDigest(terms, outsider, NONCE)));
        vm.prank(provider);
        escrow.refund(terms);
        checkBalance(buyer, 100);
    }

    function test_takesTheMoneyOfAnERC1271Wallet() public {
        Wallet wallet = new Wallet();
        Escrow.Terms memory terms = newTerms(100);
        terms.buyer = address(wallet);
        token.mint(address(wallet), 100);
        wallet.approve(authorizationDigest(terms, address(wallet), NONCE));
        checkStatus(send(terms, address(wallet), NONCE, "any bytes"), Escrow.Status.Funded);
        checkBalance(address(escrow), 100);
    }

    function test_emitsOnceAndBeforeTheMoneyComesIn() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        bytes memory signature = sign(BUYER_KEY, authorizationDigest(terms, buyer, NONCE));
        vm.recordLogs();
        send(terms, buyer, NONCE, signature);
        checkEvents(
            abi.encodePacked(
                IERC3009.AuthorizationUsed.selector,
                IERC20.Transfer.selector,
                Escrow.EscrowCreated.selector,
                IERC20.Transfer.selector
            )
        );
    }

    function test_givesTheTokenASignatureOf65BytesInItsParts() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(BUYER_KEY, authorizationDigest(terms, buyer, NONCE));
        vm.expectCall(
            address(token),
            abi.encodeCall(
                IERC3009.transferWithAuthorization,
                (buyer, escrow.depositAddressOf(terms), 100, 0, uint256(FUND_BY) + 1, NONCE, v, r, s)
            )
        );
        send(terms, buyer, NONCE, abi.encodePacked(r, s, v));
    }

    function testFuzz_givesTheTokenASignatureOfAnyOtherLengthWhole(bytes memory signature) public {
        if (signature.length == 65) signature = new bytes(66);
        Wallet wallet = new Wallet();
        Escrow.Terms memory terms = newTerms(100);
        token.mint(address(wallet), 100);
        wallet.approve(authorizationDigest(terms, address(wallet), NONCE));
        address deposit = escrow.depositAddressOf(terms);
        vm.expectCall(
            address(token),
            abi.encodeCall(
                ITransferWithAuthorizationBytes.transferWithAuthorization,
                (address(wallet), deposit, 100, 0, uint256(FUND_BY) + 1, NONCE, signature)
            )
        );
        send(terms, address(wallet), NONCE, signature);
    }

    function test_givesTheTokenASignatureOf64BytesWhole() public {
        testFuzz_givesTheTokenASignatureOfAnyOtherLengthWhole(new bytes(64));
    }

    function test_givesTheTokenASignatureOf66BytesWhole() public {
        testFuzz_givesTheTokenASignatureOfAnyOtherLengthWhole(new bytes(66));
    }

    function test_goesOnWhenAnOutsiderUsedTheAuthorizationFirst() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        bytes memory signature = sign(BUYER_KEY, authorizationDigest(terms, buyer, NONCE));
        useAuthorization(terms, buyer, NONCE, signature);

        vm.expectEmit(address(escrow));
        emit Escrow.EscrowCreated(
            escrow.escrowIdOf(terms), terms.orderHash, escrow.depositAddressOf(terms), terms
        );
        checkStatus(send(terms, buyer, NONCE, signature), Escrow.Status.Funded);
        checkBalance(address(escrow), 100);
    }

    function test_takesNoSecondPaymentWhenTheMoneyIsThere() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(escrow.depositAddressOf(terms), 100);
        token.mint(buyer, 100);
        send(terms, buyer, NONCE, sign(BUYER_KEY, authorizationDigest(terms, buyer, NONCE)));
        checkBalance(buyer, 100);
        vm.assertTrue(!token.authorizationState(buyer, NONCE), "the authorization was used");
    }

    function test_leavesWhatExceedsTheAmountToBeReturned() public {
        Escrow.Terms memory terms = newTerms(100);
        address deposit = escrow.depositAddressOf(terms);
        token.mint(deposit, 40);
        token.mint(buyer, 100);
        send(terms, buyer, NONCE, sign(BUYER_KEY, authorizationDigest(terms, buyer, NONCE)));
        checkBalance(deposit, 40);
        checkBalance(address(escrow), 100);
        escrow.returnDeposit(terms, address(token));
        checkBalance(buyer, 40);
    }

    function test_worksOnceTheDepositWasReturnedBefore() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(escrow.depositAddressOf(terms), 7);
        vm.prank(buyer);
        escrow.returnDeposit(terms, address(token));
        token.mint(buyer, 93);
        checkStatus(
            send(terms, buyer, NONCE, sign(BUYER_KEY, authorizationDigest(terms, buyer, NONCE))),
            Escrow.Status.Funded
        );
    }

    function test_passesOnThatTheSignatureIsAnothers() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        bytes memory signature = sign(OUTSIDER_KEY, authorizationDigest(terms, buyer, NONCE));
        vm.expectRevert(abi.encodeWithSelector(ERC3009.ERC3009InvalidSignature.selector));
        send(terms, buyer, NONCE, signature);
    }

    function test_passesOnThatTheAuthorizationIsForOtherTerms() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        bytes memory signature = sign(BUYER_KEY, authorizationDigest(terms, buyer, NONCE));
        terms.provider = outsider;
        vm.expectRevert(abi.encodeWithSelector(ERC3009.ERC3009InvalidSignature.selector));
        send(terms, buyer, NONCE, signature);
    }

    function test_passesOnThatTheSignerLacksTheMoney() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 99);
        bytes memory signature = sign(BUYER_KEY, authorizationDigest(terms, buyer, NONCE));
        expectLack(buyer, 99, 100);
        send(terms, buyer, NONCE, signature);
    }

    function test_passesOnThatTheAuthorizationIsSpentAndItsMoneyTakenBack() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        bytes memory signature = sign(BUYER_KEY, authorizationDigest(terms, buyer, NONCE));
        useAuthorization(terms, buyer, NONCE, signature);
        vm.prank(buyer);
        escrow.returnDeposit(terms, address(token));
        expectSpent(NONCE);
        send(terms, buyer, NONCE, signature);
    }

    function test_passesOnThatTheSignerCancelled() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        bytes memory signature = sign(BUYER_KEY, authorizationDigest(terms, buyer, NONCE));
        bytes32 typeHash = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");
        bytes32 cancel = digestOf(address(token), "Test USD", keccak256(abi.encode(typeHash, buyer, NONCE)));
        token.cancelAuthorization(buyer, NONCE, sign(BUYER_KEY, cancel));
        expectSpent(NONCE);
        send(terms, buyer, NONCE, signature);
    }

    function test_refusesATokenWithoutAuthorizations() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.token = address(new NoAuthorizationToken());
        vm.expectRevert(abi.encodeWithSelector(Errors.FailedCall.selector));
        send(terms, buyer, NONCE, new bytes(65));
    }

    function test_refusesATokenThatTakesTheAuthorizationAndDoesNothing() public {
        PermissiveToken permissive = new PermissiveToken();
        Escrow.Terms memory terms = newTerms(100);
        terms.token = address(permissive);
        permissive.mint(buyer, 100);
        expectLack(escrow.depositAddressOf(terms), 0, 100);
        send(terms, buyer, NONCE, new bytes(65));
    }

    function test_refusesATokenThatKeepsAFeeOnTheWay() public {
        token = new FeeToken(address(0));
        Escrow.Terms memory terms = newTerms(1000);
        token.mint(buyer, 1000);
        bytes memory signature = sign(BUYER_KEY, authorizationDigest(terms, buyer, NONCE));
        expectLack(escrow.depositAddressOf(terms), 990, 1000);
        send(terms, buyer, NONCE, signature);
    }

    function test_refusesAfterFundBy() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        bytes memory signature = sign(BUYER_KEY, authorizationDigest(terms, buyer, NONCE));
        vm.warp(FUND_BY + 1);
        expectError(Escrow.TooLate.selector, FUND_BY + 1, FUND_BY);
        send(terms, buyer, NONCE, signature);
    }

    function test_refusesTheSameTermsTwice() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 200);
        send(terms, buyer, NONCE, sign(BUYER_KEY, authorizationDigest(terms, buyer, NONCE)));
        bytes32 other = keccak256("other nonce");
        bytes memory signature = sign(BUYER_KEY, authorizationDigest(terms, buyer, other));
        expectWrongStatus(Escrow.Status.Funded, Escrow.Status.None);
        send(terms, buyer, other, signature);
        checkBalance(buyer, 100);
    }

    function test_refusesInvalidTerms() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.token = outsider;
        expectError(Escrow.TokenWithoutCode.selector, outsider);
        send(terms, buyer, NONCE, new bytes(65));
    }

    function send(Escrow.Terms memory terms, address from, bytes32 nonce, bytes memory signature)
        private
        returns (bytes32)
    {
        return escrow.createEscrowWithAuthorization(
            terms, from, 0, uint256(terms.fundBy) + 1, nonce, signature
        );
    }

    function useAuthorization(Escrow.Terms memory terms, address from, bytes32 nonce, bytes memory signature)
        private
    {
        address deposit = escrow.depositAddressOf(terms);
        vm.prank(outsider);
        token.transferWithAuthorization(
            from, deposit, terms.amount, 0, uint256(terms.fundBy) + 1, nonce, signature
        );
    }

    function expectLack(address holder, uint256 balance, uint256 needed) private {
        vm.expectRevert(
            abi.encodeWithSelector(IERC20Errors.ERC20InsufficientBalance.selector, holder, balance, needed)
        );
    }

    function expectSpent(bytes32 nonce) private {
        vm.expectRevert(abi.encodeWithSelector(ERC3009.ERC3009UsedAuthorization.selector, buyer, nonce));
    }
}

/// @dev The part of an ERC-20 token that a creation calls before the authorization.
contract NoAuthorizationToken {
    function balanceOf(address) external pure returns (uint256) {
        return 0;
    }
}
