// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @title Batch
/// @notice Makes calls of one contract in one transaction. Each gets its own gas and fails alone.
/// @dev It holds nothing, may do nothing that others may not, and has no owner. Whom it calls sees this contract as the
///      caller. A call cannot take another's gas: before each, what is left must give the call all of its own, or all
///      is undone. So whoever sends enough for all knows that a call which failed had what it was given.
contract Batch is ReentrancyGuardTransient {
    /// @notice A call did nothing.
    /// @param index Its place in the batch.
    /// @param reason What it was refused with, of which at most 256 bytes.
    event CallFailed(uint256 index, bytes reason);
    /// @notice All calls were made. Nobody else emits of this contract in between, as it is not entered twice.
    /// @param gasUsed What each took, eight to a word of 32 bits each, the first at the lowest bits.
    event BatchRun(uint256[] gasUsed);

    /// @notice Too little gas is left to give a call its own.
    /// @param index Its place in the batch.
    error NotEnoughGas(uint256 index);
    /// @notice There are bytes after the last call.
    /// @param offset Where they begin.
    error BytesLeft(uint256 offset);

    /// @dev What this contract itself needs to make a call and to tell of it.
    uint256 private constant OWN_GAS = 15_000;
    uint256 private constant LONGEST_REASON = 256;

    /// @notice Makes the calls one after the other.
    /// @param target Whom they call.
    /// @param count How many they are.
    /// @param calls Of each, without gaps: the most gas that it may take (3 bytes), how many bytes it is (3 bytes), and
    ///        these. The words of an array would cost 500 gas more for each.
    function run(address target, uint256 count, bytes calldata calls) external nonReentrant {
        uint256[] memory gasUsed = new uint256[]((count + 7) / 8);
        uint256 offset = 0;
        for (uint256 index = 0; index < count; ++index) {
            uint256 before = gasleft();
            uint256 limit = uint24(bytes3(calls[offset:offset + 3]));
            uint256 end = offset + 6 + uint24(bytes3(calls[offset + 3:offset + 6]));
            uint256 available = before < OWN_GAS ? 0 : before - OWN_GAS;
            // A call is given at most 63 of 64 parts of what is left (EIP-150).
            if (available - available / 64 < limit) revert NotEnoughGas(index);
            (bool done, bytes memory reason) = _call(target, limit, calls[offset + 6:end]);
            offset = end;
            if (!done) emit CallFailed(index, reason);
            gasUsed[index / 8] |= (before - gasleft()) << (32 * (index % 8));
        }
        if (offset != calls.length) revert BytesLeft(offset);
        emit BatchRun(gasUsed);
    }

    /// @dev Of what the call returns nothing is copied, and of its reason only so much: their lengths are the called one's
    ///      to choose.
    function _call(address target, uint256 limit, bytes calldata data)
        private
        returns (bool done, bytes memory reason)
    {
        assembly ("memory-safe") {
            let free := mload(0x40)
            calldatacopy(free, data.offset, data.length)
            done := call(limit, target, 0, free, data.length, 0, 0)
            if iszero(done) {
                let length := returndatasize()
                if gt(length, LONGEST_REASON) { length := LONGEST_REASON }
                mstore(free, length)
                returndatacopy(add(free, 0x20), 0, length)
                mstore(0x40, add(free, and(add(length, 0x3f), not(0x1f))))
                reason := free
            }
        }
    }
}
