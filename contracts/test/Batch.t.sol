// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Batch} from "../src/Batch.sol";
import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {Vm} from "./base/Vm.sol";

/// @notice A contract that does as it is told.
contract Called {
    uint256 public count;

    function add() external {
        count += 1;
    }

    function burn() external pure {
        assembly {
            invalid()
        }
    }

    /// @dev Refuses with as many bytes as are asked for.
    function refuse(uint256 length) external pure {
        assembly {
            revert(0x80, length)
        }
    }

    function enter(Batch batch) external {
        batch.run(address(this), 0, "");
    }
}

contract BatchTest is EscrowTest {
    struct Call {
        uint24 gas;
        bytes data;
    }

    uint24 private constant PLENTY = 400_000;

    Called private called = new Called();

    function test_makesCallsOfManyOrdersInOneTransaction() public {
        Call[] memory calls = new Call[](20);
        bytes32[] memory ids = new bytes32[](20);
        for (uint256 i = 0; i < calls.length; i++) {
            (calls[i], ids[i]) = payment(i, BUYER_KEY);
        }
        batch.run(address(escrow), calls.length, pack(calls));
        for (uint256 i = 0; i < calls.length; i++) {
            checkStatus(ids[i], Escrow.Status.Funded);
        }
    }

    function testFuzz_eachFailsAlone(uint256 forged) public {
        Call[] memory calls = new Call[](9);
        bytes32[] memory ids = new bytes32[](9);
        for (uint256 i = 0; i < calls.length; i++) {
            (calls[i], ids[i]) = payment(i, isForged(forged, i) ? STRANGER_KEY : BUYER_KEY);
        }
        vm.recordLogs();
        batch.run(address(escrow), calls.length, pack(calls));
        bool[] memory failed = failedOf(vm.getRecordedLogs(), calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            vm.assertTrue(failed[i] == isForged(forged, i), "told otherwise");
            checkStatus(ids[i], isForged(forged, i) ? Escrow.Status.None : Escrow.Status.Funded);
        }
    }

    function test_tellsWhyACallFailed() public {
        (Escrow.Terms memory terms,) = newFunded(5);
        Call[] memory calls = new Call[](1);
        calls[0] = Call(PLENTY, abi.encodeCall(Escrow.release, (terms)));
        vm.recordLogs();
        batch.run(address(escrow), calls.length, pack(calls));
        (uint256 index, bytes memory reason) = abi.decode(vm.getRecordedLogs()[0].data, (uint256, bytes));
        vm.assertEq(index, 0);
        // The batch is nobody's party, whoever sends it.
        vm.assertEq(reason, abi.encodeWithSelector(Escrow.NotBuyer.selector, address(batch), buyer), "reason");
    }

    function testFuzz_aCallThatBurnsItsGasTakesNobodyElses(uint256 place, uint256 gas) public {
        place %= 5;
        gas = 30_000 + gas % 1_000_000;
        Call[] memory calls = new Call[](5);
        for (uint256 i = 0; i < calls.length; i++) {
            calls[i] = i == place
                ? Call(uint24(gas), abi.encodeCall(Called.burn, ()))
                : Call(50_000, abi.encodeCall(Called.add, ()));
        }
        vm.recordLogs();
        batch.run(address(called), calls.length, pack(calls));
        vm.assertEq(called.count(), 4);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        uint256 used = gasUsedOf(logs, place);
        vm.assertTrue(used >= gas && used < gas + 10_000, "it took other than its own");
        vm.assertTrue(failedOf(logs, calls.length)[place], "it did not fail");
    }

    function testFuzz_eachHasItsOwnGasOrAllIsUndone(uint256 given) public {
        given = 30_000 + given % 700_000;
        Call[] memory calls = new Call[](6);
        for (uint256 i = 0; i < calls.length; i++) {
            // The odd ones take all they are given, the others far less.
            calls[i] = Call(60_000, abi.encodeCall(Called.add, ()));
            if (i % 2 == 1) calls[i].data = abi.encodeCall(Called.burn, ());
        }
        bytes memory packed = pack(calls);
        try batch.run{gas: given}(address(called), calls.length, packed) {
            vm.assertEq(called.count(), 3);
        } catch {
            vm.assertEq(called.count(), 0);
        }
    }

    function test_refusesACallThatItCannotGiveItsGas() public {
        Call[] memory calls = new Call[](2);
        calls[0] = Call(50_000, abi.encodeCall(Called.add, ()));
        calls[1] = Call(type(uint24).max, abi.encodeCall(Called.add, ()));
        bytes memory packed = pack(calls);
        vm.expectRevert(abi.encodeWithSelector(Batch.NotEnoughGas.selector, 1));
        batch.run{gas: 10_000_000}(address(called), calls.length, packed);
        vm.assertEq(called.count(), 0);
    }

    function testFuzz_copiesOfAReasonSoMuch(uint256 length) public {
        length %= 100_000;
        Call[] memory calls = new Call[](1);
        calls[0] = Call(PLENTY, abi.encodeCall(Called.refuse, (length)));
        vm.recordLogs();
        batch.run(address(called), calls.length, pack(calls));
        (, bytes memory reason) = abi.decode(vm.getRecordedLogs()[0].data, (uint256, bytes));
        vm.assertEq(reason.length, length < 256 ? length : 256);
    }

    function test_isNotEnteredTwice() public {
        Call[] memory calls = new Call[](1);
        calls[0] = Call(PLENTY, abi.encodeCall(Called.enter, (batch)));
        vm.recordLogs();
        batch.run(address(called), calls.length, pack(calls));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 2);
        vm.assertTrue(failedOf(logs, 1)[0], "it was entered");
    }

    function test_makesNoCallsWhereThereAreNone() public {
        vm.recordLogs();
        batch.run(address(called), 0, "");
        vm.assertEq(vm.getRecordedLogs().length, 1);
    }

    function test_refusesCoins() public {
        vm.deal(address(this), 2);
        bytes memory data = abi.encodeCall(Batch.run, (address(called), 0, ""));
        (bool done,) = address(batch).call{value: 1}(data);
        (bool sent,) = address(batch).call{value: 1}("");
        vm.assertTrue(!done && !sent, "coins were taken");
    }

    function testFuzz_refusesBytesThatAreNotItsCalls(uint256 count, uint256 cut) public {
        Call[] memory calls = new Call[](3);
        for (uint256 i = 0; i < calls.length; i++) {
            calls[i] = Call(50_000, abi.encodeCall(Called.add, ()));
        }
        bytes memory packed = pack(calls);
        cut %= packed.length + 1;
        count %= 5;
        assembly {
            mstore(packed, cut)
        }
        (bool done,) = address(batch).call(abi.encodeCall(Batch.run, (address(called), count, packed)));
        vm.assertTrue(done == (cut == count * 10 && count <= 3), "not as its bytes say");
        vm.assertEq(called.count(), done ? count : 0);
    }

    /// @dev A buyer's payment of an order of its own.
    function payment(uint256 number, uint256 key) private returns (Call memory, bytes32 escrowId) {
        Escrow.Terms memory terms = newTerms(100);
        terms.orderHash = bytes32(number + 1);
        token.mint(buyer, terms.amount);
        bytes memory signature = sign(key, receiptDigest(terms, buyer));
        uint256 before = uint256(terms.fundBy) + 1;
        bytes memory data =
            abi.encodeCall(Escrow.createEscrowWithReceiveAuthorization, (terms, buyer, before, signature));
        return (Call(PLENTY, data), escrow.escrowIdOf(terms));
    }

    function pack(Call[] memory calls) private pure returns (bytes memory packed) {
        for (uint256 i = 0; i < calls.length; i++) {
            packed = bytes.concat(
                packed, bytes3(calls[i].gas), bytes3(uint24(calls[i].data.length)), calls[i].data
            );
        }
    }

    function isForged(uint256 forged, uint256 place) private pure returns (bool) {
        return (forged >> place) & 1 == 1;
    }

    /// @dev Which calls the batch says failed. Its last word is `BatchRun`.
    function failedOf(Vm.Log[] memory logs, uint256 length) private view returns (bool[] memory failed) {
        failed = new bool[](length);
        for (uint256 i = 0; i + 1 < logs.length; i++) {
            if (logs[i].emitter != address(batch)) continue;
            vm.assertEq(logs[i].topics[0], Batch.CallFailed.selector);
            (uint256 index,) = abi.decode(logs[i].data, (uint256, bytes));
            failed[index] = true;
        }
    }

    function gasUsedOf(Vm.Log[] memory logs, uint256 place) private view returns (uint256) {
        Vm.Log memory last = logs[logs.length - 1];
        vm.assertEq(last.emitter, address(batch));
        vm.assertEq(last.topics[0], Batch.BatchRun.selector);
        uint256[] memory words = abi.decode(last.data, (uint256[]));
        return uint32(words[place / 8] >> (32 * (place % 8)));
    }
}
