// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IdentityRegistry} from "../dev/IdentityRegistry.sol";
import {ReputationRegistry} from "../dev/ReputationRegistry.sol";
import {Vm} from "./base/Vm.sol";
import {IERC721Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";

contract RegistriesTest {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    address private constant OWNER = address(0xA1);
    address private constant OPERATOR = address(0xA2);
    address private constant APPROVED = address(0xA3);
    address private constant CLIENT = address(0xC1);
    address private constant OUTSIDER = address(0xC2);
    string private constant URI = "https://agents.example/registration.json";
    string private constant FILE = "https://market.example/feedback.json";
    bytes32 private constant HASH = keccak256("feedback");

    IdentityRegistry private identities;
    ReputationRegistry private reputations;
    uint256 private agentId;

    function setUp() public {
        identities = new IdentityRegistry();
        reputations = new ReputationRegistry(identities);
        vm.prank(OUTSIDER);
        identities.register();
        vm.prank(OWNER);
        agentId = identities.register(URI);
    }

    function test_identityIsATokenOfWhoRegisteredIt() public view {
        vm.assertEq(agentId, 1);
        vm.assertEq(identities.ownerOf(agentId), OWNER);
        vm.assertEq(identities.tokenURI(agentId), URI);
        vm.assertEq(identities.getAgentWallet(agentId), OWNER);
        vm.assertEq(identities.tokenURI(0), "");
        vm.assertEq(reputations.getIdentityRegistry(), address(identities));
    }

    function test_registrationTellsOfItsEntries() public {
        IdentityRegistry.MetadataEntry[] memory entries = new IdentityRegistry.MetadataEntry[](1);
        entries[0] = IdentityRegistry.MetadataEntry("model", "seven");
        vm.expectEmit(address(identities));
        emit IdentityRegistry.Registered(2, URI, CLIENT);
        vm.expectEmit(address(identities));
        emit IdentityRegistry.MetadataSet(2, "agentWallet", "agentWallet", abi.encodePacked(CLIENT));
        vm.expectEmit(address(identities));
        emit IdentityRegistry.MetadataSet(2, "model", "model", "seven");
        vm.prank(CLIENT);
        identities.register(URI, entries);
        vm.assertEq(identities.getMetadata(2, "model"), "seven", "the entry");
    }

    function test_reservedKeyIsRefused() public {
        IdentityRegistry.MetadataEntry[] memory entries = new IdentityRegistry.MetadataEntry[](1);
        entries[0] = IdentityRegistry.MetadataEntry("agentWallet", abi.encodePacked(OUTSIDER));
        bytes memory refusal = abi.encodeWithSelector(IdentityRegistry.ReservedKey.selector, "agentWallet");
        vm.expectRevert(refusal);
        identities.register(URI, entries);
        vm.prank(OWNER);
        vm.expectRevert(refusal);
        identities.setMetadata(agentId, "agentWallet", abi.encodePacked(OUTSIDER));
        vm.assertEq(identities.getAgentWallet(agentId), OWNER);
    }

    function test_ownerAndOperatorsChangeTheAgentAndNobodyElse() public {
        allowOperators();
        address[3] memory allowed = [OWNER, OPERATOR, APPROVED];
        for (uint256 i = 0; i < allowed.length; ++i) {
            string memory uri = vm.toString(i);
            vm.expectEmit(address(identities));
            emit IdentityRegistry.URIUpdated(agentId, uri, allowed[i]);
            vm.prank(allowed[i]);
            identities.setAgentURI(agentId, uri);
            vm.assertEq(identities.tokenURI(agentId), uri);
        }
        bytes memory refusal =
            abi.encodeWithSelector(IERC721Errors.ERC721InsufficientApproval.selector, OUTSIDER, agentId);
        vm.prank(OUTSIDER);
        vm.expectRevert(refusal);
        identities.setAgentURI(agentId, URI);
        vm.prank(OUTSIDER);
        vm.expectRevert(refusal);
        identities.setMetadata(agentId, "model", "");
        vm.prank(OUTSIDER);
        vm.expectRevert(refusal);
        identities.unsetAgentWallet(agentId);
    }

    function test_transferForgetsTheAgentWallet() public {
        vm.prank(OWNER);
        identities.transferFrom(OWNER, CLIENT, agentId);
        vm.assertEq(identities.ownerOf(agentId), CLIENT);
        vm.assertEq(identities.getAgentWallet(agentId), address(0));
    }

    function test_feedbackIsCountedToldAndRead() public {
        for (uint64 index = 1; index <= 2; ++index) {
            vm.expectEmit(address(reputations));
            emit ReputationRegistry.NewFeedback(
                agentId, CLIENT, index, -32, 1, "starred", "starred", "swift", "", FILE, HASH
            );
            give(CLIENT, -32, 1);
            vm.assertEq(reputations.getLastIndex(agentId, CLIENT), index);
        }
        (int128 value, uint8 decimals, string memory tag1, string memory tag2, bool revoked) =
            reputations.readFeedback(agentId, CLIENT, 2);
        vm.assertTrue(value == -32 && decimals == 1 && !revoked, "what was given");
        vm.assertEq(tag1, "starred");
        vm.assertEq(tag2, "swift");
        vm.assertEq(reputations.getLastIndex(agentId, OUTSIDER), 0);
    }

    function test_ownerOperatorAndApprovedGiveNone() public {
        allowOperators();
        address[3] memory own = [OWNER, OPERATOR, APPROVED];
        for (uint256 i = 0; i < own.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(ReputationRegistry.SelfFeedback.selector, agentId, own[i]));
            give(own[i], 100, 0);
        }
    }

    function test_unknownAgentGetsNone() public {
        agentId = 7;
        vm.expectRevert(abi.encodeWithSelector(IERC721Errors.ERC721NonexistentToken.selector, 7));
        give(CLIENT, 100, 0);
    }

    function testFuzz_valuesOutOfRangeAreRefused(int128 value, uint8 decimals) public {
        bool fits = decimals <= 18 && value <= 1e38 && value >= -1e38;
        if (!fits) vm.expectRevert(abi.encodeWithSelector(ReputationRegistry.ValueOutOfRange.selector));
        give(CLIENT, value, decimals);
        vm.assertEq(reputations.getLastIndex(agentId, CLIENT), fits ? 1 : 0);
    }

    function test_clientRevokesItsOwnOnce() public {
        give(CLIENT, 100, 0);
        expectUnknown(OUTSIDER, 1);
        expectUnknown(CLIENT, 0);
        expectUnknown(CLIENT, 2);
        vm.expectEmit(address(reputations));
        emit ReputationRegistry.FeedbackRevoked(agentId, CLIENT, 1);
        vm.prank(CLIENT);
        reputations.revokeFeedback(agentId, 1);
        (,,,, bool revoked) = reputations.readFeedback(agentId, CLIENT, 1);
        vm.assertTrue(revoked, "it still stands");
        vm.prank(CLIENT);
        vm.expectRevert(
            abi.encodeWithSelector(ReputationRegistry.AlreadyRevoked.selector, agentId, CLIENT, 1)
        );
        reputations.revokeFeedback(agentId, 1);
    }

    function allowOperators() private {
        vm.prank(OWNER);
        identities.setApprovalForAll(OPERATOR, true);
        vm.prank(OWNER);
        identities.approve(APPROVED, agentId);
    }

    function give(address client, int128 value, uint8 decimals) private {
        vm.prank(client);
        reputations.giveFeedback(agentId, value, decimals, "starred", "swift", "", FILE, HASH);
    }

    function expectUnknown(address client, uint64 index) private {
        vm.prank(client);
        vm.expectRevert(
            abi.encodeWithSelector(ReputationRegistry.UnknownFeedback.selector, agentId, client, index)
        );
        reputations.revokeFeedback(agentId, index);
    }
}
