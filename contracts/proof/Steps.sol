// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {vm} from "./Halmos.sol";
import {eq} from "./Logic.sol";
import {Proof} from "./Proof.sol";
import {setToken} from "./Tokens.sol";

/// @notice The changes of the storage that one call can make.
contract StepsProof is Proof {
    /// @notice Without parts, a call changes its escrow's status only as documented, for the documented caller and time; an ended escrow never changes.
    function proveStep(address caller) external {
        uint256 time = anyTime();
        bytes memory data = anyCallWithoutParts();
        vm.assume(hasTerms(data));
        setToken(data, address(token));
        Words memory words = wordsOf(data);
        bytes32 id = idOf(words);
        Stored memory old = stored(id);
        vm.assume(hasNoParts(old));
        if (usesDeposit(bytes4(data))) anyDeposit(words, old);

        (bool ok,) = callAt(time, caller, data);
        if (!ok) return;
        // An assumption about the state before. At this place it adds fewer paths.
        vm.assume(isReachable(old, words, time) == 1);

        Stored memory now_ = stored(id);
        assert(isReachable(now_, words, time) == 1 && now_.parts == old.parts && hasNoParts(now_));
        bytes4 entry = bytes4(data);
        if (now_.status == old.status) assert(keeps(entry, caller, time, words, old, now_));
        else if (old.status == NONE) assert(creates(entry, time, words, old, now_));
        else if (old.status == FUNDED) assert(leavesFunded(entry, caller, time, words, old, now_));
        else if (old.status == DISPUTED) assert(leavesDisputed(entry, caller, time, words, old, now_));
        else assert(leavesDecided(entry, time, words, old, now_));
    }

    /// @notice A call changes no other escrow, and adds debts only to its own two parties.
    /// @custom:halmos --loop 3
    function proveOthersUntouched(address caller, bytes32 other, uint8 index, address payee, address coin)
        external
    {
        uint256 time = anyTime();
        bytes memory data = anyCall();
        setToken(data, address(token));
        if (hasTerms(data)) {
            Words memory words = wordsOf(data);
            vm.assume(other != idOf(words) && index < 64 && stored(idOf(words)).claimCount <= 2);
            uint256 party = eq(uint160(payee), words.buyer) | eq(uint160(payee), words.provider);
            vm.assume(eq(uint160(coin), uint160(address(token))) & party == 0);
        } else {
            uint256 party = eq(uint160(payee), wordAt(data, 1));
            vm.assume(data.length >= 0x44 && eq(uint160(coin), uint160(address(token))) & party == 0);
        }
        Stored memory old = stored(other);
        uint256 claim = claimAt(other, index);
        uint256 owed = escrow.owed(payee, coin);

        (bool ok,) = callAt(time, caller, data);
        if (!ok) return;

        Stored memory now_ = stored(other);
        uint256 kept = eq(now_.slot, old.slot) & eq(now_.decision, old.decision) & eq(now_.parts, old.parts);
        assert((kept & eq(claimAt(other, index), claim) & eq(escrow.owed(payee, coin), owed)) == 1);
    }

    /// @notice Terms whose words have dirty bits never become an escrow.
    function proveDirtyTerms(address caller) external {
        bytes memory data = anyCall();
        vm.assume(hasTerms(data));
        setToken(data, address(token));
        Words memory words = wordsOf(data);
        vm.assume(isClean(words) == 0 && stored(idOf(words)).status == NONE);
        callAt(anyTime(), caller, data);
        assert(stored(idOf(words)).status == NONE);
    }

    /// @dev The status stays: a delivery record, the flag that the deposit address has its code, or no change.
    function keeps(
        bytes4 entry,
        address caller,
        uint256 time,
        Words memory words,
        Stored memory old,
        Stored memory now_
    ) private pure returns (bool) {
        if (now_.decision != old.decision) return false;
        if (now_.slot == old.slot) return entry == Escrow.returnDeposit.selector;
        if (old.status == NONE) return entry == Escrow.returnDeposit.selector && now_.slot == 1 << 184;
        if (old.status != FUNDED && old.status != DISPUTED) return false;
        if (entry == Escrow.recordDelivery.selector) {
            if (uint160(caller) != words.provider) return false;
        } else if (entry != Escrow.recordDeliveryWithSignature.selector) {
            return false;
        }
        if (time > old.fundedAt + words.deliveryWindow) return false;
        uint256 date = old.deliveredAt == 0 ? time << 88 : 0;
        return now_.slot == old.slot + (1 << 8) + date;
    }

    function creates(bytes4 entry, uint256 time, Words memory words, Stored memory old, Stored memory now_)
        private
        view
        returns (bool)
    {
        return (entry == Escrow.createEscrow.selector
                || entry == Escrow.createEscrowWithAuthorization.selector
                || entry == Escrow.createEscrowWithReceiveAuthorization.selector
                || entry == Escrow.createEscrowFromDeposit.selector) && time <= words.fundBy
            && isSound(words) == 1 && now_.slot == old.slot + FUNDED + (time << 40) && now_.decision == 0;
    }

    function leavesFunded(
        bytes4 entry,
        address caller,
        uint256 time,
        Words memory words,
        Stored memory old,
        Stored memory now_
    ) private pure returns (bool) {
        if (now_.decision != old.decision) return false;
        bool byBuyer = uint160(caller) == words.buyer;
        bool byProvider = uint160(caller) == words.provider;
        if (now_.status == RELEASED) {
            bool due = old.deliveredAt != 0 && time >= old.deliveredAt + words.acceptanceWindow;
            return now_.slot == old.slot + (RELEASED - FUNDED)
                && (entry == Escrow.releaseWithSignature.selector
                    || (entry == Escrow.release.selector && (byBuyer || due)));
        }
        if (now_.status == REFUNDED) {
            bool due = old.deliveredAt == 0 && time > old.fundedAt + words.deliveryWindow;
            return now_.slot == old.slot + (REFUNDED - FUNDED)
                && (entry == Escrow.refundWithSignature.selector
                    || (entry == Escrow.refund.selector && (byProvider || due)));
        }
        return now_.slot == old.slot + (DISPUTED - FUNDED) + (time << 136)
            && (entry == Escrow.disputeWithSignature.selector
                || (entry == Escrow.dispute.selector && (byBuyer || byProvider)));
    }

    function leavesDisputed(
        bytes4 entry,
        address caller,
        uint256 time,
        Words memory words,
        Stored memory old,
        Stored memory now_
    ) private pure returns (bool) {
        bool open = time <= old.disputedAt + words.disputeWindow;
        if (now_.status == DECIDED) {
            return now_.slot == old.slot + (DECIDED - DISPUTED) && open && now_.decidedAt == time
                && (entry == Escrow.decideDisputeWithSignature.selector
                    || (entry == Escrow.decideDispute.selector && uint160(caller) == words.arbiter));
        }
        if (now_.decision != old.decision || open || entry != Escrow.settleDispute.selector) return false;
        if (now_.status == RELEASED) {
            return now_.slot == old.slot + (RELEASED - DISPUTED) && old.deliveredAt != 0;
        }
        return now_.slot == old.slot + (REFUNDED - DISPUTED) && old.deliveredAt == 0
            && time > old.fundedAt + words.deliveryWindow;
    }

    function leavesDecided(
        bytes4 entry,
        uint256 time,
        Words memory words,
        Stored memory old,
        Stored memory now_
    ) private pure returns (bool) {
        if (now_.decision != old.decision || entry != Escrow.settleDispute.selector) {
            return false;
        }
        if (time < old.decidedAt + words.appealWindow) return false;
        uint8 ending = SPLIT;
        if (old.providerAmount == words.amount) ending = RELEASED;
        else if (old.providerAmount == 0) ending = REFUNDED;
        return now_.slot == old.slot + (ending - DECIDED);
    }
}
