// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @notice An ERC-1271 wallet that approves one digest at a time, whatever the signature's length.
contract Wallet is IERC1271 {
    bytes32 public approved;

    function approve(bytes32 digest) external {
        approved = digest;
    }

    function isValidSignature(bytes32 digest, bytes calldata) external view returns (bytes4) {
        return digest == approved ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// @notice An ERC-1271 wallet with one owner, whose signature it takes with a byte behind it.
contract OwnedWallet is IERC1271 {
    address public immutable OWNER;
    bool public immutable TAKES_COIN;

    error NoCoin();

    constructor(address owner, bool takesCoin) {
        OWNER = owner;
        TAKES_COIN = takesCoin;
    }

    receive() external payable {
        if (!TAKES_COIN) revert NoCoin();
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 66) return bytes4(0xffffffff);
        (address signer, ECDSA.RecoverError failure,) = ECDSA.tryRecoverCalldata(digest, signature[:65]);
        bool good = failure == ECDSA.RecoverError.NoError && signer == OWNER;
        return good ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// @notice A buyer's contract that takes no native coin.
contract Refuser {}
