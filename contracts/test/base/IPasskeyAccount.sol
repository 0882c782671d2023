// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice What the tests call of a passkey account. Its source needs the optimizer, which these tests do without.
interface IPasskeyAccount {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    error Expired(uint256 deadline, uint256 time);
    error InvalidSignature(bytes32 digest);

    function execute(Call[] calldata calls, uint256 deadline, bytes calldata signature) external;
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4 magic);
    function messageHash(bytes32 hash) external view returns (bytes32 digest);
    function executeHash(Call[] calldata calls, uint256 number, uint256 deadline)
        external
        view
        returns (bytes32 digest);
    function nonce() external view returns (uint256);
    function signer() external view returns (bytes32 x, bytes32 y);
}

/// @notice What the tests call of the factory of passkey accounts.
interface IPasskeyAccountFactory {
    event Created(address indexed account, bytes32 x, bytes32 y);

    error InvalidPublicKey(bytes32 x, bytes32 y);

    function create(bytes32 x, bytes32 y) external returns (address account);
    function createAndExecute(
        bytes32 x,
        bytes32 y,
        IPasskeyAccount.Call[] calldata calls,
        uint256 deadline,
        bytes calldata signature
    ) external;
    function addressOf(bytes32 x, bytes32 y) external view returns (address account);
    function IMPLEMENTATION() external view returns (address);
}
