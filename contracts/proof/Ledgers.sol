// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {svm, vm} from "./Halmos.sol";
import {Authorizations} from "./Tokens.sol";

/// @notice A token that is honest to one holder: only the holder can spend its balance. All other behaviour is arbitrary.
/// @dev The balance is one word and not a mapping, so that halmos terminates.
contract Purse is Authorizations {
    address private immutable HOLDER;
    /// @notice The holder's balance.
    uint256 public held = svm.createUint256("held");

    constructor(address holder) {
        HOLDER = holder;
        vm.assume(held < 2 ** 200);
    }

    function balanceOf(address account) external view returns (uint256) {
        return account == HOLDER ? held : svm.createUint256("balance");
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        require(from != HOLDER);
        return move(from, to, amount);
    }

    function authorize(address from, address to, uint256 value, uint256, bytes32) internal override {
        require(from != HOLDER);
        move(from, to, value);
    }

    /// @dev Refuses by its answer, takes at most `amount` from the holder, or gives the holder any amount.
    function move(address from, address to, uint256 amount) private returns (bool) {
        if (svm.createUint256("refuses") == 1) return false;
        unchecked {
            if (from == HOLDER) {
                require(held >= amount);
                if (to != HOLDER) held -= amount;
            } else if (to == HOLDER) {
                uint256 gain = svm.createUint256("gain");
                vm.assume(gain < 2 ** 200);
                held += gain;
            }
        }
        return true;
    }
}

/// @notice An honest token: it moves existing balances, and refuses some payees.
/// @dev It requires no consent of the payer, so it allows more than a real token.
contract Ledger is Authorizations {
    mapping(address account => uint256 balance) public balanceOf;
    mapping(address payee => bool) public refuses;

    function transfer(address to, uint256 amount) external returns (bool) {
        return move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        return move(from, to, amount);
    }

    function authorize(address from, address to, uint256 value, uint256, bytes32) internal override {
        move(from, to, value);
    }

    function move(address from, address to, uint256 amount) private returns (bool) {
        require(!refuses[to] && balanceOf[from] >= amount);
        // The total supply fits into a word.
        vm.assume(balanceOf[from] < 2 ** 255 && balanceOf[to] < 2 ** 255);
        unchecked {
            balanceOf[from] -= amount;
            balanceOf[to] += amount;
        }
        return true;
    }
}
