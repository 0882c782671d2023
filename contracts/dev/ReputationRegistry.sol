// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC721} from "@openzeppelin/contracts/token/ERC721/IERC721.sol";

/// @title Reputation Registry
/// @notice The ERC-8004 registry of feedback for local chains and tests: the functions of the standard that give,
///         revoke and read single feedback.
contract ReputationRegistry {
    struct Feedback {
        int128 value;
        uint8 valueDecimals;
        bool isRevoked;
        string tag1;
        string tag2;
    }

    uint8 private constant MOST_DECIMALS = 18;
    int128 private constant LARGEST_VALUE = 1e38;

    IERC721 private immutable IDENTITY_REGISTRY;

    mapping(uint256 agentId => mapping(address clientAddress => Feedback[])) private _feedback;

    event NewFeedback(
        uint256 indexed agentId,
        address indexed clientAddress,
        uint64 feedbackIndex,
        int128 value,
        uint8 valueDecimals,
        string indexed indexedTag1,
        string tag1,
        string tag2,
        string endpoint,
        string feedbackURI,
        bytes32 feedbackHash
    );
    event FeedbackRevoked(
        uint256 indexed agentId, address indexed clientAddress, uint64 indexed feedbackIndex
    );

    /// @notice The value has too many decimals, or is too far from zero.
    error ValueOutOfRange();
    /// @notice The owner of an agent cannot give it feedback.
    error SelfFeedback(uint256 agentId, address clientAddress);
    /// @notice The client has given the agent no such feedback.
    error UnknownFeedback(uint256 agentId, address clientAddress, uint64 feedbackIndex);
    error AlreadyRevoked(uint256 agentId, address clientAddress, uint64 feedbackIndex);

    /// @param identityRegistry The registry of the agents.
    constructor(IERC721 identityRegistry) {
        IDENTITY_REGISTRY = identityRegistry;
    }

    /// @notice Gives an agent feedback by the caller. `feedbackHash` is the keccak256 of the file at `feedbackURI`.
    function giveFeedback(
        uint256 agentId,
        int128 value,
        uint8 valueDecimals,
        string memory tag1,
        string memory tag2,
        string memory endpoint,
        string memory feedbackURI,
        bytes32 feedbackHash
    ) external {
        _refuseSelfFeedback(agentId);
        emit NewFeedback(
            agentId,
            msg.sender,
            _keep(agentId, Feedback(value, valueDecimals, false, tag1, tag2)),
            value,
            valueDecimals,
            tag1,
            tag1,
            tag2,
            endpoint,
            feedbackURI,
            feedbackHash
        );
    }

    /// @notice Revokes feedback of the caller.
    function revokeFeedback(uint256 agentId, uint64 feedbackIndex) external {
        Feedback storage given = _find(agentId, msg.sender, feedbackIndex);
        if (given.isRevoked) revert AlreadyRevoked(agentId, msg.sender, feedbackIndex);
        given.isRevoked = true;
        emit FeedbackRevoked(agentId, msg.sender, feedbackIndex);
    }

    /// @notice The registry of the agents.
    function getIdentityRegistry() external view returns (address) {
        return address(IDENTITY_REGISTRY);
    }

    /// @notice The index of the client's newest feedback for the agent; 0 if there is none.
    function getLastIndex(uint256 agentId, address clientAddress) external view returns (uint64) {
        return uint64(_feedback[agentId][clientAddress].length);
    }

    /// @notice One feedback; `feedbackIndex` counts from 1.
    function readFeedback(uint256 agentId, address clientAddress, uint64 feedbackIndex)
        external
        view
        returns (int128 value, uint8 valueDecimals, string memory tag1, string memory tag2, bool isRevoked)
    {
        Feedback storage given = _find(agentId, clientAddress, feedbackIndex);
        return (given.value, given.valueDecimals, given.tag1, given.tag2, given.isRevoked);
    }

    function _keep(uint256 agentId, Feedback memory feedback) private returns (uint64 feedbackIndex) {
        int128 value = feedback.value;
        if (feedback.valueDecimals > MOST_DECIMALS || value > LARGEST_VALUE || value < -LARGEST_VALUE) {
            revert ValueOutOfRange();
        }
        Feedback[] storage given = _feedback[agentId][msg.sender];
        given.push(feedback);
        return uint64(given.length);
    }

    function _find(uint256 agentId, address clientAddress, uint64 feedbackIndex)
        private
        view
        returns (Feedback storage)
    {
        Feedback[] storage given = _feedback[agentId][clientAddress];
        if (feedbackIndex == 0 || feedbackIndex > given.length) {
            revert UnknownFeedback(agentId, clientAddress, feedbackIndex);
        }
        return given[feedbackIndex - 1];
    }

    /// @dev Reverts for an agent that does not exist, too.
    function _refuseSelfFeedback(uint256 agentId) private view {
        address owner = IDENTITY_REGISTRY.ownerOf(agentId);
        if (
            msg.sender == owner || msg.sender == IDENTITY_REGISTRY.getApproved(agentId)
                || IDENTITY_REGISTRY.isApprovedForAll(owner, msg.sender)
        ) revert SelfFeedback(agentId, msg.sender);
    }
}
