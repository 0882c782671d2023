// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {IPasskeyAccount} from "./base/IPasskeyAccount.sol";
import {PasskeyTest} from "./base/PasskeyTest.sol";

/// @notice What the calls of a passkey account cost as transactions, written to contracts/gas. Each is measured on a chain
///         with the precompile for P-256 (RIP-7212, EIP-7951) and on a chain without it.
contract PasskeyGasTest is PasskeyTest {
    uint128 private constant AMOUNT = 12_345_678;
    /// @dev The bounds of trade/relay/gas-bounds.ts, which must hold without the precompile too.
    uint256 private constant SIGNED_ACT = 400_000;
    uint256 private constant PAYMENT = 600_000;
    uint256 private constant TRANSFER = 500_000;

    function setUp() public override {
        super.setUp();
        token.mint(address(escrow), 1);
        token.mint(provider, 1);
        token.mint(outsider, 1);
        token.mint(address(account), 10 * AMOUNT);
        token.mint(addressOf(OTHER_KEY), 10 * AMOUNT);
    }

    /// forge-config: default.evm_version = "osaka"
    function test_withThePrecompile() public {
        measure("");
    }

    function test_withoutThePrecompile() public {
        measure(" without the precompile");
    }

    function measure(string memory chain) private {
        Escrow.Terms memory terms = newTerms(AMOUNT);
        terms.buyer = address(account);
        bytes memory signature = signMessage(KEY, authorizationDigest(terms, address(account), OUTPUT));
        escrow.createEscrowWithAuthorization(
            terms, address(account), 0, uint256(FUND_BY) + 1, OUTPUT, signature
        );
        check(record("createEscrowWithAuthorization", chain), PAYMENT);
        signature = signMessage(KEY, releaseDigest(escrow.escrowIdOf(terms), DEADLINE));
        escrow.releaseWithSignature(terms, DEADLINE, signature);
        check(record("releaseWithSignature", chain), SIGNED_ACT);

        IPasskeyAccount.Call[] memory calls = transfer(outsider, AMOUNT);
        signature = signCalls(KEY, calls, 0);
        account.execute(calls, DEADLINE, signature);
        check(record("execute a transfer, first", chain), TRANSFER);
        signature = signCalls(KEY, calls, 1);
        account.execute(calls, DEADLINE, signature);
        check(record("execute a transfer, again", chain), TRANSFER);

        (bytes32 x, bytes32 y) = coordinates(OTHER_KEY);
        account = IPasskeyAccount(addressOf(OTHER_KEY));
        signature = signCalls(OTHER_KEY, calls, 0);
        accounts.createAndExecute(x, y, calls, DEADLINE, signature);
        check(record("create and execute a transfer", chain), TRANSFER);
        (x, y) = coordinates(OTHER_KEY + 1);
        accounts.create(x, y);
        check(record("create", chain), 100_000);
        accounts.create(x, y);
        check(record("create again", chain), 40_000);
    }

    function check(uint256 gas, uint256 bound) private pure {
        vm.assertTrue(gas <= bound, "dearer than intended");
    }

    function record(string memory name, string memory chain) private returns (uint256 gas) {
        return vm.snapshotGasLastCall("PasskeyAccount", string.concat(name, chain));
    }
}
