// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Anchors} from "../src/Anchors.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {Vm} from "./base/Vm.sol";

contract AnchorsTest is EscrowTest {
    function testFuzz_anchorsUnderTheCallersName(address caller, bytes32 root, uint64 size) public {
        vm.recordLogs();
        vm.prank(caller);
        anchors.anchor(root, size);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 1);
        vm.assertEq(logs[0].emitter, address(anchors));
        vm.assertEq(logs[0].topics.length, 2);
        vm.assertEq(logs[0].topics[0], keccak256("Anchored(address,uint64,bytes32)"));
        vm.assertEq(logs[0].topics[1], bytes32(uint256(uint160(caller))));
        vm.assertEq(logs[0].data, abi.encode(size, root), "data");
    }

    function test_takesTheSameAgain() public {
        vm.recordLogs();
        anchors.anchor(keccak256("root"), 7);
        anchors.anchor(keccak256("root"), 7);
        vm.assertEq(vm.getRecordedLogs().length, 2);
    }

    function testFuzz_refusesASizeOfMoreThan64Bits(uint256 size) public {
        if (size <= type(uint64).max) size += 2 ** 64;
        (bool done,) =
            address(anchors).call(abi.encodeWithSelector(Anchors.anchor.selector, keccak256("root"), size));
        vm.assertTrue(!done, "taken");
    }

    function test_refusesCoins() public {
        vm.deal(address(this), 2);
        bytes memory data = abi.encodeCall(Anchors.anchor, (keccak256("root"), 7));
        (bool called,) = address(anchors).call{value: 1}(data);
        (bool sent,) = address(anchors).call{value: 1}("");
        vm.assertTrue(!called && !sent, "coins were taken");
    }
}
