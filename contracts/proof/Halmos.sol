// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice The cheatcodes of forge that the proofs use.
interface Vm {
    function assume(bool condition) external pure;
    function chainId(uint256 id) external;
    function deal(address account, uint256 balance) external;
    function load(address account, bytes32 slot) external view returns (bytes32 word);
    function prank(address sender) external;
    function warp(uint256 timestamp) external;
}

/// @notice The cheatcodes of halmos that the proofs use. A created value stands for all values of its type.
interface Svm {
    function createAddress(string calldata name) external pure returns (address value);
    function createBytes(uint256 length, string calldata name) external pure returns (bytes memory value);
    function createBytes32(string calldata name) external pure returns (bytes32 value);
    function createCalldata(string calldata contract_) external pure returns (bytes memory data);
    function createUint256(string calldata name) external pure returns (uint256 value);
    function enableSymbolicStorage(address account) external;
}

Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
Svm constant svm = Svm(0xF3993A62377BCd56AE39D773740A5390411E8BC9);
