// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";

/// @title Deposit
/// @notice The code at an escrow's deposit address is an ERC-1167 clone of this contract whose CREATE2 salt is the
///         escrow's id. Only the escrow contract can move money from there.
/// @dev Holds no storage, so every clone is the same and needs no initialisation.
contract Deposit {
    using SafeERC20 for IERC20;

    /// @notice The escrow contract, the only address that may call `sweep`.
    address public immutable ESCROW;

    /// @notice `sweep` was called by another address than the escrow contract.
    /// @param caller The caller.
    /// @param escrow The escrow contract.
    error NotEscrow(address caller, address escrow);

    /// @notice Binds this implementation and all its clones to the escrow contract that deploys it.
    constructor() {
        ESCROW = msg.sender;
    }

    /// @notice Sends money away from this address.
    /// @param token The ERC-20 token to send, or zero for the chain's native coin.
    /// @param to The receiver.
    /// @param amount The amount in base units.
    function sweep(address token, address to, uint256 amount) external {
        if (msg.sender != ESCROW) revert NotEscrow(msg.sender, ESCROW);
        if (token == address(0)) Address.sendValue(payable(to), amount);
        else IERC20(token).safeTransfer(to, amount);
    }
}
