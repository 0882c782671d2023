// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestUSD} from "../../dev/TestUSD.sol";
import {Escrow} from "../../src/Escrow.sol";
import {Acts} from "./Acts.sol";
import {Books} from "./Books.sol";
import {Cases} from "./Cases.sol";
import {Coverage} from "./Coverage.sol";
import {Rules} from "./Rules.sol";
import {TypedData} from "./TypedData.sol";

/// @notice Random users of one escrow contract: every entry point, allowed and other callers, valid and other
///         signatures, and passing time. `Rules` predicts the answer of each call, so a wrong success fails as a wrong
///         refusal does, and no function here may revert.
contract Handler is Acts {
    Rules.Act[10] private _acts = [
        Rules.Act.RecordDelivery,
        Rules.Act.Release,
        Rules.Act.Refund,
        Rules.Act.Dispute,
        Rules.Act.DecideDispute,
        Rules.Act.SettleDispute,
        Rules.Act.RecordPart,
        Rules.Act.ReleasePart,
        Rules.Act.UseVoucher,
        Rules.Act.Close
    ];

    constructor(Escrow escrow, TestUSD usd, uint256 start) Coverage(Cases.all()) Books(escrow, usd, start) {
        newDeal(0);
    }

    // Functions for the fuzzer, besides the payments

    function recordDelivery(uint256 seed) external {
        call(Rules.Act.RecordDelivery, openStatus(seed), seed);
    }

    function release(uint256 seed) external {
        call(Rules.Act.Release, Escrow.Status.Funded, seed);
    }

    function refund(uint256 seed) external {
        call(Rules.Act.Refund, Escrow.Status.Funded, seed);
    }

    function dispute(uint256 seed) external {
        call(Rules.Act.Dispute, Escrow.Status.Funded, seed);
    }

    function decideDispute(uint256 seed) external {
        call(Rules.Act.DecideDispute, Escrow.Status.Disputed, seed);
    }

    function settleDispute(uint256 seed) external {
        bool decided = roll(seed, "decided", 2) == 0;
        call(Rules.Act.SettleDispute, decided ? Escrow.Status.Decided : Escrow.Status.Disputed, seed);
    }

    function recordDeliveryWithSignature(uint256 seed) external {
        relay(Rules.Act.RecordDelivery, openStatus(seed), seed);
    }

    function releaseWithSignature(uint256 seed) external {
        relay(Rules.Act.Release, Escrow.Status.Funded, seed);
    }

    function refundWithSignature(uint256 seed) external {
        relay(Rules.Act.Refund, Escrow.Status.Funded, seed);
    }

    function disputeWithSignature(uint256 seed) external {
        relay(Rules.Act.Dispute, Escrow.Status.Funded, seed);
    }

    function decideDisputeWithSignature(uint256 seed) external {
        relay(Rules.Act.DecideDispute, Escrow.Status.Disputed, seed);
    }

    function recordPart(uint256 seed) external {
        call(Rules.Act.RecordPart, openStatus(seed), seed);
    }

    function recordPartWithSignature(uint256 seed) external {
        relay(Rules.Act.RecordPart, openStatus(seed), seed);
    }

    /// @notice Mostly an escrow with a recorded part.
    function releasePart(uint256 seed) external {
        uint256 index = find(seed, openStatus(seed));
        for (uint256 i = 0; i < deals.length && !hasAccepted(deals[index]); i++) {
            index = (index + 1) % deals.length;
        }
        make(index, newCall(deals[index], Rules.Act.ReleasePart, seed));
    }

    function useVoucher(uint256 seed) external {
        call(Rules.Act.UseVoucher, moneyStatus(seed), seed);
    }

    function useVoucherWithSignature(uint256 seed) external {
        relay(Rules.Act.UseVoucher, moneyStatus(seed), seed);
    }

    function close(uint256 seed) external {
        relay(Rules.Act.Close, moneyStatus(seed), seed);
    }

    function passTime(uint256 seed) external {
        warp(time + roll(seed, "seconds", 3 hours));
    }

    /// @notice Advances the time to the last second of an escrow's window, or to the second before or after it.
    function passTimeToBorder(uint256 seed) external {
        uint256 start = roll(seed, "whose border", deals.length);
        for (uint256 i = 0; i < deals.length; i++) {
            Rules.Deal memory deal = deals[(start + i) % deals.length];
            uint256 to = borderOf(deal) + roll(seed, "side", 3) - 1;
            if (Rules.isEnded(deal) || to <= time || to > time + 2 days) continue;
            warp(to);
            return meet("time at a window's border");
        }
    }

    /// @notice Tries every entry on an ended escrow: the contract must refuse all of them.
    function tryEnded(uint256 seed) external {
        uint256 start = roll(seed, "ended", deals.length);
        for (uint256 i = 0; i < deals.length; i++) {
            Rules.Deal memory deal = deals[(start + i) % deals.length];
            if (!Rules.isEnded(deal)) continue;
            tryEvery(deal, seed);
            bytes memory refusal = Rules.refusalOfCreation(deal, time);
            address caller = deal.terms.buyer;
            ask(caller, abi.encodeCall(Escrow.createEscrow, (deal.terms)), refusal);
            ask(caller, abi.encodeCall(Escrow.createEscrowFromDeposit, (deal.terms)), refusal);
            bytes memory data = abi.encodeCall(
                Escrow.createEscrowWithAuthorization,
                (deal.terms, caller, 0, time + 1, bytes32(seed), new bytes(65))
            );
            ask(caller, data, refusal);
            data = abi.encodeCall(
                Escrow.createEscrowWithReceiveAuthorization, (deal.terms, caller, time + 1, new bytes(65))
            );
            ask(caller, data, refusal);
            checkMoney(deal);
            return meet("every entry tried on an ended escrow");
        }
    }

    /// @notice Tries every entry with one altered term: this escrow does not exist.
    function tryAlteredTerms(uint256 seed) external {
        uint256 index = find(seed, Escrow.Status.Funded);
        Rules.Deal memory deal = deals[index];
        if (!Rules.holdsMoney(deal)) return;
        Rules.Deal memory altered;
        altered.terms = alter(deals[index].terms, seed);
        altered.id = TypedData.idOf(address(ESCROW), altered.terms);
        tryEvery(altered, seed);
        // The signatures that are valid for the unaltered terms are tried too.
        for (uint256 i = 0; i < _acts.length; i++) {
            if (!isSigned(_acts[i])) continue;
            Attempt memory attempt = newSigned(deal, _acts[i], seed);
            ask(attempt.caller, encode(altered.terms, attempt), foretell(altered, attempt));
        }
        checkState(deal);
        checkMoney(deal);
        meet("every entry tried with altered terms");
    }

    /// @notice Repeats a call whose signature was used.
    function useSignatureAgain(uint256 seed) external {
        if (used.length == 0) return;
        tryUsed(used[roll(seed, "used", used.length)], anybody(seed, "person").account);
    }

    // The end of a run

    /// @notice Ends every escrow by an outsider and by time alone, whatever the token blocks. Then the token stops
    ///         blocking, and everything is paid. Every used signature is tried again.
    function finish() external {
        // Later than the sum of the longest windows.
        warp(time + 4 * uint256(type(uint32).max));
        Attempt memory attempt;
        attempt.caller = people[8].account;
        for (uint256 i = 0; i < deals.length; i++) {
            Rules.Deal memory deal = deals[i];
            if (!Rules.holdsMoney(deal)) continue;
            attempt.act = Rules.Act.SettleDispute;
            if (deal.status == Escrow.Status.Funded) {
                attempt.act = deal.deliveredAt > 0 ? Rules.Act.Release : Rules.Act.Refund;
            }
            make(i, attempt);
            vm.assertTrue(Rules.isEnded(deals[i]), "an escrow cannot end");
        }
        for (uint256 i = 0; i < used.length; i++) {
            tryUsed(used[i], people[8].account);
        }
        unblockAll();
        for (uint256 i = 0; i < people.length; i++) {
            if (debts[address(blocking)][people[i].account] == 0) continue;
            withdrawTo(address(blocking), people[i].account, people[8].account);
        }
        for (uint256 i = 0; i < deals.length; i++) {
            returnEverything(deals[i]);
        }
        for (uint256 i = 0; i < tokens.length; i++) {
            address token = address(tokens[i]);
            vm.assertEq(balanceOf(token, address(ESCROW)), strayed[token], "money is trapped");
        }
    }

    // Inside

    function call(Rules.Act act, Escrow.Status status, uint256 seed) private {
        uint256 index = findOrCreate(seed, status);
        make(index, newCall(deals[index], act, seed));
    }

    function relay(Rules.Act act, Escrow.Status status, uint256 seed) private {
        uint256 index = findOrCreate(seed, status);
        make(index, newSigned(deals[index], act, seed));
    }

    /// @dev Mostly funds an escrow if none is funded.
    function findOrCreate(uint256 seed, Escrow.Status status) private returns (uint256 index) {
        index = find(seed, status);
        if (status != Escrow.Status.Funded || Rules.holdsMoney(deals[index])) return index;
        index = newDeal(seed);
        payByAllowance(index, seed);
    }

    function openStatus(uint256 seed) private pure returns (Escrow.Status) {
        return roll(seed, "disputed", 3) == 0 ? Escrow.Status.Disputed : Escrow.Status.Funded;
    }

    function moneyStatus(uint256 seed) private pure returns (Escrow.Status) {
        return roll(seed, "decided", 4) == 0 ? Escrow.Status.Decided : openStatus(seed);
    }

    function isSigned(Rules.Act act) private pure returns (bool) {
        return act != Rules.Act.SettleDispute && act != Rules.Act.ReleasePart;
    }

    function hasAccepted(Rules.Deal memory deal) private view returns (bool) {
        bool open = deal.status == Escrow.Status.Funded || deal.status == Escrow.Status.Disputed;
        return open && Rules.accepted(deal, time) > deal.paid;
    }

    /// @dev Tries every act on a deal, by the party that may make it. The contract must refuse all of them.
    function tryEvery(Rules.Deal memory deal, uint256 seed) private {
        for (uint256 i = 0; i < _acts.length; i++) {
            for (uint256 signed = 0; signed < 2; signed++) {
                if (signed == 1 ? !isSigned(_acts[i]) : _acts[i] == Rules.Act.Close) continue;
                Attempt memory attempt =
                    signed == 1 ? newSigned(deal, _acts[i], seed) : newCall(deal, _acts[i], seed);
                bytes memory refusal = foretell(deal, attempt);
                vm.assertEq(bytes32(bytes4(refusal)), bytes32(Escrow.WrongStatus.selector), "not ended");
                ask(attempt.caller, encode(deal.terms, attempt), refusal);
            }
        }
    }

    function alter(Escrow.Terms memory terms, uint256 seed) private view returns (Escrow.Terms memory) {
        uint256 term = roll(seed, "term", 11);
        address other = people[8].account;
        if (term == 0) terms.buyer = other;
        if (term == 1) terms.provider = other;
        if (term == 2) terms.token = other;
        if (term == 3) terms.amount ^= 1;
        if (term == 4) terms.fundBy ^= 1;
        if (term == 5) terms.deliveryWindow ^= 1;
        if (term == 6) terms.acceptanceWindow ^= 1;
        if (term == 7) terms.disputeWindow ^= 1;
        if (term == 8) terms.appealWindow ^= 1;
        if (term == 9) terms.arbiter = other;
        if (term == 10) terms.orderHash ^= bytes32(uint256(1) << 255);
        return terms;
    }

    /// @dev The last second of the window that a deal waits for.
    function borderOf(Rules.Deal memory deal) private pure returns (uint256) {
        if (deal.status == Escrow.Status.None) return deal.terms.fundBy;
        if (deal.status == Escrow.Status.Disputed) return deal.disputedAt + deal.terms.disputeWindow;
        if (deal.status == Escrow.Status.Decided) return deal.decidedAt + deal.terms.appealWindow;
        if (deal.deliveredAt > 0) return deal.deliveredAt + deal.terms.acceptanceWindow;
        uint256 count = deal.claimTimes.length;
        if (count > 0) return deal.claimTimes[count - 1] + deal.terms.acceptanceWindow;
        return deal.fundedAt + deal.terms.deliveryWindow;
    }

    function returnEverything(Rules.Deal memory deal) private {
        for (uint256 i = 0; i < tokens.length; i++) {
            address token = address(tokens[i]);
            if (holdings[token][deal.deposit] > 0) returnFrom(deal, token, people[8].account);
            vm.assertEq(balanceOf(token, deal.deposit), 0, "a deposit is trapped");
        }
        if (coins[deal.deposit] > 0) returnFrom(deal, address(0), people[8].account);
    }

    function unblockAll() private {
        blocking.setBlocked(address(ESCROW), false);
        for (uint256 i = 0; i < people.length; i++) {
            blocking.setBlocked(people[i].account, false);
        }
    }

    function warp(uint256 to) private {
        time = to;
        vm.warp(to);
    }
}
