// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {TypedData} from "./base/TypedData.sol";
import {BadWallet, OwnedWallet} from "./base/Wallet.sol";

/// @notice Parties with a key and with code (EIP-7702). A voucher of the key stays good, whatever the code answers.
/// forge-config: default.evm_version = "prague"
contract DelegatedAccountsTest is EscrowTest {
    bytes32 private constant WORK = keccak256("work");

    function testFuzz_codeDoesNotRevokeAVoucher(uint8 answer) public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        bytes memory signature = sign(BUYER_KEY, voucherDigest(id, 30));
        delegate(address(new BadWallet(BadWallet.Answer(answer % 7))));
        escrow.useVoucher(terms, 30, WORK, signature);
        checkBalance(provider, 30);
    }

    function test_aKeySignsVouchersBesidesItsCode() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        delegate(address(new OwnedWallet(outsider, true)));
        escrow.useVoucher(terms, 30, WORK, sign(BUYER_KEY, voucherDigest(id, 30)));
        bytes memory ofCode = abi.encodePacked(sign(OUTSIDER_KEY, voucherDigest(id, 50)), bytes1(0x01));
        escrow.useVoucher(terms, 50, WORK, ofCode);
        checkBalance(provider, 50);
    }

    function test_refusesAVoucherOfNeitherKeyNorCode() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        delegate(address(new OwnedWallet(outsider, true)));
        bytes memory ofProvider = sign(PROVIDER_KEY, voucherDigest(id, 30));
        expectInvalidSignature(buyer, voucherDigest(id, 30));
        escrow.useVoucher(terms, 30, WORK, ofProvider);
    }

    /// @dev The second signature of one digest has a high s, and the short form of EIP-2098 has 64 bytes.
    function test_refusesOtherFormsOfTheKeysSignature() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(BUYER_KEY, voucherDigest(id, 30));
        uint256 order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
        bytes memory high = abi.encodePacked(r, order - uint256(s), v == 27 ? 28 : 27);
        bytes memory short = abi.encodePacked(r, uint256(s) | (uint256(v - 27) << 255));
        for (uint256 i = 0; i < 2; i++) {
            if (i == 1) delegate(address(new BadWallet(BadWallet.Answer.Wrong)));
            refuse(terms, id, high);
            refuse(terms, id, short);
            refuse(terms, id, abi.encodePacked(r, s, v - 27));
            refuse(terms, id, abi.encodePacked(r, s, v, v));
            refuse(terms, id, new bytes(65));
            refuse(terms, id, "");
        }
        escrow.useVoucher(terms, 30, WORK, abi.encodePacked(r, s, v));
        checkBalance(provider, 30);
    }

    function test_aDelegatedAccountSignsAllElseByItsCode() public {
        (Escrow.Terms memory terms, bytes32 id) = newFunded(100);
        bytes32 digest = releaseDigest(id, DEADLINE);
        delegate(address(new OwnedWallet(outsider, true)));
        expectInvalidSignature(buyer, digest);
        escrow.releaseWithSignature(terms, DEADLINE, sign(BUYER_KEY, digest));
        escrow.releaseWithSignature(
            terms, DEADLINE, abi.encodePacked(sign(OUTSIDER_KEY, digest), bytes1(0x01))
        );
        checkBalance(provider, 100);
    }

    /// @dev What a transaction of type 4 leaves at the buyer's address.
    function delegate(address code) private {
        vm.etch(buyer, abi.encodePacked(hex"ef0100", code));
        vm.assertEq(buyer.code.length, 23);
    }

    function refuse(Escrow.Terms memory terms, bytes32 id, bytes memory signature) private {
        expectInvalidSignature(buyer, voucherDigest(id, 30));
        escrow.useVoucher{gas: 30_000_000}(terms, 30, WORK, signature);
    }

    function voucherDigest(bytes32 id, uint256 total) private view returns (bytes32) {
        return TypedData.voucher(address(escrow), id, total, WORK);
    }
}
