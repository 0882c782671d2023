// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IPasskeyAccount} from "./IPasskeyAccount.sol";
import {TypedData} from "./TypedData.sol";
import {Vm} from "./Vm.sol";
import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {WebAuthn} from "@openzeppelin/contracts/utils/cryptography/WebAuthn.sol";

/// @notice What an authenticator signs for a challenge (WebAuthn level 2), and what the account asks of it, computed from
///         the documented texts and not by the contract.
library Assertions {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    uint256 internal constant N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551;
    bytes1 internal constant PRESENT = 0x01;
    bytes1 internal constant VERIFIED = 0x04;

    /// @notice A passkey's assertion with the flags of a present and verified person.
    function sign(uint256 key, bytes32 challenge) internal pure returns (bytes memory) {
        return encode(assertion(key, challenge, PRESENT | VERIFIED, "webauthn.get"));
    }

    /// @notice The fields one after the other, as the account takes them.
    function encode(WebAuthn.WebAuthnAuth memory auth) internal pure returns (bytes memory) {
        return abi.encode(
            auth.r, auth.s, auth.challengeIndex, auth.typeIndex, auth.authenticatorData, auth.clientDataJSON
        );
    }

    function assertion(uint256 key, bytes32 challenge, bytes1 flags, string memory kind)
        internal
        pure
        returns (WebAuthn.WebAuthnAuth memory auth)
    {
        auth.authenticatorData = abi.encodePacked(sha256("localhost"), flags, uint32(0));
        auth.typeIndex = 1;
        auth.challengeIndex = 11 + bytes(kind).length;
        auth.clientDataJSON = string.concat(
            "{\"type\":\"",
            kind,
            "\",\"challenge\":\"",
            Base64.encodeURL(abi.encodePacked(challenge)),
            "\",\"origin\":\"http://localhost:42069\",\"crossOrigin\":false}"
        );
        bytes32 digest = sha256(abi.encodePacked(auth.authenticatorData, sha256(bytes(auth.clientDataJSON))));
        (auth.r, auth.s) = vm.signP256(key, digest);
        if (uint256(auth.s) > N / 2) auth.s = bytes32(N - uint256(auth.s));
    }

    function message(address account, bytes32 hash) internal view returns (bytes32) {
        bytes32 typeHash = keccak256("Message(bytes32 hash)");
        return TypedData.digestOf(account, "Earnest Passkey Account", keccak256(abi.encode(typeHash, hash)));
    }

    function execution(address account, IPasskeyAccount.Call[] memory calls, uint256 nonce, uint256 deadline)
        internal
        view
        returns (bytes32)
    {
        bytes32 callType = keccak256("Call(address to,uint256 value,bytes data)");
        bytes memory hashes;
        for (uint256 i = 0; i < calls.length; i++) {
            bytes32 data = keccak256(calls[i].data);
            hashes = bytes.concat(hashes, keccak256(abi.encode(callType, calls[i].to, calls[i].value, data)));
        }
        bytes32 typeHash = keccak256(
            "Execute(Call[] calls,uint256 nonce,uint256 deadline)Call(address to,uint256 value,bytes data)"
        );
        return TypedData.digestOf(
            account,
            "Earnest Passkey Account",
            keccak256(abi.encode(typeHash, keccak256(hashes), nonce, deadline))
        );
    }
}
