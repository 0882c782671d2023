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
    /// @param gasUsed What each took, 4 bytes each.
    event BatchRun(bytes gasUsed);

    /// @notice Too little gas is left to give a call its own.
    /// @param index Its place in the batch.
    error NotEnoughGas(uint256 index);
    /// @notice A gap is not within its form.
    /// @param offset Where it begins.
    /// @param length How many bytes it has.
    error GapOutside(uint256 offset, uint256 length);
    /// @notice The bytes are those of more or fewer calls.
    /// @param count How many calls they are so far.
    error WrongCount(uint256 count);
    /// @notice The last call ends behind the bytes.
    /// @param missing How many bytes are missing.
    error BytesMissing(uint256 missing);

    /// @dev What this contract itself needs to make a call and to tell of it.
    uint256 private constant OWN_GAS = 15_000;
    uint256 private constant LONGEST_REASON = 256;

    /// @notice Makes the calls one after the other.
    /// @dev Calls of one form share its bytes, and bring only what differs. Written whole, each would cost 2,000 gas more.
    /// @param target Whom they call.
    /// @param count How many they are.
    /// @param calls Forms, each with its calls, one after the other. A number has 3 bytes. A form is how many calls
    ///        have it, of how many bytes they are, how many gaps these have, the bytes themselves, and of each gap its
    ///        offset and its length. A call is the most gas that it may take, and the bytes of its gaps.
    function run(address target, uint256 count, bytes calldata calls) external nonReentrant {
        // Each figure is written as a word, so the last one needs 28 bytes more.
        bytes memory gasUsed = new bytes(4 * count + 28);
        uint256 place;
        assembly ("memory-safe") {
            mstore(gasUsed, mul(4, count))
            place := calls.offset
        }
        uint256 end = place + calls.length;
        uint256 index;
        while (place < end) {
            uint256 last = index + _numberAt(place);
            if (last > count) revert WrongCount(last);
            place = _runForm(target, place + 3, index, last, gasUsed);
            index = last;
        }
        if (index != count) revert WrongCount(index);
        if (place != end) revert BytesMissing(place - end);
        emit BatchRun(gasUsed);
    }

    /// @dev Makes the calls of one form.
    /// @param place Where the form's second number stands in the call data of `run`.
    /// @param index The first call's place in the batch.
    /// @param last The place behind the last one's.
    /// @return The place behind the last call.
    function _runForm(address target, uint256 place, uint256 index, uint256 last, bytes memory gasUsed)
        private
        returns (uint256)
    {
        uint256 length = _numberAt(place);
        uint256 gaps = place + 6 + length;
        uint256 gapsEnd = gaps + 6 * _numberAt(place + 3);
        _checkGaps(gaps, gapsEnd, length);
        uint256 data = _copy(place + 6, length);
        place = gapsEnd;
        for (; index < last; ++index) {
            uint256 before = gasleft();
            uint256 limit = _numberAt(place);
            unchecked {
                place = _fill(data, gaps, gapsEnd, place + 3);
            }
            _requireGas(limit, index);
            if (!_call(target, limit, data, length)) emit CallFailed(index, _readReason());
            unchecked {
                _note(gasUsed, index, before - gasleft());
            }
        }
        return place;
    }

    function _checkGaps(uint256 gaps, uint256 gapsEnd, uint256 length) private pure {
        for (; gaps < gapsEnd; gaps += 6) {
            (uint256 from, uint256 size) = (_numberAt(gaps), _numberAt(gaps + 3));
            if (from + size > length) revert GapOutside(from, size);
        }
    }

    /// @dev Copies so many bytes from a place in the call data into memory that nothing else uses.
    function _copy(uint256 place, uint256 length) private pure returns (uint256 data) {
        assembly ("memory-safe") {
            data := mload(0x40)
            mstore(0x40, add(data, and(add(length, 0x1f), not(0x1f))))
            calldatacopy(data, place, length)
        }
    }

    /// @dev Writes a call's bytes into the gaps, all of which are within the form.
    /// @return The place behind them.
    function _fill(uint256 data, uint256 gaps, uint256 gapsEnd, uint256 place)
        private
        pure
        returns (uint256)
    {
        assembly ("memory-safe") {
            for {} lt(gaps, gapsEnd) { gaps := add(gaps, 6) } {
                let gap := calldataload(gaps)
                let size := and(shr(208, gap), 0xffffff)
                calldatacopy(add(data, shr(232, gap)), place, size)
                place := add(place, size)
            }
        }
        return place;
    }

    /// @dev A call is given at most 63 of 64 parts of what is left (EIP-150).
    function _requireGas(uint256 limit, uint256 index) private view {
        uint256 left = gasleft();
        unchecked {
            if (left - left / 64 < limit + OWN_GAS) revert NotEnoughGas(index);
        }
    }

    function _call(address target, uint256 limit, uint256 data, uint256 length) private returns (bool done) {
        assembly ("memory-safe") {
            done := call(limit, target, 0, data, length, 0, 0)
        }
    }

    function _note(bytes memory gasUsed, uint256 index, uint256 used) private pure {
        assembly ("memory-safe") {
            mstore(add(add(gasUsed, 0x20), mul(4, index)), shl(224, used))
        }
    }

    /// @dev What the last call was refused with, cut off: its length is the called one's to choose.
    function _readReason() private pure returns (bytes memory reason) {
        assembly ("memory-safe") {
            let length := returndatasize()
            if gt(length, LONGEST_REASON) { length := LONGEST_REASON }
            reason := mload(0x40)
            mstore(reason, length)
            returndatacopy(add(reason, 0x20), 0, length)
            mstore(0x40, add(reason, and(add(length, 0x3f), not(0x1f))))
        }
    }

    /// @dev The number of 3 bytes at a place in the call data.
    function _numberAt(uint256 place) private pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := shr(232, calldataload(place))
        }
    }
}
