// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {SignedToken} from "./SignedToken.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title Test token
/// @notice A token of any name and decimals, for the second local chain.
contract TestToken is SignedToken {
    uint8 private immutable _DECIMALS;

    /// @notice Sets the name of the token and its EIP-712 domain, version "1", the symbol and the decimals.
    constructor(string memory name_, string memory symbol_, uint8 decimals_)
        ERC20(name_, symbol_)
        ERC20Permit(name_)
    {
        _DECIMALS = decimals_;
    }

    /// @notice The token's decimals.
    function decimals() public view override returns (uint8) {
        return _DECIMALS;
    }
}
