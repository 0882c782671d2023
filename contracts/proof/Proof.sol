// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {svm, vm} from "./Halmos.sol";
import {either, eq, implies, le, lt, ne} from "./Logic.sol";
import {AnyToken, AnyWallet} from "./Tokens.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";

/// @notice The start of every proof: the contract with any content of its storage, at any time.
/// @dev A proof takes one step from any state that `isReachable` allows. Each step leads to such a state again
///      (`proveStep`), so what holds for each step holds for every history, however long.
abstract contract Proof {
    /// @dev An escrow's terms as the words of a call, including dirty bits.
    struct Words {
        uint256 buyer;
        uint256 provider;
        uint256 token;
        uint256 amount;
        uint256 fundBy;
        uint256 deliveryWindow;
        uint256 acceptanceWindow;
        uint256 disputeWindow;
        uint256 appealWindow;
        uint256 arbiter;
        uint256 orderHash;
    }

    /// @dev The stored part of an escrow: the whole slot and its fields.
    struct Stored {
        uint256 slot;
        uint256 decision;
        uint256 parts;
        uint8 status;
        uint256 deliveryCount;
        uint256 fundedAt;
        uint256 deliveredAt;
        uint256 disputedAt;
        uint256 depositDeployed;
        uint256 hasParts;
        uint256 claimCount;
        uint256 providerAmount;
        uint256 decidedAt;
        uint256 paid;
        uint256 earned;
    }

    uint8 internal constant NONE = 0;
    uint8 internal constant FUNDED = 1;
    uint8 internal constant DISPUTED = 2;
    uint8 internal constant DECIDED = 3;
    uint8 internal constant RELEASED = 4;
    uint8 internal constant REFUNDED = 5;
    uint8 internal constant SPLIT = 6;

    /// @dev Seconds: 4.4 million years.
    uint256 internal constant END_OF_TIME = 2 ** 47;

    Escrow internal escrow;
    AnyToken internal token;
    AnyWallet internal wallet;

    function setUp() public virtual {
        escrow = new Escrow();
        token = new AnyToken();
        wallet = new AnyWallet();
        svm.enableSymbolicStorage(address(escrow));
    }

    // Calls

    /// @dev The terms, which are the first arguments of every call that changes an escrow.
    function wordsOf(bytes memory data) internal pure returns (Words memory words) {
        assembly ("memory-safe") {
            mcopy(words, add(data, 0x24), 0x160)
        }
    }

    function hasTerms(bytes memory data) internal pure returns (bool) {
        return data.length >= 4 + 0x160 && bytes4(data) != Escrow.withdraw.selector;
    }

    function wordAt(bytes memory data, uint256 index) internal pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(add(add(data, 0x24), mul(index, 0x20)))
        }
    }

    function callAt(uint256 time, address caller, bytes memory data)
        internal
        returns (bool ok, bytes memory answer)
    {
        vm.warp(time);
        vm.prank(caller);
        return address(escrow).call(data);
    }

    function idOf(Words memory words) internal view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, address(escrow), words));
    }

    function depositOf(Words memory words) internal view returns (address) {
        return
            Clones.predictDeterministicAddress(escrow.DEPOSIT_IMPLEMENTATION(), idOf(words), address(escrow));
    }

    function usesDeposit(bytes4 entry) internal pure returns (bool) {
        return entry == Escrow.returnDeposit.selector || entry == Escrow.createEscrowFromDeposit.selector
            || entry == Escrow.createEscrowWithAuthorization.selector;
    }

    /// @dev With or without code at the deposit address. With code if the state says so.
    function anyDeposit(Words memory words, Stored memory it) internal {
        if (svm.createUint256("deployed") == 1) {
            vm.assume(it.depositDeployed == 1 || it.status != NONE);
            deploy(words);
        } else {
            vm.assume(it.depositDeployed == 0);
        }
    }

    /// @dev Deploys a deposit address as the escrow contract does.
    function deploy(Words memory words) internal returns (address) {
        address implementation = escrow.DEPOSIT_IMPLEMENTATION();
        vm.prank(address(escrow));
        return Clones.cloneDeterministic(implementation, idOf(words));
    }

    // State

    /// @dev The slots of `forge inspect Escrow storageLayout`: `_escrows` at 2, `_decisions` at 3, `_parts` at 5, `_claims`
    ///      at 6.
    function stored(bytes32 id) internal view returns (Stored memory it) {
        it.slot = uint256(vm.load(address(escrow), keccak256(abi.encode(id, uint256(2)))));
        it.decision = uint256(vm.load(address(escrow), keccak256(abi.encode(id, uint256(3)))));
        it.parts = uint256(vm.load(address(escrow), keccak256(abi.encode(id, uint256(5)))));
        it.status = uint8(it.slot);
        it.deliveryCount = uint32(it.slot >> 8);
        it.fundedAt = uint48(it.slot >> 40);
        it.deliveredAt = uint48(it.slot >> 88);
        it.disputedAt = uint48(it.slot >> 136);
        it.depositDeployed = uint8(it.slot >> 184);
        it.hasParts = uint8(it.slot >> 192);
        it.claimCount = it.slot >> 200;
        it.providerAmount = uint128(it.decision);
        it.decidedAt = it.decision >> 128;
        it.paid = uint128(it.parts);
        it.earned = it.parts >> 128;
    }

    /// @dev A recorded part of an escrow: the whole slot.
    function claimAt(bytes32 id, uint256 index) internal view returns (uint256) {
        unchecked {
            return uint256(
                vm.load(address(escrow), bytes32(uint256(keccak256(abi.encode(id, uint256(6)))) + index))
            );
        }
    }

    function isClean(Words memory words) internal pure returns (uint256) {
        return eq(
            words.buyer >> 160 | words.provider >> 160 | words.token >> 160 | words.arbiter >> 160
                | words.amount >> 128 | words.fundBy >> 48 | words.deliveryWindow >> 32
                | words.acceptanceWindow >> 32 | words.disputeWindow >> 32 | words.appealWindow >> 32,
            0
        );
    }

    /// @dev The conditions of a creation for terms, which stay true.
    function isSound(Words memory words) internal view returns (uint256) {
        uint256 self = uint160(address(escrow));
        return isClean(words) & ne(words.buyer, 0) & ne(words.provider, 0) & ne(words.token, 0)
            & ne(words.amount, 0) & ne(words.buyer, words.provider) & ne(words.buyer, self)
            & ne(words.provider, self) & ne(words.arbiter, words.buyer) & ne(words.arbiter, words.provider);
    }

    /// @dev The invariants of every escrow that any history of calls can reach by `time`.
    function isReachable(Stored memory it, Words memory words, uint256 time) internal view returns (uint256) {
        uint256 empty = eq(it.slot << 72, 0) & eq(it.decision, 0) & eq(it.slot >> 192 | it.parts, 0);
        unchecked {
            uint256 funding =
                isSound(words) & ne(it.fundedAt, 0) & le(it.fundedAt, time) & le(it.fundedAt, words.fundBy);
            uint256 delivery = implies(
                ne(it.deliveredAt, 0),
                ne(it.deliveryCount, 0) & le(it.fundedAt, it.deliveredAt) & le(it.deliveredAt, time)
                    & le(it.deliveredAt, it.fundedAt + words.deliveryWindow)
            );
            uint256 dispute =
                implies(ne(it.disputedAt, 0), le(it.fundedAt, it.disputedAt) & le(it.disputedAt, time));
            uint256 decision = implies(eq(it.decidedAt, 0), eq(it.decision, 0))
                & implies(
                    ne(it.decidedAt, 0),
                    ne(it.disputedAt, 0) & le(it.disputedAt, it.decidedAt) & le(it.decidedAt, time)
                        & le(it.decidedAt, it.disputedAt + words.disputeWindow)
                ) & le(it.providerAmount, words.amount);
            uint256 dates = implies(eq(it.status, FUNDED), eq(it.disputedAt, 0))
                & implies(eq(it.status, DISPUTED), ne(it.disputedAt, 0) & eq(it.decidedAt, 0))
                & implies(eq(it.status, DECIDED), ne(it.decidedAt, 0));
            return lt(it.depositDeployed, 2) & le(it.status, SPLIT)
                & either(
                eq(it.status, NONE),
                empty,
                funding & delivery & dispute & decision & dates & areSumsSound(it, words)
                    & paysVouchersOnly(it, words)
            );
        }
    }

    /// @dev What is paid is claimed, and what is claimed is held. An open escrow waits for more than is paid.
    function areSumsSound(Stored memory it, Words memory words) private pure returns (uint256) {
        uint256 open = lt(it.status, RELEASED);
        return lt(it.hasParts, 2) & le(it.claimCount, 64)
            & either(
            eq(it.hasParts, 1),
            ne(it.earned, 0) & le(it.paid, it.earned) & le(it.earned, words.amount)
                & implies(open, ne(it.paid, words.amount))
                & implies(open & ne(it.deliveredAt, 0), ne(it.paid, it.earned)),
            eq(it.parts | it.claimCount, 0) & eq(eq(it.deliveryCount, 0), eq(it.deliveredAt, 0))
        );
    }

    /// @dev An escrow that vouchers alone pay has no record and no dispute, and nothing is claimed that is not paid.
    function paysVouchersOnly(Stored memory it, Words memory words) private pure returns (uint256) {
        uint256 records = it.deliveryCount | it.deliveredAt | it.disputedAt | it.claimCount;
        return implies(eq(words.acceptanceWindow, type(uint32).max), eq(records, 0) & eq(it.paid, it.earned));
    }

    /// @dev The provider's claims in all.
    function claimedOf(Stored memory it, Words memory words) internal pure returns (uint256) {
        return either(eq(it.hasParts, 1), it.earned, either(ne(it.deliveredAt, 0), words.amount, 0));
    }

    /// @dev A recorded part was recorded in the time to deliver, and claims no more than all parts.
    function isClaimSound(uint256 claim, Stored memory it, Words memory words, uint256 time)
        internal
        pure
        returns (uint256)
    {
        uint256 time_ = recordedAt(claim);
        unchecked {
            return le(it.fundedAt, time_) & le(time_, time) & le(time_, it.fundedAt + words.deliveryWindow)
                & le(uint128(claim), it.earned) & ne(uint128(claim), 0);
        }
    }

    function recordedAt(uint256 claim) internal pure returns (uint256) {
        return uint48(claim >> 128);
    }

    /// @dev Whether the escrow has no part: neither the flag of one nor a claim.
    function hasNoParts(Stored memory it) internal pure returns (bool) {
        return it.slot >> 192 == 0;
    }

    function isOpen(uint8 status) internal pure returns (bool) {
        return status == FUNDED || status == DISPUTED || status == DECIDED;
    }

    function isEnded(uint8 status) internal pure returns (bool) {
        return status >= RELEASED;
    }

    /// @dev Any call to any function of the contract, with any arguments.
    function anyCall() internal pure returns (bytes memory data) {
        return svm.createCalldata("Escrow");
    }

    /// @dev Any call to a function that makes no parts.
    function anyCallWithoutParts() internal pure returns (bytes memory data) {
        data = anyCall();
        vm.assume(!makesParts(bytes4(data)));
    }

    function makesParts(bytes4 entry) internal pure returns (bool) {
        return entry == Escrow.recordPart.selector || entry == Escrow.recordPartWithSignature.selector
            || entry == Escrow.releasePart.selector || entry == Escrow.useVoucher.selector
            || entry == Escrow.close.selector;
    }

    function anyTime() internal pure returns (uint256 time) {
        time = svm.createUint256("time");
        vm.assume(time != 0 && time < END_OF_TIME);
    }
}
