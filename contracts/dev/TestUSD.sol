// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {SignedToken} from "./SignedToken.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title Test USD
/// @notice The token of the local chain.
contract TestUSD is SignedToken {
    /// @notice Sets the name of the token and its EIP-712 domain, version "1".
    constructor() ERC20("Test USD", "TUSD") ERC20Permit("Test USD") {}

    /// @notice The token's decimals, the same as USDC's.
    function decimals() public pure override returns (uint8) {
        return 6;
    }
}
