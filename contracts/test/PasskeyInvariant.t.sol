// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestUSD} from "../dev/TestUSD.sol";
import {Assertions} from "./base/Assertions.sol";
import {IPasskeyAccount, IPasskeyAccountFactory} from "./base/IPasskeyAccount.sol";
import {PasskeyTest} from "./base/PasskeyTest.sol";
import {Vm} from "./base/Vm.sol";

/// @notice What holds of passkey accounts after any sequence of calls by anybody.
contract PasskeyInvariantTest is PasskeyTest {
    PasskeyHandler private handler;

    function setUp() public override {
        super.setUp();
        handler = new PasskeyHandler(accounts, token);
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    /// forge-config: default.invariant.runs = 20
    /// forge-config: default.invariant.depth = 40
    function invariant_onlySignedCallsMoveMoneyAndEachOnce() public view {
        handler.check();
    }
}

/// @notice Signs with three passkeys, sends, repeats and changes what was signed, and counts what may have moved.
contract PasskeyHandler {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    uint256 private constant KEYS = 3;
    address private constant TO = address(0xdead);

    IPasskeyAccountFactory private immutable ACCOUNTS;
    TestUSD private immutable TOKEN;

    /// @dev A signature that was sent once.
    struct Sent {
        uint256 key;
        IPasskeyAccount.Call[] calls;
        bytes signature;
    }

    mapping(uint256 key => uint256) private _nonces;
    mapping(uint256 key => uint256) private _balances;
    Sent[] private _sent;
    uint256 private _moved;

    constructor(IPasskeyAccountFactory accounts, TestUSD token) {
        ACCOUNTS = accounts;
        TOKEN = token;
    }

    function pay(uint256 key, uint64 amount) external {
        key = key % KEYS + 1;
        TOKEN.mint(addressOf(key), amount);
        _balances[key] += amount;
    }

    function create(uint256 key) external {
        (bytes32 x, bytes32 y) = coordinates(key % KEYS + 1);
        ACCOUNTS.create(x, y);
    }

    /// @dev Sends a transfer that `signer` signed to the account of `key`: it moves money if the two are the same.
    function send(uint256 key, uint256 signer, uint64 amount, uint8 number) external {
        key = key % KEYS + 1;
        signer = signer % KEYS + 1;
        uint256 nonce = number % 4 == 0 ? number : _nonces[key];
        IPasskeyAccount.Call[] memory calls = new IPasskeyAccount.Call[](1);
        calls[0] = IPasskeyAccount.Call(address(TOKEN), 0, abi.encodeCall(TOKEN.transfer, (TO, amount)));
        bytes32 digest = Assertions.execution(addressOf(key), calls, nonce, type(uint256).max);
        bytes memory signature = Assertions.sign(signer, digest);
        bool expected = key == signer && nonce == _nonces[key] && amount <= _balances[key];
        bool done = execute(key, calls, signature);
        vm.assertTrue(done == expected, "only its passkey, in turn, with the money there");
        if (!done) return;
        _nonces[key]++;
        _balances[key] -= amount;
        _moved += amount;
        Sent storage sent = _sent.push();
        sent.key = key;
        sent.calls.push(calls[0]);
        sent.signature = signature;
    }

    /// @dev Sends again what was sent, to its account or to another.
    function repeat(uint256 which, uint256 key) external {
        if (_sent.length == 0) return;
        Sent storage sent = _sent[which % _sent.length];
        vm.assertTrue(!execute(key % KEYS + 1, sent.calls, sent.signature), "a signature is good once");
    }

    function check() external view {
        for (uint256 key = 1; key <= KEYS; key++) {
            address account = addressOf(key);
            vm.assertEq(TOKEN.balanceOf(account), _balances[key], "balance");
            if (account.code.length == 0) continue;
            vm.assertEq(IPasskeyAccount(account).nonce(), _nonces[key], "nonce");
        }
        vm.assertEq(TOKEN.balanceOf(TO), _moved, "moved");
    }

    function execute(uint256 key, IPasskeyAccount.Call[] memory calls, bytes memory signature)
        private
        returns (bool done)
    {
        (bytes32 x, bytes32 y) = coordinates(key);
        try ACCOUNTS.createAndExecute(x, y, calls, type(uint256).max, signature) {
            done = true;
        } catch {}
    }

    function coordinates(uint256 key) private pure returns (bytes32 x, bytes32 y) {
        (uint256 first, uint256 second) = vm.publicKeyP256(key);
        return (bytes32(first), bytes32(second));
    }

    function addressOf(uint256 key) private view returns (address) {
        (bytes32 x, bytes32 y) = coordinates(key);
        return ACCOUNTS.addressOf(x, y);
    }
}
