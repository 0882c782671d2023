// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {PasskeyAccount} from "./PasskeyAccount.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {P256} from "@openzeppelin/contracts/utils/cryptography/P256.sol";

/// @title Passkey account factory
/// @notice Deploys the account of a passkey. The address follows from the public key alone, so money can be sent to it
///         before it is deployed, and anyone may deploy it.
/// @dev The factory has no arguments, so it has the same address on every chain, and so has each account.
contract PasskeyAccountFactory {
    /// @notice The code of all accounts.
    address public immutable IMPLEMENTATION;

    /// @notice An account was deployed.
    /// @param account Its address.
    /// @param x The first coordinate of the passkey's public key.
    /// @param y The second coordinate.
    event Created(address indexed account, bytes32 x, bytes32 y);

    /// @notice These coordinates are no point of the curve P-256.
    /// @param x The first coordinate.
    /// @param y The second coordinate.
    error InvalidPublicKey(bytes32 x, bytes32 y);

    /// @notice Deploys the code of all accounts.
    constructor() {
        IMPLEMENTATION = address(new PasskeyAccount());
    }

    /// @notice Deploys the account of a passkey. Does nothing if it exists.
    /// @param x The first coordinate of the passkey's public key.
    /// @param y The second coordinate.
    /// @return account Its address.
    function create(bytes32 x, bytes32 y) public returns (address account) {
        account = addressOf(x, y);
        if (account.code.length != 0) return account;
        if (!P256.isValidPublicKey(x, y)) revert InvalidPublicKey(x, y);
        Clones.cloneDeterministicWithImmutableArgs(IMPLEMENTATION, abi.encode(x, y), 0);
        emit Created(account, x, y);
    }

    /// @notice Makes calls that the passkey signed, and deploys its account first if it does not exist.
    /// @param x The first coordinate of the passkey's public key.
    /// @param y The second coordinate.
    /// @param calls As `PasskeyAccount.execute` takes them.
    /// @param deadline As `PasskeyAccount.execute` takes it.
    /// @param signature As `PasskeyAccount.execute` takes it.
    function createAndExecute(
        bytes32 x,
        bytes32 y,
        PasskeyAccount.Call[] calldata calls,
        uint256 deadline,
        bytes calldata signature
    ) external {
        PasskeyAccount(payable(create(x, y))).execute(calls, deadline, signature);
    }

    /// @notice The address of a passkey's account.
    /// @param x The first coordinate of the passkey's public key.
    /// @param y The second coordinate.
    /// @return account Its address, whether it is deployed or not.
    function addressOf(bytes32 x, bytes32 y) public view returns (address account) {
        return Clones.predictDeterministicAddressWithImmutableArgs(IMPLEMENTATION, abi.encode(x, y), 0);
    }
}
