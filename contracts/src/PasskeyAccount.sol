// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ERC721Holder} from "@openzeppelin/contracts/token/ERC721/utils/ERC721Holder.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {P256} from "@openzeppelin/contracts/utils/cryptography/P256.sol";
import {SignerP256} from "@openzeppelin/contracts/utils/cryptography/signers/SignerP256.sol";
import {SignerWebAuthn} from "@openzeppelin/contracts/utils/cryptography/signers/SignerWebAuthn.sol";

/// @title Passkey account
/// @notice The account of one passkey. It accepts the signatures of that passkey (ERC-1271) and makes the calls that the
///         passkey signed. There is no owner, no second key and no upgrade: without the passkey, nothing leaves it.
/// @dev An ERC-1167 clone with the public key in its code, so it needs no initialisation and its address names the key.
contract PasskeyAccount is SignerWebAuthn, EIP712, ERC721Holder, IERC1271 {
    /// @notice A call that the account makes.
    struct Call {
        /// @notice The contract or account that is called.
        address to;
        /// @notice The native coin to send along, in wei.
        uint256 value;
        /// @notice The call data.
        bytes data;
    }

    bytes32 private constant MESSAGE_TYPEHASH = keccak256("Message(bytes32 hash)");
    bytes32 private constant CALL_TYPEHASH = keccak256("Call(address to,uint256 value,bytes data)");
    bytes32 private constant EXECUTE_TYPEHASH = keccak256(
        "Execute(Call[] calls,uint256 nonce,uint256 deadline)Call(address to,uint256 value,bytes data)"
    );
    /// @dev The code of a clone: 45 bytes of ERC-1167, then the two words of the key.
    uint256 private constant CODE_LENGTH = 45 + 64;

    /// @notice How many times `execute` succeeded. The next signature names this number.
    uint256 public nonce;

    /// @notice The deadline of a signature has passed.
    /// @param deadline The last second in which it was good.
    /// @param time The time now.
    error Expired(uint256 deadline, uint256 time);
    /// @notice The passkey did not sign these calls with this account's next nonce.
    /// @param digest What it has to sign.
    error InvalidSignature(bytes32 digest);

    /// @dev The implementation has no key that counts: `signer` reads the code of a clone.
    constructor() SignerP256(bytes32(P256.GX), bytes32(P256.GY)) EIP712("Earnest Passkey Account", "1") {}

    /// @notice Takes native coin.
    receive() external payable {}

    /// @notice Makes the calls, all or none. Anyone may send them.
    /// @dev The nonce is spent before the calls, so no call can repeat them. An empty list cancels the next nonce.
    /// @param calls The calls, in their order.
    /// @param deadline The last second, in unix time, in which the signature is good.
    /// @param signature The passkey's assertion over `executeHash` with the present nonce.
    function execute(Call[] calldata calls, uint256 deadline, bytes calldata signature) external {
        if (block.timestamp > deadline) revert Expired(deadline, block.timestamp);
        bytes32 digest = executeHash(calls, nonce++, deadline);
        if (!_rawSignatureValidation(digest, signature)) revert InvalidSignature(digest);
        for (uint256 i = 0; i < calls.length; i++) {
            bool success = LowLevelCall.callNoReturn(calls[i].to, calls[i].value, calls[i].data);
            if (!success) LowLevelCall.bubbleRevert();
        }
    }

    /// @notice Tells whether the passkey signed a hash for this account on this chain.
    /// @param hash What a token, an escrow or a sign-in asks about.
    /// @param signature The passkey's assertion over `messageHash(hash)`.
    /// @return magic 0x1626ba7e if so, else 0xffffffff.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4 magic) {
        bool valid = _rawSignatureValidation(messageHash(hash), signature);
        return valid ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    /// @notice What the passkey signs for a hash. It names this account and chain, so that a signature for one account of
    ///         a passkey is none for another.
    /// @param hash What a token, an escrow or a sign-in asks about.
    /// @return digest The challenge of the assertion.
    function messageHash(bytes32 hash) public view returns (bytes32 digest) {
        return _hashTypedDataV4(keccak256(abi.encode(MESSAGE_TYPEHASH, hash)));
    }

    /// @notice What the passkey signs for calls.
    /// @param calls The calls, in their order.
    /// @param number The account's nonce when they are sent.
    /// @param deadline The last second in which the signature is good.
    /// @return digest The challenge of the assertion.
    function executeHash(Call[] calldata calls, uint256 number, uint256 deadline)
        public
        view
        returns (bytes32 digest)
    {
        bytes32[] memory hashes = new bytes32[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            hashes[i] =
                keccak256(abi.encode(CALL_TYPEHASH, calls[i].to, calls[i].value, keccak256(calls[i].data)));
        }
        bytes32 list = keccak256(abi.encodePacked(hashes));
        return _hashTypedDataV4(keccak256(abi.encode(EXECUTE_TYPEHASH, list, number, deadline)));
    }

    /// @notice The passkey's public key on the curve P-256.
    /// @return x Its first coordinate; zero for the implementation, which no key can use.
    /// @return y Its second coordinate.
    function signer() public view override returns (bytes32 x, bytes32 y) {
        if (address(this).code.length != CODE_LENGTH) return (0, 0);
        return abi.decode(Clones.fetchCloneArgs(address(this)), (bytes32, bytes32));
    }
}
