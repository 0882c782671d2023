// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Anchors
/// @notice Records the trees of transparency logs. A block with an anchor proves that the publisher had this root at
///         this size by then.
/// @dev An anchor is only an event. The contract stores nothing, holds nothing, calls nobody, checks nothing and has
///      no owner. An anchor names its publisher, and readers accept only the publisher they expect.
contract Anchors {
    /// @notice A publisher recorded a tree.
    /// @param publisher The caller. Nobody else can emit an event with this publisher.
    /// @param size The number of leaves of the tree.
    /// @param root The tree's hash, as RFC 6962 has it.
    event Anchored(address indexed publisher, uint64 size, bytes32 root);

    /// @notice Records a tree with the caller as its publisher.
    /// @param root The tree's hash, as RFC 6962 has it.
    /// @param size The number of leaves of the tree.
    function anchor(bytes32 root, uint64 size) external {
        emit Anchored(msg.sender, size, root);
    }
}
