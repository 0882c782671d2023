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

/// @notice An ERC-1271 wallet with one owner, whose signature it accepts with one byte appended.
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

/// @notice A buyer's contract that refuses native coin.
contract Refuser {}

/// @notice A wallet with invalid answers.
contract BadWallet is IERC1271 {
    enum Answer {
        Revert,
        Nothing,
        Short, // 31 bytes of the right answer
        Dirty, // the right four bytes, and more behind them
        Wrong,
        BurnGas,
        ReturnBomb
    }

    Answer public immutable ANSWER;

    error NoAnswer();

    constructor(Answer answer) {
        ANSWER = answer;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        Answer answer = ANSWER;
        bytes32 right = bytes32(this.isValidSignature.selector);
        if (answer == Answer.Revert) revert NoAnswer();
        assembly ("memory-safe") {
            mstore(0, right)
            switch answer
            case 1 { return(0, 0) }
            case 2 { return(0, 31) }
            case 3 {
                mstore(0, or(right, 1))
                return(0, 32)
            }
            case 4 {
                mstore(0, not(right))
                return(0, 32)
            }
            case 5 { invalid() }
            default {
                mstore(0, 0)
                return(0, 500000)
            }
        }
    }
}
