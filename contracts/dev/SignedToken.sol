// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC3009} from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title Token with signatures
/// @notice A token for local chains and tests with the signatures of USDC: EIP-2612 permits, and EIP-3009
///         authorizations with the signature as (v, r, s) or as bytes (then ERC-1271 wallets too). Anyone may mint.
abstract contract SignedToken is ERC20Permit, ERC3009 {
    /// @notice Mints `amount` base units for `to`.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// @notice Moves `value` from `from` to `to` by `from`'s signature. Anyone may send it.
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        _checkSignature(
            from,
            keccak256(
                abi.encode(
                    TRANSFER_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce
                )
            ),
            signature
        );
        _transferWithAuthorization(from, to, value, validAfter, validBefore, nonce);
    }

    /// @notice Moves `value` from `from` to the caller by `from`'s signature.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        _checkSignature(
            from,
            keccak256(
                abi.encode(
                    RECEIVE_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce
                )
            ),
            signature
        );
        if (to != msg.sender) revert ERC20InvalidReceiver(to);
        _transferWithAuthorization(from, to, value, validAfter, validBefore, nonce);
    }

    /// @notice Cancels a nonce of `authorizer` by its signature.
    function cancelAuthorization(address authorizer, bytes32 nonce, bytes calldata signature) external {
        _checkSignature(
            authorizer, keccak256(abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce)), signature
        );
        _cancelAuthorization(authorizer, nonce);
    }

    function _checkSignature(address signer, bytes32 message, bytes calldata signature) private view {
        if (!SignatureChecker.isValidSignatureNowCalldata(signer, _hashTypedDataV4(message), signature)) {
            revert ERC3009InvalidSignature();
        }
    }
}
