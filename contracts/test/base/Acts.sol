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
        uint256 share; // of the provider, in a decision
        bool bySignature;
        address signer; // whose signature it is said to be
        uint256 deadline;
        bool genuine;
        bytes signature;
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
        bool soon = act == Rules.Act.Release || act == Rules.Act.Refund;
        if (soon && roll(seed, "later", 3) != 0) attempt.caller = anybody(seed, "person").account;
        attempt.content = keccak256(abi.encode(seed));
        attempt.share = newShare(deal, seed);
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
        attempt.deadline = roll(seed, "deadline", 2) == 0 ? type(uint256).max : time;

        bool soon = act == Rules.Act.Release || act == Rules.Act.Refund;
        uint256 flaw = roll(seed, "flaw", soon ? 7 : 12);
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
        deal.id = id;
    }

    /// @dev The party that may make the act; either party if both may.
    function rightful(Rules.Deal memory deal, Rules.Act act, uint256 seed) internal pure returns (address) {
        if (act == Rules.Act.DecideDispute) return deal.terms.arbiter;
        bool buyers = act == Rules.Act.Release || (act == Rules.Act.Dispute && roll(seed, "party", 2) == 0);
        return buyers ? deal.terms.buyer : deal.terms.provider;
    }

    // Making calls

    /// @dev The expected answer of the contract; empty if the act must succeed.
    function foretell(Rules.Deal memory deal, Attempt memory attempt) internal view returns (bytes memory) {
        if (!attempt.bySignature) {
            return Rules.refusalOfCall(deal, attempt.act, attempt.caller, attempt.share, time);
        }
        return Rules.refusalOfSignature(
            deal,
            attempt.act,
            attempt.signer,
            attempt.share,
            time,
            attempt.deadline,
            digestOf(deal, attempt),
            attempt.genuine
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

        uint256 providerAmount = Rules.perform(deal, attempt.act, attempt.share, time);
        if (Rules.isEnded(deal)) {
            deal.paidToBuyer = balanceOf(token, deal.terms.buyer) - ofBuyer;
            deal.paidToProvider = balanceOf(token, deal.terms.provider) - ofProvider;
            pay(deal, providerAmount);
        }
        checkState(deal);
        checkMoney(deal);
        deals[index] = deal;
        if (attempt.bySignature) {
            tryUsed(data, attempt.caller);
            if (attempt.deadline == type(uint256).max) used.push(data);
        }
        meetAct(before, deal, attempt);
    }

    /// @dev Records an end: the payees, and the amounts that stay owed if the token refuses.
    function pay(Rules.Deal memory deal, uint256 providerAmount) private {
        Escrow.Terms memory terms = deal.terms;
        inEscrow[terms.token] -= terms.amount;
        deal.owedToProvider = payOne(terms.token, terms.provider, providerAmount);
        deal.owedToBuyer = payOne(terms.token, terms.buyer, terms.amount - providerAmount);
        vm.assertEq(deal.paidToProvider + deal.owedToProvider, providerAmount, "the provider's part");
        vm.assertEq(deal.paidToBuyer + deal.owedToBuyer, terms.amount - providerAmount, "the buyer's part");
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
        bool becauseItServed =
            selector == Escrow.WrongStatus.selector || selector == Escrow.InvalidSignature.selector;
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
            return TypedData.recordDelivery(to, deal.id, attempt.content, deal.deliveries + 1, deadline);
        }
        if (act == Rules.Act.Release) return TypedData.release(to, deal.id, deadline);
        if (act == Rules.Act.Refund) return TypedData.refund(to, deal.id, deadline);
        if (act == Rules.Act.Dispute) return TypedData.dispute(to, deal.id, attempt.content, deadline);
        return TypedData.decideDispute(to, deal.id, attempt.share, attempt.content, deadline);
    }

    function newShare(Rules.Deal memory deal, uint256 seed) private pure returns (uint256) {
        uint256 kind = roll(seed, "kind of share", 8);
        if (kind == 0) return 0;
        if (kind == 1) return deal.terms.amount;
        if (kind == 2) return uint256(deal.terms.amount) + 1 + roll(seed, "too much", 1 << 200);
        return roll(seed, "share", uint256(deal.terms.amount) + 1);
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
        if (selector == Escrow.WrongStatus.selector) meet("refused: another status");
        else if (selector == Escrow.TooEarly.selector) meet("refused: too early");
        else if (selector == Escrow.TooLate.selector) meet("refused: too late");
        else if (selector == Escrow.SignatureExpired.selector) meet("refused: an expired signature");
        else if (selector == Escrow.InvalidSignature.selector) meet("refused: a signature not genuine");
        else if (selector == Escrow.ProviderAmountTooHigh.selector) meet("refused: more than there is");
        else meet("refused: another caller");
    }

    function meetAct(Rules.Deal memory before, Rules.Deal memory deal, Attempt memory attempt) private {
        string memory how = attempt.bySignature ? " by signature" : "";
        if (attempt.bySignature && attempt.signer.code.length != 0) how = " by a wallet's signature";
        if (Rules.isEnded(deal)) {
            meet(string.concat(nameOf(deal.status), wayTo(before, attempt, how)));
            if (deal.owedToBuyer != 0 && deal.owedToProvider != 0) meet("both payouts of a split deferred");
            else if (deal.owedToBuyer != 0) meet("the buyer's payout deferred");
            else if (deal.owedToProvider != 0) meet("the provider's payout deferred");
        } else if (attempt.act == Rules.Act.RecordDelivery) {
            bool disputed = deal.status == Escrow.Status.Disputed;
            if (before.deliveries != 0) meet("delivery recorded again");
            else if (disputed) meet("delivery recorded while disputed");
            meet(string.concat("delivery recorded", how));
        } else if (attempt.act == Rules.Act.Dispute) {
            meet(string.concat("disputed", how));
        } else {
            meet(string.concat("decided", how));
        }
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
