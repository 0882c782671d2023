// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestUSD} from "../../dev/TestUSD.sol";
import {Anchors} from "../../src/Anchors.sol";
import {Escrow} from "../../src/Escrow.sol";
import {IPasskeyAccountFactory} from "./IPasskeyAccount.sol";
import {TypedData} from "./TypedData.sol";
import {Vm} from "./Vm.sol";

/// @notice The start of every test: an escrow contract, a token, the parties and their signatures.
/// @dev Times are counted from START and never read from `block.timestamp`, which the compiler may read only once in a
///      function, before a warp.
abstract contract EscrowTest {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    uint48 internal constant START = 1_750_000_000;
    uint48 internal constant FUND_BY = START + 1 hours;
    uint32 internal constant DELIVERY_WINDOW = 1 days;
    uint32 internal constant ACCEPTANCE_WINDOW = 3 days;
    uint32 internal constant DISPUTE_WINDOW = 7 days;
    uint32 internal constant APPEAL_WINDOW = 2 days;
    uint256 internal constant DEADLINE = START + 365 days;
    /// @dev A time after 2106, which 32 bits cannot hold.
    uint48 internal constant FAR = 2 ** 32 + 1 days;

    uint256 internal constant BUYER_KEY = 0xb1;
    uint256 internal constant PROVIDER_KEY = 0xb2;
    uint256 internal constant ARBITER_KEY = 0xb3;
    uint256 internal constant OUTSIDER_KEY = 0xb4;

    bytes32 internal constant OUTPUT = keccak256("output");
    bytes32 internal constant REASON = keccak256("reason");
    bytes32 internal constant RULING = keccak256("ruling");

    address internal buyer = vm.addr(BUYER_KEY);
    address internal provider = vm.addr(PROVIDER_KEY);
    address internal arbiter = vm.addr(ARBITER_KEY);
    address internal outsider = vm.addr(OUTSIDER_KEY);

    Escrow internal escrow;
    TestUSD internal token;
    Anchors internal anchors;
    IPasskeyAccountFactory internal accounts;

    function setUp() public virtual {
        vm.warp(START);
        deployContracts();
        vm.label(buyer, "buyer");
        vm.label(provider, "provider");
        vm.label(arbiter, "arbiter");
        vm.label(outsider, "outsider");
    }

    /// @dev Deploys the bytes of abis/bytecode.ts, which are the deployed ones. A build of the tests has other bytes.
    function deployContracts() private {
        string[] memory quoted = vm.split(vm.readFile("abis/bytecode.ts"), "\"");
        string memory sources = string.concat(
            vm.readFile("contracts/src/Deposit.sol"),
            vm.readFile("contracts/src/Escrow.sol"),
            vm.readFile("contracts/dev/SignedToken.sol"),
            vm.readFile("contracts/dev/TestUSD.sol"),
            vm.readFile("contracts/src/Anchors.sol"),
            vm.readFile("contracts/src/PasskeyAccount.sol"),
            vm.readFile("contracts/src/PasskeyAccountFactory.sol")
        );
        vm.assertEq(
            sha256(bytes(sources)),
            vm.parseBytes32(quoted[1]),
            "contracts/ changed: run node scripts/generate/abis.ts"
        );
        escrow = Escrow(deploy(vm.parseBytes(quoted[3])));
        token = TestUSD(deploy(vm.parseBytes(quoted[5])));
        anchors = Anchors(deploy(vm.parseBytes(quoted[7])));
        accounts = newFactory();
    }

    /// @dev A factory of passkey accounts, each time at another address.
    function newFactory() internal returns (IPasskeyAccountFactory) {
        string[] memory quoted = vm.split(vm.readFile("abis/bytecode.ts"), "\"");
        return IPasskeyAccountFactory(deploy(vm.parseBytes(quoted[9])));
    }

    function deploy(bytes memory code) private returns (address deployed) {
        assembly ("memory-safe") {
            deployed := create(0, add(code, 0x20), mload(code))
        }
    }

    // Terms

    function newTerms(uint128 amount) internal view returns (Escrow.Terms memory) {
        return Escrow.Terms({
            buyer: buyer,
            provider: provider,
            token: address(token),
            amount: amount == 0 ? 1 : amount,
            fundBy: FUND_BY,
            deliveryWindow: DELIVERY_WINDOW,
            acceptanceWindow: ACCEPTANCE_WINDOW,
            disputeWindow: DISPUTE_WINDOW,
            appealWindow: APPEAL_WINDOW,
            arbiter: arbiter,
            orderHash: keccak256("order")
        });
    }

    // Ways into a state

    /// @dev Gives the payer the amount and the escrow contract the allowance.
    function prepare(Escrow.Terms memory terms, address payer) internal {
        TestUSD(terms.token).mint(payer, terms.amount);
        vm.prank(payer);
        TestUSD(terms.token).approve(address(escrow), terms.amount);
    }

    function fund(Escrow.Terms memory terms) internal returns (bytes32 escrowId) {
        prepare(terms, buyer);
        vm.prank(buyer);
        return escrow.createEscrow(terms);
    }

    function newFunded(uint128 amount) internal returns (Escrow.Terms memory terms, bytes32 escrowId) {
        terms = newTerms(amount);
        escrowId = fund(terms);
    }

    function newDelivered(uint128 amount) internal returns (Escrow.Terms memory terms, bytes32 escrowId) {
        (terms, escrowId) = newFunded(amount);
        recordDelivery(terms);
    }

    function newDisputed(uint128 amount) internal returns (Escrow.Terms memory terms, bytes32 escrowId) {
        (terms, escrowId) = newFunded(amount);
        dispute(terms);
    }

    function recordDelivery(Escrow.Terms memory terms) internal {
        vm.prank(terms.provider);
        escrow.recordDelivery(terms, OUTPUT);
    }

    function dispute(Escrow.Terms memory terms) internal {
        vm.prank(terms.buyer);
        escrow.dispute(terms, REASON);
    }

    function decide(Escrow.Terms memory terms, uint256 providerAmount) internal {
        vm.prank(terms.arbiter);
        escrow.decideDispute(terms, providerAmount, RULING);
    }

    // Signatures

    function sign(uint256 key, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    function digestOf(address contract_, string memory name, bytes32 message)
        internal
        view
        returns (bytes32)
    {
        return TypedData.digestOf(contract_, name, message);
    }

    function deliveryDigest(bytes32 escrowId, bytes32 outputHash, uint32 number, uint256 deadline)
        internal
        view
        returns (bytes32)
    {
        return TypedData.recordDelivery(address(escrow), escrowId, outputHash, number, deadline);
    }

    function releaseDigest(bytes32 escrowId, uint256 deadline) internal view returns (bytes32) {
        return TypedData.release(address(escrow), escrowId, deadline);
    }

    function refundDigest(bytes32 escrowId, uint256 deadline) internal view returns (bytes32) {
        return TypedData.refund(address(escrow), escrowId, deadline);
    }

    function disputeDigest(bytes32 escrowId, bytes32 reasonHash, uint256 deadline)
        internal
        view
        returns (bytes32)
    {
        return TypedData.dispute(address(escrow), escrowId, reasonHash, deadline);
    }

    function decisionDigest(bytes32 escrowId, uint256 providerAmount, bytes32 rulingHash, uint256 deadline)
        internal
        view
        returns (bytes32)
    {
        return TypedData.decideDispute(address(escrow), escrowId, providerAmount, rulingHash, deadline);
    }

    /// @dev The digest of an EIP-3009 transfer to the terms' deposit address, good until `fundBy`.
    function authorizationDigest(Escrow.Terms memory terms, address from, bytes32 nonce)
        internal
        view
        returns (bytes32)
    {
        address deposit = escrow.depositAddressOf(terms);
        uint256 validBefore = uint256(terms.fundBy) + 1;
        return
            TypedData.transferWithAuthorization(terms.token, from, deposit, terms.amount, validBefore, nonce);
    }

    /// @dev The digest of an EIP-3009 receipt by the escrow contract for the terms, good until `fundBy`.
    function receiptDigest(Escrow.Terms memory terms, address from) internal view returns (bytes32) {
        return TypedData.receiveWithAuthorization(
            terms.token,
            from,
            address(escrow),
            terms.amount,
            uint256(terms.fundBy) + 1,
            TypedData.idOf(address(escrow), terms)
        );
    }

    // Expectations

    function expectError(bytes4 selector, uint256 first, uint256 second) internal {
        vm.expectRevert(abi.encodeWithSelector(selector, first, second));
    }

    function expectError(bytes4 selector, address first, address second) internal {
        vm.expectRevert(abi.encodeWithSelector(selector, first, second));
    }

    function expectError(bytes4 selector, address first) internal {
        vm.expectRevert(abi.encodeWithSelector(selector, first));
    }

    function expectInvalidSignature(address signer, bytes32 digest) internal {
        vm.expectRevert(abi.encodeWithSelector(Escrow.InvalidSignature.selector, signer, digest));
    }

    function expectNotParty(address caller) internal {
        vm.expectRevert(abi.encodeWithSelector(Escrow.NotParty.selector, caller, buyer, provider));
    }

    function expectWrongStatus(Escrow.Status status, Escrow.Status expected) internal {
        vm.expectRevert(abi.encodeWithSelector(Escrow.WrongStatus.selector, status, expected));
    }

    /// @dev Checks that the calls since `vm.recordLogs` emitted exactly these events, one 32-byte topic each, in this order.
    function checkEvents(bytes memory expected) internal {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        bytes memory emitted;
        for (uint256 i = 0; i < logs.length; i++) {
            emitted = abi.encodePacked(emitted, logs[i].topics[0]);
        }
        vm.assertEq(emitted, expected, "events");
    }

    function checkStatus(bytes32 escrowId, Escrow.Status expected) internal view {
        vm.assertEq(uint256(escrow.getEscrow(escrowId).status), uint256(expected), "status");
    }

    function checkBalance(address account, uint256 expected) internal view {
        vm.assertEq(token.balanceOf(account), expected, "balance");
    }
}
