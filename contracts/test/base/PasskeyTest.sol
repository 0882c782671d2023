// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Assertions} from "./Assertions.sol";
import {EscrowTest} from "./EscrowTest.sol";
import {IPasskeyAccount} from "./IPasskeyAccount.sol";

/// @notice What the tests of passkey accounts start from: two passkeys, the account of the first, and its calls.
abstract contract PasskeyTest is EscrowTest {
    uint256 internal constant KEY = 0xa11ce;
    uint256 internal constant OTHER_KEY = 0xb0b;

    IPasskeyAccount internal account;

    function setUp() public virtual override {
        super.setUp();
        account = newAccount(KEY);
    }

    function coordinates(uint256 key) internal pure returns (bytes32 x, bytes32 y) {
        (uint256 first, uint256 second) = vm.publicKeyP256(key);
        return (bytes32(first), bytes32(second));
    }

    function newAccount(uint256 key) internal returns (IPasskeyAccount) {
        (bytes32 x, bytes32 y) = coordinates(key);
        return IPasskeyAccount(accounts.create(x, y));
    }

    function addressOf(uint256 key) internal view returns (address) {
        (bytes32 x, bytes32 y) = coordinates(key);
        return accounts.addressOf(x, y);
    }

    function one(address to, uint256 value, bytes memory data)
        internal
        pure
        returns (IPasskeyAccount.Call[] memory calls)
    {
        calls = new IPasskeyAccount.Call[](1);
        calls[0] = IPasskeyAccount.Call(to, value, data);
    }

    function transfer(address to, uint256 amount) internal view returns (IPasskeyAccount.Call[] memory) {
        return one(address(token), 0, abi.encodeCall(token.transfer, (to, amount)));
    }

    function signCalls(uint256 key, IPasskeyAccount.Call[] memory calls, uint256 nonce)
        internal
        view
        returns (bytes memory)
    {
        return Assertions.sign(key, Assertions.execution(address(account), calls, nonce, DEADLINE));
    }

    function signMessage(uint256 key, bytes32 hash) internal view returns (bytes memory) {
        return Assertions.sign(key, Assertions.message(address(account), hash));
    }

    function expectInvalid(IPasskeyAccount.Call[] memory calls, uint256 nonce) internal {
        bytes32 digest = Assertions.execution(address(account), calls, nonce, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(IPasskeyAccount.InvalidSignature.selector, digest));
    }

    function checkRefused(bytes32 hash, bytes memory signature, string memory what) internal view {
        vm.assertEq(bytes32(account.isValidSignature(hash, signature)), bytes32(bytes4(0xffffffff)), what);
    }

    function checkAccepted(bytes32 hash, bytes memory signature) internal view {
        vm.assertEq(
            bytes32(account.isValidSignature(hash, signature)), bytes32(bytes4(0x1626ba7e)), "accepted"
        );
    }
}
