// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Batch} from "../src/Batch.sol";
import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {Vm} from "./base/Vm.sol";

/// @notice A contract that does as it is told.
contract Called {
    uint256 public count;
    /// @dev Of each call without a function here: the hash of its data, and the gas that it came with.
    bytes32[] public seen;
    uint256[] public gasGiven;

    fallback() external {
        uint256 given = gasleft();
        seen.push(keccak256(msg.data));
        gasGiven.push(given);
    }

    function add() external {
        count += 1;
    }

    function burn() external pure {
        assembly {
            invalid()
        }
    }

    /// @dev Refuses with as many bytes as are asked for, all bits of them set.
    function refuse(uint256 length) external pure {
        assembly {
            for { let i := 0 } lt(i, length) { i := add(i, 0x20) } { mstore(i, not(0)) }
            revert(0, length)
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
        for (uint256 i = 0; i < reason.length; i++) {
            vm.assertTrue(reason[i] == 0xff, "another reason");
        }
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

    function test_callsOfOneFormShareItsBytes() public {
        bytes32[] memory ids = new bytes32[](20);
        bytes memory filled;
        bytes memory form;
        for (uint256 i = 0; i < ids.length; i++) {
            Call memory call;
            (call, ids[i]) = payment(i, BUYER_KEY);
            form = call.data;
            // The order's hash, and the signature.
            filled = bytes.concat(
                filled, number(PLENTY), slice(form, 4 + 0x140, 0x20), slice(form, 4 + 0x1e0, 65)
            );
        }
        bytes memory gaps = bytes.concat(number(4 + 0x140), number(0x20), number(4 + 0x1e0), number(65));
        batch.run(
            address(escrow), 20, bytes.concat(number(20), number(form.length), number(2), form, gaps, filled)
        );
        for (uint256 i = 0; i < ids.length; i++) {
            checkStatus(ids[i], Escrow.Status.Funded);
        }
    }

    /// @dev Whatever the gaps: they may touch, overlap, be empty or be all there is.
    function testFuzz_fillsTheGapsOfAForm(bytes memory form, uint256 seed) public {
        bytes memory gaps;
        uint256[] memory sizes = new uint256[](seed % 5);
        uint256[] memory offsets = new uint256[](sizes.length);
        for (uint256 i = 0; i < sizes.length; i++) {
            seed = next(seed);
            offsets[i] = seed % (form.length + 1);
            sizes[i] = (seed >> 128) % (form.length - offsets[i] + 1);
            gaps = bytes.concat(gaps, number(offsets[i]), number(sizes[i]));
        }
        bytes memory packed = bytes.concat(number(3), number(form.length), number(sizes.length), form, gaps);
        bytes32[] memory expected = new bytes32[](3);
        bytes memory data = bytes.concat(form);
        for (uint256 i = 0; i < expected.length; i++) {
            packed = bytes.concat(packed, number(PLENTY));
            for (uint256 gap = 0; gap < sizes.length; gap++) {
                for (uint256 byteIndex = 0; byteIndex < sizes[gap]; byteIndex++) {
                    seed = next(seed);
                    data[offsets[gap] + byteIndex] = bytes1(uint8(seed));
                    packed = bytes.concat(packed, bytes1(uint8(seed)));
                }
            }
            expected[i] = keccak256(data);
        }
        // Behind it one of another form, and so none of the first one's bytes.
        packed = bytes.concat(packed, pack(one(PLENTY, "another")));
        batch.run(address(called), 4, packed);
        for (uint256 i = 0; i < expected.length; i++) {
            vm.assertEq(called.seen(i), expected[i], "other bytes");
        }
        vm.assertEq(called.seen(3), keccak256("another"), "other bytes of another form");
    }

    function testFuzz_refusesAGapOutsideItsForm(uint256 length, uint256 from, uint256 size) public {
        length %= 100;
        from %= 120;
        size %= 120;
        bytes memory packed = bytes.concat(
            number(1),
            number(length),
            number(1),
            new bytes(length),
            number(from),
            number(size),
            number(PLENTY)
        );
        packed = bytes.concat(packed, new bytes(size));
        if (from + size > length) {
            vm.expectRevert(abi.encodeWithSelector(Batch.GapOutside.selector, from, size));
        }
        batch.run(address(called), 1, packed);
    }

    function testFuzz_refusesMoreOrFewerCallsThanItIsTold(uint256 count, uint256 given) public {
        count %= 20;
        given %= 20;
        bytes memory packed =
            bytes.concat(number(given), number(4), number(0), abi.encodeCall(Called.add, ()));
        for (uint256 i = 0; i < given; i++) {
            packed = bytes.concat(packed, number(PLENTY));
        }
        if (count != given) vm.expectRevert(abi.encodeWithSelector(Batch.WrongCount.selector, given));
        batch.run(address(called), count, packed);
        vm.assertEq(called.count(), count == given ? count : 0);
    }

    function testFuzz_refusesCallsThatAreCutOff(uint256 cut) public {
        cut = 1 + cut % 10;
        bytes memory packed = pack(one(PLENTY, "0123456789"));
        uint256 length = packed.length - cut;
        assembly {
            mstore(packed, length)
        }
        vm.expectRevert(abi.encodeWithSelector(Batch.BytesMissing.selector, cut));
        batch.run(address(called), 1, packed);
    }

    /// @dev However large the call is and however much gas it may take: what it gets is all of that, or the batch is undone.
    function testFuzz_aCallHasAllOfItsGas(uint256 size, uint256 given, bool most) public {
        size %= 60_000;
        uint24 limit = most ? type(uint24).max : 150_000;
        given = uint256(limit) + 50_000 + given % (most ? 1_000_000 : 300_000);
        bytes memory packed = pack(one(limit, new bytes(size)));
        vm.recordLogs();
        try batch.run{gas: given}(address(called), 1, packed) {
            vm.assertTrue(!failedOf(vm.getRecordedLogs(), 1)[0], "it had too little");
            uint256 had = called.gasGiven(0);
            vm.assertTrue(had <= limit && had > limit - 500, "it had other than its own");
        } catch {}
    }

    function test_refusesTheFirstFormThatHasTooManyCalls() public {
        Call[] memory calls = new Call[](3);
        for (uint256 i = 0; i < calls.length; i++) {
            calls[i] = Call(PLENTY, abi.encodeCall(Called.add, ()));
        }
        bytes memory packed = bytes.concat(packAlike(calls), pack(calls));
        vm.expectRevert(abi.encodeWithSelector(Batch.WrongCount.selector, 3));
        batch.run(address(called), 2, packed);
    }

    function testFuzz_tellsWhatEachTook(uint256 count) public {
        count = 1 + count % 20;
        Call[] memory calls = new Call[](count);
        for (uint256 i = 0; i < count; i++) {
            calls[i] = Call(uint24(30_000 + 10_000 * i), abi.encodeCall(Called.burn, ()));
        }
        vm.recordLogs();
        batch.run(address(called), count, packAlike(calls));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < count; i++) {
            uint256 used = gasUsedOf(logs, i);
            vm.assertTrue(used >= calls[i].gas && used < calls[i].gas + 10_000, "told otherwise");
        }
        vm.assertEq(abi.decode(logs[count].data, (bytes)).length, 4 * count);
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
        vm.assertTrue(done == (cut == count * 16 && count <= 3), "not as its bytes say");
        vm.assertEq(called.count(), done ? count : 0);
    }

    /// @dev A buyer's payment of an order of its own.
    function payment(uint256 order, uint256 key) private returns (Call memory, bytes32 escrowId) {
        Escrow.Terms memory terms = newTerms(100);
        terms.orderHash = bytes32(order + 1);
        token.mint(buyer, terms.amount);
        bytes memory signature = sign(key, receiptDigest(terms, buyer));
        uint256 before = uint256(terms.fundBy) + 1;
        bytes memory data =
            abi.encodeCall(Escrow.createEscrowWithReceiveAuthorization, (terms, buyer, before, signature));
        return (Call(PLENTY, data), escrow.escrowIdOf(terms));
    }

    /// @dev Each call as a form of its own.
    function pack(Call[] memory calls) private pure returns (bytes memory packed) {
        for (uint256 i = 0; i < calls.length; i++) {
            bytes memory data = calls[i].data;
            packed =
                bytes.concat(packed, number(1), number(data.length), number(0), data, number(calls[i].gas));
        }
    }

    /// @dev All calls as the first one is.
    function packAlike(Call[] memory calls) private pure returns (bytes memory packed) {
        bytes memory data = calls[0].data;
        packed = bytes.concat(number(calls.length), number(data.length), number(0), data);
        for (uint256 i = 0; i < calls.length; i++) {
            packed = bytes.concat(packed, number(calls[i].gas));
        }
    }

    function one(uint24 gas, bytes memory data) private pure returns (Call[] memory calls) {
        calls = new Call[](1);
        calls[0] = Call(gas, data);
    }

    function number(uint256 value) private pure returns (bytes memory) {
        return abi.encodePacked(uint24(value));
    }

    function slice(bytes memory data, uint256 from, uint256 size) private pure returns (bytes memory part) {
        part = new bytes(size);
        for (uint256 i = 0; i < size; i++) {
            part[i] = data[from + i];
        }
    }

    function next(uint256 seed) private pure returns (uint256) {
        return uint256(keccak256(abi.encode(seed)));
    }

    function isForged(uint256 forged, uint256 place) private pure returns (bool) {
        return (forged >> place) & 1 == 1;
    }

    /// @dev Which calls the batch says failed. Its last event is `BatchRun`.
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
        return uint32(bytes4(slice(abi.decode(last.data, (bytes)), 4 * place, 4)));
    }
}
