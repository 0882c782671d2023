// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {EscrowTest} from "./base/EscrowTest.sol";
import {Wallet} from "./base/Wallet.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {ERC3009} from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";

contract TestUSDTest is EscrowTest {
    bytes32 private constant NONCE = keccak256("nonce");
    string private constant FIELDS =
        "(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)";

    function setUp() public override {
        super.setUp();
        token.mint(buyer, 100);
    }

    function test_isNamedTestUSDWithSixDecimals() public view {
        vm.assertEq(token.name(), "Test USD");
        vm.assertEq(token.symbol(), "TUSD");
        vm.assertEq(token.decimals(), 6);
        (,, string memory version,,,,) = token.eip712Domain();
        vm.assertEq(version, "1");
    }

    function testFuzz_anyoneMints(address caller, uint128 amount) public {
        vm.prank(caller);
        token.mint(outsider, amount);
        checkBalance(outsider, amount);
    }

    function test_takesAPermit() public {
        bytes32 typeHash =
            keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
        bytes32 message = keccak256(abi.encode(typeHash, buyer, escrow, 100, 0, DEADLINE));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(BUYER_KEY, tokenDigest(message));
        token.permit(buyer, address(escrow), 100, DEADLINE, v, r, s);
        vm.assertEq(token.allowance(buyer, address(escrow)), 100);
    }

    function test_transfersByVRS() public {
        (uint8 v, bytes32 r, bytes32 s) =
            vm.sign(BUYER_KEY, digest("TransferWithAuthorization", buyer, provider));
        token.transferWithAuthorization(buyer, provider, 100, 0, DEADLINE, NONCE, v, r, s);
        checkBalance(provider, 100);
        vm.assertTrue(token.authorizationState(buyer, NONCE), "the nonce is still good");
    }

    function test_transfersByBytesAndRefusesTheNonceAgain() public {
        bytes memory signature = sign(BUYER_KEY, digest("TransferWithAuthorization", buyer, provider));
        token.transferWithAuthorization(buyer, provider, 100, 0, DEADLINE, NONCE, signature);
        checkBalance(provider, 100);
        vm.expectRevert(abi.encodeWithSelector(ERC3009.ERC3009UsedAuthorization.selector, buyer, NONCE));
        token.transferWithAuthorization(buyer, provider, 100, 0, DEADLINE, NONCE, signature);
    }

    function test_transfersForAnERC1271Wallet() public {
        Wallet wallet = new Wallet();
        token.mint(address(wallet), 100);
        wallet.approve(digest("TransferWithAuthorization", address(wallet), provider));
        token.transferWithAuthorization(address(wallet), provider, 100, 0, DEADLINE, NONCE, "any bytes");
        checkBalance(provider, 100);
    }

    function test_refusesAnothersSignature() public {
        bytes memory signature = sign(OUTSIDER_KEY, digest("TransferWithAuthorization", buyer, provider));
        vm.expectRevert(abi.encodeWithSelector(ERC3009.ERC3009InvalidSignature.selector));
        token.transferWithAuthorization(buyer, provider, 100, 0, DEADLINE, NONCE, signature);
    }

    function test_refusesOutsideTheAuthorizationsTimes() public {
        bytes memory signature = sign(BUYER_KEY, digest("TransferWithAuthorization", buyer, provider));
        vm.warp(DEADLINE);
        vm.expectRevert(
            abi.encodeWithSelector(ERC3009.ERC3009InvalidAuthorizationTime.selector, uint256(0), DEADLINE)
        );
        token.transferWithAuthorization(buyer, provider, 100, 0, DEADLINE, NONCE, signature);
    }

    function test_theReceiverReceives() public {
        bytes memory signature = sign(BUYER_KEY, digest("ReceiveWithAuthorization", buyer, provider));
        vm.prank(provider);
        token.receiveWithAuthorization(buyer, provider, 100, 0, DEADLINE, NONCE, signature);
        checkBalance(provider, 100);
    }

    function test_nobodyElseReceives() public {
        bytes memory signature = sign(BUYER_KEY, digest("ReceiveWithAuthorization", buyer, provider));
        expectError(IERC20Errors.ERC20InvalidReceiver.selector, provider);
        vm.prank(outsider);
        token.receiveWithAuthorization(buyer, provider, 100, 0, DEADLINE, NONCE, signature);
    }

    function test_aCancelledNonceIsUseless() public {
        bytes32 typeHash = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");
        bytes32 message = keccak256(abi.encode(typeHash, buyer, NONCE));
        token.cancelAuthorization(buyer, NONCE, sign(BUYER_KEY, tokenDigest(message)));
        bytes memory signature = sign(BUYER_KEY, digest("TransferWithAuthorization", buyer, provider));
        vm.expectRevert(abi.encodeWithSelector(ERC3009.ERC3009UsedAuthorization.selector, buyer, NONCE));
        token.transferWithAuthorization(buyer, provider, 100, 0, DEADLINE, NONCE, signature);
    }

    function test_onlyTheSignerCancels() public {
        bytes32 typeHash = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");
        bytes32 message = keccak256(abi.encode(typeHash, buyer, NONCE));
        bytes memory signature = sign(OUTSIDER_KEY, tokenDigest(message));
        vm.expectRevert(abi.encodeWithSelector(ERC3009.ERC3009InvalidSignature.selector));
        token.cancelAuthorization(buyer, NONCE, signature);
    }

    function digest(string memory primaryType, address from, address to) private view returns (bytes32) {
        bytes32 typeHash = keccak256(bytes(string.concat(primaryType, FIELDS)));
        return tokenDigest(keccak256(abi.encode(typeHash, from, to, 100, 0, DEADLINE, NONCE)));
    }

    function tokenDigest(bytes32 message) private view returns (bytes32) {
        return digestOf(address(token), "Test USD", message);
    }
}
