// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {svm, vm} from "./Halmos.sol";

/// @dev Makes a call be about this token: its terms', or what it withdraws or returns. Written and not assumed, so that
///      halmos knows one address for the deposit address of these terms.
function setToken(bytes memory data, address token) pure {
    bytes4 entry = bytes4(data);
    if (entry == Escrow.withdraw.selector) setWord(data, 0, uint160(token));
    else if (data.length >= 4 + 0x160) setWord(data, 2, uint160(token));
    if (entry == Escrow.returnDeposit.selector) setWord(data, 11, uint160(token));
}

function setWord(bytes memory data, uint256 index, uint256 word) pure {
    assembly ("memory-safe") {
        mstore(add(add(data, 0x24), mul(index, 0x20)), word)
    }
}

/// @dev The four entries of EIP-3009 by which a signed payment is made: all do the same.
abstract contract Authorizations {
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256,
        bytes32 nonce,
        uint8,
        bytes32,
        bytes32
    ) external {
        authorize(from, to, value, validAfter, nonce);
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256,
        bytes32 nonce,
        bytes calldata
    ) external {
        authorize(from, to, value, validAfter, nonce);
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256,
        bytes32 nonce,
        uint8,
        bytes32,
        bytes32
    ) external {
        authorize(from, to, value, validAfter, nonce);
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256,
        bytes32 nonce,
        bytes calldata
    ) external {
        authorize(from, to, value, validAfter, nonce);
    }

    function authorize(address from, address to, uint256 value, uint256 validAfter, bytes32 nonce)
        internal
        virtual;
}

/// @notice Any token: each call answers anything or nothing, or reverts. The payments are recorded.
/// @dev The only assumption is that a token that refuses has paid nothing.
contract AnyToken is Authorizations {
    struct Payment {
        address by;
        address to;
        uint256 amount;
    }

    struct Authorization {
        address by;
        address from;
        address to;
        uint256 value;
        uint256 validAfter;
        bytes32 nonce;
    }

    /// @notice The number of calls that moved money, or tried to: payments, pulls and authorizations.
    uint256 public calls;
    uint256 public count;
    Payment private _first;
    Payment private _second;
    Authorization private _authorization;

    function payments() external view returns (uint256, Payment memory, Payment memory) {
        return (count, _first, _second);
    }

    function authorization() external view returns (Authorization memory) {
        return _authorization;
    }

    function balanceOf(address) external pure returns (uint256) {
        return svm.createUint256("balance");
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        calls += 1;
        if (refuses()) return false;
        count += 1;
        if (count == 1) _first = Payment(msg.sender, to, amount);
        else _second = Payment(msg.sender, to, amount);
        return answers();
    }

    function transferFrom(address, address, uint256) external returns (bool) {
        calls += 1;
        if (refuses()) return false;
        return answers();
    }

    function authorize(address from, address to, uint256 value, uint256 validAfter, bytes32 nonce)
        internal
        override
    {
        calls += 1;
        require(svm.createUint256("takes authorization") == 1);
        _authorization = Authorization(msg.sender, from, to, value, validAfter, nonce);
    }

    /// @dev Reverts, or returns whether the answer is false.
    function refuses() private pure returns (bool) {
        uint256 answer = svm.createUint256("answer");
        require(answer != 0);
        return answer == 1;
    }

    /// @dev Answers true or with no data, which both mean success.
    function answers() private pure returns (bool) {
        if (svm.createUint256("silence") == 1) {
            assembly {
                return(0, 0)
            }
        }
        return true;
    }
}

/// @notice Any contract wallet, whose answer to a signature is arbitrary.
contract AnyWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes32) {
        return svm.createBytes32("magic");
    }
}

/// @notice A contract wallet that approves one arbitrary digest with any signature.
contract OneDigestWallet {
    bytes32 public approved = svm.createBytes32("approved");

    function isValidSignature(bytes32 digest, bytes calldata) external view returns (bytes4) {
        return digest == approved ? this.isValidSignature.selector : bytes4(0);
    }
}

/// @notice A token that calls the escrow contract whenever it is called: any entry of it, or `withdraw`.
contract CallingToken {
    address private immutable ESCROW;
    address private immutable TOKEN;
    bool private immutable ANY;

    /// @notice Its call, whether the call succeeded, and the error if not.
    bytes4 public entry;
    bool public succeeded;
    bool public failed;
    bytes4 public answer;

    constructor(address escrow, address token, bool any) {
        (ESCROW, TOKEN, ANY) = (escrow, token, any);
    }

    function balanceOf(address) external pure returns (uint256) {
        return svm.createUint256("balance");
    }

    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes32) {
        return svm.createBytes32("magic");
    }

    /// @dev The number of recorded parts of the escrow with the call's terms.
    function claimCount(bytes memory data) private view returns (uint8) {
        bytes memory hashed = new bytes(0x1a0);
        address self = ESCROW;
        assembly ("memory-safe") {
            mstore(add(hashed, 0x20), chainid())
            mstore(add(hashed, 0x40), self)
            mcopy(add(hashed, 0x60), add(data, 0x24), 0x160)
        }
        return uint8(uint256(vm.load(ESCROW, keccak256(abi.encode(keccak256(hashed), uint256(2))))) >> 200);
    }

    fallback() external {
        bytes memory data = abi.encodeCall(Escrow.withdraw, (TOKEN, msg.sender));
        if (ANY) {
            data = svm.createCalldata("Escrow");
            setToken(data, TOKEN);
            // The loop over recorded parts is followed to its second turn.
            if (data.length >= 4 + 0x160) vm.assume(claimCount(data) <= 2);
        }
        entry = bytes4(data);
        (bool ok, bytes memory returned) = ESCROW.call(data);
        if (ok) {
            succeeded = true;
        } else {
            failed = true;
            answer = bytes4(returned);
        }
        assembly {
            mstore(0, 1)
            return(0, 0x20)
        }
    }
}
