// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Anchors
/// @notice Where operators of transparency logs write down what their trees were: whoever holds a block with an anchor
///         knows that its publisher had this root at this size by then, and can show it another one.
/// @dev An anchor is a log alone. The contract stores nothing, holds nothing, calls nobody and has no owner. It checks
///      nothing either: an anchor says who published it, and readers take only those of the publisher they expect.
contract Anchors {
    /// @notice A publisher wrote down a tree.
    /// @param publisher Who called, the only one who can emit under this name.
    /// @param size How many leaves the tree had.
    /// @param root The tree's hash, as RFC 6962 has it.
    event Anchored(address indexed publisher, uint64 size, bytes32 root);

    /// @notice Writes down a tree under the caller's name.
    /// @param root The tree's hash, as RFC 6962 has it.
    /// @param size How many leaves the tree has.
    function anchor(bytes32 root, uint64 size) external {
        emit Anchored(msg.sender, size, root);
    }
}
