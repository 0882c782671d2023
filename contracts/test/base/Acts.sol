// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../../src/Escrow.sol";
import {Payments} from "./Payments.sol";
import {Rules} from "./Rules.sol";
import {TypedData} from "./TypedData.sol";

/// @notice Acts on an escrow by call and by signature: draws them, predicts the answer, makes the call, and records it.
abstract contract Acts is Payments {
    struct Attempt {
        Rules.Act act;
        address caller;
        bytes32 content; // the output's, reason's or ruling's hash
        uint256 share; // of the provider, in a decision, a part, a voucher or a close
        bool isFinal; // of a part
        bool bySignature;
        address signer; // whose signature it is said to be
        uint256 deadline;
        bool genuine;
        bytes signature;
        bool secondGenuine; // the provider's signature of a close
        bytes second;
    }

    /// @dev Calls whose signature was used and has no deadline.
    bytes[] internal used;

    // Drawing acts

    function newCall(Rules.Deal memory deal, Rules.Act act, uint256 seed)
        internal
        view
        returns (Attempt memory attempt)
    {
        attempt.act = act;
        attempt.caller = mostly(rightful(deal, act, seed), seed);
        // Else few escrows would live to see another end.
        bool soon = endsSoon(act);
        if (soon && roll(seed, "later", 3) != 0) attempt.caller = anybody(seed, "person").account;
        attempt.content = keccak256(abi.encode(seed));
        attempt.share = newShare(deal, act, seed);
        attempt.isFinal = roll(seed, "final", attempt.share == deal.paid ? 2 : 5) == 0;
        attempt.deadline = type(uint256).max;
    }

    function endsSoon(Rules.Act act) private pure returns (bool) {
        return act == Rules.Act.Release || act == Rules.Act.Refund || act == Rules.Act.Close;
    }

    /// @dev Mostly the required signature. Otherwise a signature by another account, of another escrow or other content,
    ///      an altered one, or an expired one.
    function newSigned(Rules.Deal memory deal, Rules.Act act, uint256 seed)
        internal
        view
        returns (Attempt memory attempt)
    {
        attempt = newCall(deal, act, seed);
        attempt.bySignature = true;
        attempt.signer = rightful(deal, act, seed);
        // Only a dispute says whose signature it is.
        if (act == Rules.Act.Dispute) attempt.signer = mostly(attempt.signer, seed);
        attempt.caller = anybody(seed, "person").account;
        // For ever, or to this very second.
        bool voucher = act == Rules.Act.UseVoucher;
        if (!voucher && roll(seed, "deadline", 2) == 0) attempt.deadline = time;

        uint256 flaw = roll(seed, "flaw", endsSoon(act) ? 7 : 12);
        // A voucher has no deadline.
        if (voucher && (flaw == 0 || flaw == 3)) flaw = 6;
        if (flaw == 0) attempt.deadline = time - 1;
        Person memory hand = flaw == 1 ? anybody(seed, "another") : personAt(attempt.signer);
        attempt.genuine = hand.account == attempt.signer && (flaw < 2 || flaw > 5);
        bytes32 id = deal.id;
        if (flaw == 2) deal.id = keccak256(abi.encode(id));
        if (flaw == 3) attempt.deadline ^= 1;
        attempt.signature = sign(hand, digestOf(deal, attempt));
        if (flaw == 3) attempt.deadline ^= 1;
        if (flaw == 4) attempt.signature[roll(seed, "byte", 64)] ^= 0x01;
        if (flaw == 5) malleate(attempt.signature);
        if (act == Rules.Act.Close) {
            Person memory other = flaw == 6 ? anybody(seed, "second") : personAt(deal.terms.provider);
            attempt.secondGenuine = other.account == deal.terms.provider && flaw != 2 && flaw != 3;
            attempt.second = sign(other, digestOf(deal, attempt));
        }
        deal.id = id;
    }

    /// @dev The party that may make the act; either party if both may.
    function rightful(Rules.Deal memory deal, Rules.Act act, uint256 seed) internal pure returns (address) {
        if (act == Rules.Act.DecideDispute) return deal.terms.arbiter;
        if (act == Rules.Act.UseVoucher || act == Rules.Act.Close) return deal.terms.buyer;
        bool buyers = act == Rules.Act.Release || (act == Rules.Act.Dispute && roll(seed, "party", 2) == 0);
        return buyers ? deal.terms.buyer : deal.terms.provider;
    }

    // Making calls

    /// @dev The expected answer of the contract; empty if the act must succeed.
    function foretell(Rules.Deal memory deal, Attempt memory attempt) internal view returns (bytes memory) {
        bool voucher = attempt.act == Rules.Act.UseVoucher;
        bool byBuyer = voucher && attempt.caller == deal.terms.buyer;
        if (byBuyer || (!voucher && !attempt.bySignature)) {
            return
                Rules.refusalOfCall(deal, attempt.act, attempt.caller, attempt.share, attempt.isFinal, time);
        }
        // A voucher that another sends, or both parties' signatures of a close.
        bool close = attempt.act == Rules.Act.Close;
        bool firstBad = !attempt.genuine;
        return Rules.refusalOfSignature(
            deal,
            attempt.act,
            close && !firstBad ? deal.terms.provider : voucher || close ? deal.terms.buyer : attempt.signer,
            attempt.share,
            attempt.isFinal,
            time,
            attempt.deadline,
            digestOf(deal, attempt),
            attempt.genuine && (!close || attempt.secondGenuine)
        );
    }

    function make(uint256 index, Attempt memory attempt) internal {
        Rules.Deal memory deal = deals[index];
        Rules.Deal memory before = deals[index];
        address token = deal.terms.token;
        bytes memory refusal = foretell(deal, attempt);
        bytes memory data = encode(deal.terms, attempt);
        uint256 ofBuyer = balanceOf(token, deal.terms.buyer);
        uint256 ofProvider = balanceOf(token, deal.terms.provider);
        if (!ask(attempt.caller, data, refusal)) {
            meetRefusal(refusal);
            return;
        }

        pay(
            deal,
            attempt,
            balanceOf(token, deal.terms.buyer) - ofBuyer,
            balanceOf(token, deal.terms.provider) - ofProvider
        );
        checkState(deal);
        checkMoney(deal);
        deals[index] = deal;
        if (attempt.bySignature) {
            tryUsed(data, attempt.caller);
            if (attempt.deadline == type(uint256).max) used.push(data);
        }
        meetAct(before, deal, attempt);
    }

    /// @dev Records what an act changes and pays: the payees, and the amounts that stay owed if the token refuses.
    function pay(Rules.Deal memory deal, Attempt memory attempt, uint256 gotBuyer, uint256 gotProvider)
        private
    {
        Escrow.Terms memory terms = deal.terms;
        bool byProvider = attempt.bySignature || attempt.caller == terms.provider;
        (uint256 toProvider, uint256 toBuyer) =
            Rules.perform(deal, attempt.act, attempt.share, attempt.isFinal, byProvider, time);
        inEscrow[terms.token] -= toProvider + toBuyer;
        uint256 owedToProvider = payOne(terms.token, terms.provider, toProvider);
        uint256 owedToBuyer = payOne(terms.token, terms.buyer, toBuyer);
        vm.assertEq(gotProvider + owedToProvider, toProvider, "the provider's part");
        vm.assertEq(gotBuyer + owedToBuyer, toBuyer, "the buyer's part");
        deal.paidToProvider += gotProvider;
        deal.paidToBuyer += gotBuyer;
        deal.owedToProvider += owedToProvider;
        deal.owedToBuyer += owedToBuyer;
    }

    function payOne(address token, address payee, uint256 amount) private returns (uint256 deferred) {
        if (!refuses(token, address(ESCROW), payee)) {
            move(token, address(ESCROW), payee, amount);
            return 0;
        }
        debts[token][payee] += amount;
        indebted[token] += amount;
        return amount;
    }

    /// @dev Repeats a call whose signature was used and has not expired.
    function tryUsed(bytes memory data, address caller) internal {
        vm.prank(caller);
        (bool done, bytes memory answer) = address(ESCROW).call(data);
        vm.assertTrue(!done, "a signature served twice");
        bytes4 selector = bytes4(answer);
        bool becauseItServed = selector == Escrow.WrongStatus.selector
            || selector == Escrow.InvalidSignature.selector
            || selector == Escrow.ProviderAmountTooLow.selector;
        vm.assertTrue(becauseItServed, "refused for another cause");
        meet("a used signature tried again");
    }

    // Encoding

    function encode(Escrow.Terms memory terms, Attempt memory attempt) internal pure returns (bytes memory) {
        Rules.Act act = attempt.act;
        bytes32 content = attempt.content;
        if (attempt.bySignature) return encodeSigned(terms, attempt);
        if (act == Rules.Act.RecordDelivery) return abi.encodeCall(Escrow.recordDelivery, (terms, content));
        if (act == Rules.Act.Release) return abi.encodeCall(Escrow.release, (terms));
        if (act == Rules.Act.Refund) return abi.encodeCall(Escrow.refund, (terms));
        if (act == Rules.Act.Dispute) return abi.encodeCall(Escrow.dispute, (terms, content));
        if (act == Rules.Act.SettleDispute) return abi.encodeCall(Escrow.settleDispute, (terms));
        if (act == Rules.Act.ReleasePart) return abi.encodeCall(Escrow.releasePart, (terms));
        if (act == Rules.Act.RecordPart) {
            return abi.encodeCall(Escrow.recordPart, (terms, attempt.share, content, attempt.isFinal));
        }
        if (act == Rules.Act.UseVoucher) {
            return abi.encodeCall(Escrow.useVoucher, (terms, attempt.share, content, ""));
        }
        return abi.encodeCall(Escrow.decideDispute, (terms, attempt.share, content));
    }

    function encodeSigned(Escrow.Terms memory terms, Attempt memory attempt)
        private
        pure
        returns (bytes memory)
    {
        Rules.Act act = attempt.act;
        bytes32 content = attempt.content;
        uint256 deadline = attempt.deadline;
        bytes memory signature = attempt.signature;
        if (act == Rules.Act.RecordDelivery) {
            return abi.encodeCall(Escrow.recordDeliveryWithSignature, (terms, content, deadline, signature));
        }
        if (act == Rules.Act.RecordPart) {
            return abi.encodeCall(
                Escrow.recordPartWithSignature,
                (terms, attempt.share, content, attempt.isFinal, deadline, signature)
            );
        }
        if (act == Rules.Act.UseVoucher) {
            return abi.encodeCall(Escrow.useVoucher, (terms, attempt.share, content, signature));
        }
        if (act == Rules.Act.Close) {
            return abi.encodeCall(Escrow.close, (terms, attempt.share, deadline, signature, attempt.second));
        }
        if (act == Rules.Act.Release) {
            return abi.encodeCall(Escrow.releaseWithSignature, (terms, deadline, signature));
        }
        if (act == Rules.Act.Refund) {
            return abi.encodeCall(Escrow.refundWithSignature, (terms, deadline, signature));
        }
        if (act == Rules.Act.Dispute) {
            return abi.encodeCall(
                Escrow.disputeWithSignature, (terms, attempt.signer, content, deadline, signature)
            );
        }
        return abi.encodeCall(
            Escrow.decideDisputeWithSignature, (terms, attempt.share, content, deadline, signature)
        );
    }

    function digestOf(Rules.Deal memory deal, Attempt memory attempt) private view returns (bytes32) {
        address to = address(ESCROW);
        Rules.Act act = attempt.act;
        uint256 deadline = attempt.deadline;
        if (act == Rules.Act.RecordDelivery) {
            return TypedData.recordDelivery(to, deal.id, attempt.content, deal.records + 1, deadline);
        }
        if (act == Rules.Act.RecordPart) {
            return TypedData.recordPart(
                to, deal.id, attempt.share, attempt.content, attempt.isFinal, deal.records + 1, deadline
            );
        }
        if (act == Rules.Act.UseVoucher) {
            return TypedData.voucher(to, deal.id, attempt.share, attempt.content);
        }
        if (act == Rules.Act.Close) return TypedData.close(to, deal.id, attempt.share, deadline);
        if (act == Rules.Act.Release) return TypedData.release(to, deal.id, deadline);
        if (act == Rules.Act.Refund) return TypedData.refund(to, deal.id, deadline);
        if (act == Rules.Act.Dispute) return TypedData.dispute(to, deal.id, attempt.content, deadline);
        return TypedData.decideDispute(to, deal.id, attempt.share, attempt.content, deadline);
    }

    /// @dev Mostly a sum that the act allows, at its lowest or highest or between.
    function newShare(Rules.Deal memory deal, Rules.Act act, uint256 seed) private view returns (uint256) {
        uint256 kind = roll(seed, "kind of share", 8);
        (uint256 low, uint256 high) = (deal.paid, uint256(deal.terms.amount));
        if (act == Rules.Act.RecordPart) low = Rules.claimed(deal);
        if (act == Rules.Act.DecideDispute) {
            if (low < Rules.accepted(deal, time)) low = Rules.accepted(deal, time);
            high = Rules.most(deal);
        }
        if (kind == 0) return low;
        if (kind == 1) return high;
        if (kind == 2) return uint256(deal.terms.amount) + 1 + roll(seed, "too much", 1 << 200);
        if (kind == 3) return roll(seed, "too little", low + 1);
        // A final part that is paid ends the escrow.
        if (kind == 4 && act == Rules.Act.RecordPart) return deal.paid;
        // Few closes come through, and each of their ends is a case.
        if (act == Rules.Act.Close && (kind == 4 || kind == 6)) return kind == 6 ? low : high;
        // Small parts, so that more can follow.
        bool isPart = act == Rules.Act.RecordPart || act == Rules.Act.UseVoucher;
        return low + roll(seed, "share", high - low + 1) / (isPart ? 3 : 1);
    }

    /// @dev The key of no account for the zero address, which is the arbiter if there is none.
    function personAt(address account) private view returns (Person memory) {
        for (uint256 i = 0; i < people.length; i++) {
            if (people[i].account == account) return people[i];
        }
        return people[8];
    }

    /// @dev The second signature of the same key and digest, with the group's order minus s.
    function malleate(bytes memory signature) private pure {
        uint256 order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
        assembly ("memory-safe") {
            let s := add(signature, 0x40)
            mstore(s, sub(order, mload(s)))
        }
        signature[64] = signature[64] == bytes1(uint8(27)) ? bytes1(uint8(28)) : bytes1(uint8(27));
    }

    // Counting

    function meetRefusal(bytes memory refusal) private {
        bytes4 selector = bytes4(refusal);
        if (selector == Escrow.WrongStatus.selector) {
            meet("refused: another status");
        } else if (selector == Escrow.TooEarly.selector) {
            meet("refused: too early");
        } else if (selector == Escrow.TooLate.selector) {
            meet("refused: too late");
        } else if (selector == Escrow.SignatureExpired.selector) {
            meet("refused: an expired signature");
        } else if (selector == Escrow.InvalidSignature.selector) {
            meet("refused: a signature not genuine");
        } else if (selector == Escrow.ProviderAmountTooHigh.selector) {
            meet("refused: more than there is");
        } else if (selector == Escrow.ProviderAmountTooLow.selector) {
            meet("refused: less than there must be");
        } else if (selector == Escrow.AlreadyDelivered.selector) {
            meet("refused: another sum than the delivered");
        } else if (selector == Escrow.OnlyVouchersPay.selector) {
            meet("refused: a record or dispute of vouchers alone");
        } else {
            meet("refused: another caller");
        }
    }

    function meetAct(Rules.Deal memory before, Rules.Deal memory deal, Attempt memory attempt) private {
        string memory how = attempt.bySignature ? " by signature" : "";
        if (attempt.bySignature && attempt.signer.code.length != 0) how = " by a wallet's signature";
        if (attempt.act >= Rules.Act.RecordPart) meetPart(before, deal, attempt, how);
        if (Rules.isEnded(deal)) {
            meetEnd(before, deal, attempt, how);
            if (deal.owedToBuyer != 0 && deal.owedToProvider != 0) meet("both payouts of a split deferred");
            else if (deal.owedToBuyer != 0) meet("the buyer's payout deferred");
            else if (deal.owedToProvider != 0) meet("the provider's payout deferred");
        } else if (attempt.act == Rules.Act.RecordDelivery) {
            bool disputed = deal.status == Escrow.Status.Disputed;
            if (before.wholeDelivered) meet("delivery recorded again");
            else if (disputed) meet("delivery recorded while disputed");
            meet(string.concat("delivery recorded", how));
        } else if (attempt.act >= Rules.Act.RecordPart) {
            return;
        } else if (attempt.act == Rules.Act.Dispute) {
            meet(string.concat("disputed", how));
        } else {
            meet(string.concat("decided", how));
        }
    }

    function meetPart(
        Rules.Deal memory before,
        Rules.Deal memory deal,
        Attempt memory attempt,
        string memory how
    ) private {
        if (attempt.act == Rules.Act.Close) return;
        bool disputed = before.status == Escrow.Status.Disputed;
        if (attempt.act == Rules.Act.RecordPart) {
            meet(string.concat("part recorded", how));
            if (Rules.isRevision(before, attempt.share)) meet("part recorded again");
            if (before.deliveredAt == 0 && deal.deliveredAt > 0) meet("final part recorded");
            if (disputed) meet("part recorded while disputed");
        } else if (attempt.act == Rules.Act.ReleasePart) {
            meet(disputed ? "part released while disputed" : "part released");
        } else {
            meet(string.concat("part paid", attempt.caller == deal.terms.buyer ? " by the buyer" : how));
            if (disputed) meet("part paid while disputed");
            if (before.status == Escrow.Status.Decided) meet("part paid after the decision");
        }
    }

    /// @dev Parts give a release or a refund another end than it has without them.
    function meetEnd(
        Rules.Deal memory before,
        Rules.Deal memory deal,
        Attempt memory attempt,
        string memory how
    ) private {
        string memory way = ": by both parties";
        if (attempt.act < Rules.Act.RecordPart) {
            way = wayTo(before, attempt, how);
            if (attempt.act == Rules.Act.Release && deal.status != Escrow.Status.Released) {
                way = ": by a release of a final part";
            }
            if (attempt.act == Rules.Act.Refund && deal.status != Escrow.Status.Refunded) {
                return meet("ended by a refund after parts");
            }
        } else if (attempt.act == Rules.Act.RecordPart) {
            way = ": by a final part that was paid";
        } else if (attempt.act != Rules.Act.Close) {
            way = ": by the last part";
        }
        meet(string.concat(nameOf(deal.status), way));
    }

    function wayTo(Rules.Deal memory before, Attempt memory attempt, string memory how)
        private
        pure
        returns (string memory)
    {
        if (attempt.act == Rules.Act.SettleDispute) {
            if (before.status == Escrow.Status.Decided) return ": as decided";
            if (before.terms.arbiter == address(0)) return ": disputed, no arbiter";
            return ": disputed, the arbiter silent";
        }
        address whose = attempt.act == Rules.Act.Release ? before.terms.buyer : before.terms.provider;
        bool theirs = attempt.bySignature || attempt.caller == whose;
        if (attempt.act == Rules.Act.Release) {
            return theirs ? string.concat(": by the buyer", how) : ": by anyone after the acceptance window";
        }
        return theirs ? string.concat(": by the provider", how) : ": by anyone after the delivery window";
    }

    function nameOf(Escrow.Status status) private pure returns (string memory) {
        if (status == Escrow.Status.Released) return "Released";
        return status == Escrow.Status.Refunded ? "Refunded" : "Split";
    }
}
