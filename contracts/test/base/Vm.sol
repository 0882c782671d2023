// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice The cheatcodes of forge that these tests use.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function addr(uint256 privateKey) external pure returns (address);
    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function signP256(uint256 privateKey, bytes32 digest) external pure returns (bytes32 r, bytes32 s);
    function publicKeyP256(uint256 privateKey) external pure returns (uint256 x, uint256 y);
    function warp(uint256 timestamp) external;
    function etch(address account, bytes calldata code) external;
    function deal(address account, uint256 balance) external;
    function chainId(uint256 id) external;
    function prank(address sender) external;
    function readFile(string calldata path) external view returns (string memory);
    function envOr(string calldata name, string calldata otherwise) external view returns (string memory);
    function writeLine(string calldata path, string calldata line) external;
    function split(string calldata text, string calldata delimiter) external pure returns (string[] memory);
    function parseBytes(string calldata text) external pure returns (bytes memory);
    function parseBytes32(string calldata text) external pure returns (bytes32);
    function toString(uint256 value) external pure returns (string memory);
    function label(address account, string calldata name) external;
    function expectRevert() external;
    function expectRevert(bytes calldata data) external;
    function expectEmit(address emitter) external;
    function expectCall(address callee, bytes calldata data) external;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory logs);
    function assertEq(uint256 actual, uint256 expected) external pure;
    function assertEq(uint256 actual, uint256 expected, string calldata what) external pure;
    function assertEq(address actual, address expected) external pure;
    function assertEq(bytes32 actual, bytes32 expected) external pure;
    function assertEq(bytes32 actual, bytes32 expected, string calldata what) external pure;
    function assertEq(string calldata actual, string calldata expected) external pure;
    function assertEq(bytes calldata actual, bytes calldata expected, string calldata what) external pure;
    function assertTrue(bool condition, string calldata what) external pure;
    function snapshotGasLastCall(string calldata group, string calldata name) external returns (uint256 gas);
}
