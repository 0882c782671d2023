// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721URIStorage} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721URIStorage.sol";

/// @title Identity Registry
/// @notice The ERC-8004 registry of agents for local chains and tests: the interface of the standard without
///         setAgentWallet. It has no owner and no upgrade.
contract IdentityRegistry is ERC721URIStorage {
    struct MetadataEntry {
        string metadataKey;
        bytes metadataValue;
    }

    bytes32 private constant AGENT_WALLET = keccak256("agentWallet");

    uint256 private _nextAgentId;
    mapping(uint256 agentId => mapping(string metadataKey => bytes)) private _metadata;

    event Registered(uint256 indexed agentId, string agentURI, address indexed owner);
    event MetadataSet(
        uint256 indexed agentId, string indexed indexedMetadataKey, string metadataKey, bytes metadataValue
    );
    event URIUpdated(uint256 indexed agentId, string newURI, address indexed updatedBy);

    /// @notice Only the registry itself sets this key.
    error ReservedKey(string metadataKey);

    /// @notice Sets the name and the symbol of the tokens.
    constructor() ERC721("AgentIdentity", "AGENT") {}

    /// @notice Registers an agent without a registration file.
    function register() external returns (uint256 agentId) {
        return _register("", new MetadataEntry[](0));
    }

    /// @notice Registers an agent with its registration file.
    function register(string calldata agentURI) external returns (uint256 agentId) {
        return _register(agentURI, new MetadataEntry[](0));
    }

    /// @notice Registers an agent with its registration file and further entries.
    function register(string calldata agentURI, MetadataEntry[] calldata metadata)
        external
        returns (uint256 agentId)
    {
        return _register(agentURI, metadata);
    }

    /// @notice Sets another registration file.
    function setAgentURI(uint256 agentId, string calldata newURI) external {
        _checkAuthorized(_requireOwned(agentId), msg.sender, agentId);
        _setTokenURI(agentId, newURI);
        emit URIUpdated(agentId, newURI, msg.sender);
    }

    /// @notice Sets an entry of the agent.
    function setMetadata(uint256 agentId, string calldata metadataKey, bytes calldata metadataValue)
        external
    {
        _checkAuthorized(_requireOwned(agentId), msg.sender, agentId);
        _refuseReserved(metadataKey);
        _setMetadata(agentId, metadataKey, metadataValue);
    }

    /// @notice Removes the agent's wallet.
    function unsetAgentWallet(uint256 agentId) external {
        _checkAuthorized(_requireOwned(agentId), msg.sender, agentId);
        _setMetadata(agentId, "agentWallet", "");
    }

    /// @notice An entry of the agent; empty if there is none.
    function getMetadata(uint256 agentId, string calldata metadataKey) external view returns (bytes memory) {
        return _metadata[agentId][metadataKey];
    }

    /// @notice The wallet that is paid: the address that registered the agent, until a transfer.
    function getAgentWallet(uint256 agentId) external view returns (address) {
        return address(bytes20(_metadata[agentId]["agentWallet"]));
    }

    function _register(string memory agentURI, MetadataEntry[] memory metadata)
        private
        returns (uint256 agentId)
    {
        agentId = _nextAgentId++;
        _mint(msg.sender, agentId);
        _setTokenURI(agentId, agentURI);
        emit Registered(agentId, agentURI, msg.sender);
        _setMetadata(agentId, "agentWallet", abi.encodePacked(msg.sender));
        for (uint256 i = 0; i < metadata.length; ++i) {
            _refuseReserved(metadata[i].metadataKey);
            _setMetadata(agentId, metadata[i].metadataKey, metadata[i].metadataValue);
        }
    }

    function _setMetadata(uint256 agentId, string memory metadataKey, bytes memory metadataValue) private {
        _metadata[agentId][metadataKey] = metadataValue;
        emit MetadataSet(agentId, metadataKey, metadataKey, metadataValue);
    }

    /// @dev A transfer removes the wallet, so that the new owner sets it again.
    function _update(address to, uint256 tokenId, address auth) internal override returns (address from) {
        from = super._update(to, tokenId, auth);
        if (from != address(0)) _setMetadata(tokenId, "agentWallet", "");
    }

    function _refuseReserved(string memory metadataKey) private pure {
        if (keccak256(bytes(metadataKey)) == AGENT_WALLET) revert ReservedKey(metadataKey);
    }
}
