import { toEventSelector, toFunctionSelector } from "viem";
import { expect, test } from "vitest";
import { identityRegistryAbi, reputationRegistryAbi } from "../../abis/registries.ts";

// The standard's own text: wallets' calls and indexers' filters are made from it.
const functions = [
  "function ownerOf(uint256 tokenId) view returns (address)",
  "function getApproved(uint256 tokenId) view returns (address)",
  "function isApprovedForAll(address owner, address operator) view returns (bool)",
  "function tokenURI(uint256 tokenId) view returns (string)",
  "function register(string agentURI) returns (uint256 agentId)",
  "function register() returns (uint256 agentId)",
  "function setAgentURI(uint256 agentId, string newURI)",
  "function getMetadata(uint256 agentId, string metadataKey) view returns (bytes)",
  "function setMetadata(uint256 agentId, string metadataKey, bytes metadataValue)",
  "function getAgentWallet(uint256 agentId) view returns (address)",
  "function unsetAgentWallet(uint256 agentId)",
  "function getIdentityRegistry() view returns (address identityRegistry)",
  "function giveFeedback(uint256 agentId, int128 value, uint8 valueDecimals, string tag1, string tag2, string endpoint, string feedbackURI, bytes32 feedbackHash)",
  "function revokeFeedback(uint256 agentId, uint64 feedbackIndex)",
  "function readFeedback(uint256 agentId, address clientAddress, uint64 feedbackIndex) view returns (int128 value, uint8 valueDecimals, string tag1, string tag2, bool isRevoked)",
  "function getLastIndex(uint256 agentId, address clientAddress) view returns (uint64)",
];
const events = [
  "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
  "event Registered(uint256 indexed agentId, string agentURI, address indexed owner)",
  "event MetadataSet(uint256 indexed agentId, string indexed indexedMetadataKey, string metadataKey, bytes metadataValue)",
  "event URIUpdated(uint256 indexed agentId, string newURI, address indexed updatedBy)",
  "event NewFeedback(uint256 indexed agentId, address indexed clientAddress, uint64 feedbackIndex, int128 value, uint8 valueDecimals, string indexed indexedTag1, string tag1, string tag2, string endpoint, string feedbackURI, bytes32 feedbackHash)",
  "event FeedbackRevoked(uint256 indexed agentId, address indexed clientAddress, uint64 indexed feedbackIndex)",
];
const entries = [...identityRegistryAbi, ...reputationRegistryAbi];

test.each(functions)("the registries have the standard's %s", (signature) => {
  const ours = entries.filter((entry) => entry.type === "function").map((entry) => toFunctionSelector(entry));
  expect(ours).toContain(toFunctionSelector(signature));
});

test.each(events)("the registries emit the standard's %s", (signature) => {
  const found = entries.find(
    (entry) => entry.type === "event" && toEventSelector(entry) === toEventSelector(signature),
  );
  const indexed = found?.type === "event" ? found.inputs.map((input) => input.indexed) : [];
  const params = signature.slice(signature.indexOf("(") + 1, -1).split(", ");
  expect(indexed).toEqual(params.map((param) => param.includes(" indexed ")));
});
