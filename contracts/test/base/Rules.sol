// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../../src/Escrow.sol";

/// @notice A second implementation of docs/contract.md: the answer to each act on an escrow, and its changes. It shares
///         no code with the contract and never calls it.
library Rules {
    enum Act {
        RecordDelivery,
        Release,
        Refund,
        Dispute,
        DecideDispute,
        SettleDispute,
        RecordPart,
        ReleasePart,
        UseVoucher,
        Close
    }

    /// @notice An escrow from the view of its users, and the location of its money.
    struct Deal {
        Escrow.Terms terms;
        bytes32 id;
        address deposit;
        Escrow.Status status;
        uint256 fundedAt;
        uint256 records;
        uint256 deliveredAt;
        uint256 disputedAt;
        uint256 decidedAt;
        uint256 share;
        bool wholeDelivered; // by a delivery and not by a final part
        uint256 paid;
        uint256[] claimSums;
        uint256[] claimTimes;
        uint256 paidIn;
        uint256 paidToBuyer;
        uint256 paidToProvider;
        uint256 owedToBuyer;
        uint256 owedToProvider;
    }

    function isEnded(Deal memory deal) internal pure returns (bool) {
        return deal.status == Escrow.Status.Released || deal.status == Escrow.Status.Refunded
            || deal.status == Escrow.Status.Split;
    }

    function holdsMoney(Deal memory deal) internal pure returns (bool) {
        return deal.status != Escrow.Status.None && !isEnded(deal);
    }

    function takesVouchersOnly(Escrow.Terms memory terms) private pure returns (bool) {
        return terms.acceptanceWindow == 2 ** 32 - 1;
    }

    /// @notice The provider's claims in all.
    function claimed(Deal memory deal) internal pure returns (uint256 sum) {
        if (deal.wholeDelivered) return deal.terms.amount;
        if (deal.claimSums.length > 0) sum = deal.claimSums[deal.claimSums.length - 1];
        if (sum < deal.paid) sum = deal.paid;
    }

    /// @notice The most that the provider can get.
    function most(Deal memory deal) internal pure returns (uint256) {
        return deal.deliveredAt > 0 ? claimed(deal) : deal.terms.amount;
    }

    /// @notice The highest claim whose acceptance window is over: now, or before the dispute.
    function accepted(Deal memory deal, uint256 time) internal pure returns (uint256 sum) {
        for (uint256 i = 0; i < deal.claimSums.length; i++) {
            uint256 acceptedAt = deal.claimTimes[i] + deal.terms.acceptanceWindow;
            if (deal.disputedAt > 0 ? acceptedAt < deal.disputedAt : acceptedAt <= time) {
                sum = deal.claimSums[i];
            }
        }
    }

    /// @notice Whether a part has the sum of the last one, and so is its revision.
    function isRevision(Deal memory deal, uint256 sum) internal pure returns (bool) {
        uint256 count = deal.claimSums.length;
        return count > 0 && deal.claimSums[count - 1] == sum && claimed(deal) == sum;
    }

    /// @notice Whether a final part claims exactly what vouchers paid, and so ends the escrow.
    function isPaid(Deal memory deal, uint256 sum) internal pure returns (bool) {
        return sum > 0 && deal.paid == sum && claimed(deal) == sum;
    }

    /// @notice The expected answer to a creation; empty if terms and time allow it.
    function refusalOfCreation(Deal memory deal, uint256 time) internal pure returns (bytes memory) {
        if (deal.status != Escrow.Status.None) return wrongStatus(deal.status, Escrow.Status.None);
        if (time > deal.terms.fundBy) return tooLate(time, deal.terms.fundBy);
        return "";
    }

    /// @notice The expected answer to an act by its caller; empty if it must succeed.
    function refusalOfCall(
        Deal memory deal,
        Act act,
        address caller,
        uint256 share,
        bool isFinal,
        uint256 time
    ) internal pure returns (bytes memory refusal) {
        refusal = refusalByStatus(deal, act);
        if (refusal.length == 0) refusal = refusalOfCaller(deal, act, caller, time);
        if (refusal.length == 0) refusal = refusalOfContent(deal, act, caller, share, isFinal, time);
    }

    /// @notice The expected answer to an act by signature; empty if it must succeed.
    /// @param genuine Whether the signer signed the digest.
    function refusalOfSignature(
        Deal memory deal,
        Act act,
        address signer,
        uint256 share,
        bool isFinal,
        uint256 time,
        uint256 deadline,
        bytes32 digest,
        bool genuine
    ) internal pure returns (bytes memory refusal) {
        refusal = refusalByStatus(deal, act);
        if (refusal.length != 0) return refusal;
        if (time > deadline) return abi.encodeWithSelector(Escrow.SignatureExpired.selector, time, deadline);
        if (!genuine) return abi.encodeWithSelector(Escrow.InvalidSignature.selector, signer, digest);
        return refusalOfContent(deal, act, signer, share, isFinal, time);
    }

    /// @notice The deal after a successful act, before its payouts.
    /// @param isFinal Whether a part is final.
    /// @param byProvider Whether the provider acts.
    /// @return toProvider The amount that the act pays to the provider.
    /// @return toBuyer The amount that the act pays to the buyer.
    function perform(Deal memory deal, Act act, uint256 share, bool isFinal, bool byProvider, uint256 time)
        internal
        pure
        returns (uint256 toProvider, uint256 toBuyer)
    {
        if (act == Act.RecordDelivery) {
            deal.records++;
            if (deal.deliveredAt > 0) return (0, 0);
            deal.deliveredAt = time;
            deal.wholeDelivered = true;
        } else if (act == Act.RecordPart) {
            deal.records++;
            bool revision = isRevision(deal, share);
            bool ends = isFinal && isPaid(deal, share);
            if (!revision && !ends) {
                deal.claimSums = append(deal.claimSums, share);
                deal.claimTimes = append(deal.claimTimes, time);
            }
            if (isFinal && deal.deliveredAt == 0) {
                deal.deliveredAt = ends && !revision ? time : deal.claimTimes[deal.claimTimes.length - 1];
            }
            if (!ends) return (0, 0);
            toBuyer = deal.terms.amount - share;
            deal.status = endingOf(deal, share);
        } else if (act == Act.UseVoucher || act == Act.ReleasePart) {
            uint256 total = act == Act.UseVoucher ? share : accepted(deal, time);
            toProvider = total - deal.paid;
            deal.paid = total;
            if (total == most(deal)) {
                toBuyer = deal.terms.amount - total;
                deal.status = endingOf(deal, total);
            }
        } else if (act == Act.Dispute) {
            deal.status = Escrow.Status.Disputed;
            deal.disputedAt = time;
        } else if (act == Act.DecideDispute) {
            deal.status = Escrow.Status.Decided;
            deal.decidedAt = time;
            deal.share = share;
        } else {
            uint256 total = endOf(deal, act, share, byProvider);
            (toProvider, toBuyer) = (total - deal.paid, deal.terms.amount - total);
            deal.status = endingOf(deal, total);
        }
    }

    function endingOf(Deal memory deal, uint256 total) private pure returns (Escrow.Status) {
        if (total == deal.terms.amount) return Escrow.Status.Released;
        return total == 0 ? Escrow.Status.Refunded : Escrow.Status.Split;
    }

    function endOf(Deal memory deal, Act act, uint256 share, bool byProvider) private pure returns (uint256) {
        if (act == Act.Close) return share;
        if (act == Act.Release) return most(deal);
        if (act == Act.Refund) return byProvider ? deal.paid : claimed(deal);
        if (deal.status == Escrow.Status.Disputed) return claimed(deal);
        return deal.share < deal.paid ? deal.paid : deal.share;
    }

    function append(uint256[] memory list, uint256 item) private pure returns (uint256[] memory longer) {
        longer = new uint256[](list.length + 1);
        for (uint256 i = 0; i < list.length; i++) {
            longer[i] = list[i];
        }
        longer[list.length] = item;
    }

    function refusalByStatus(Deal memory deal, Act act) private pure returns (bytes memory) {
        Escrow.Status expected = Escrow.Status.Funded;
        if (act == Act.DecideDispute || act == Act.SettleDispute) expected = Escrow.Status.Disputed;
        if (deal.status == expected) return "";
        bool disputed = deal.status == Escrow.Status.Disputed;
        if (act == Act.RecordDelivery && disputed) return "";
        if ((act == Act.RecordPart || act == Act.ReleasePart) && disputed) return "";
        if ((act == Act.UseVoucher || act == Act.Close) && holdsMoney(deal)) return "";
        if (act == Act.SettleDispute && deal.status == Escrow.Status.Decided) return "";
        return wrongStatus(deal.status, expected);
    }

    function refusalOfCaller(Deal memory deal, Act act, address caller, uint256 time)
        private
        pure
        returns (bytes memory)
    {
        Escrow.Terms memory terms = deal.terms;
        if ((act == Act.RecordDelivery || act == Act.RecordPart) && caller != terms.provider) {
            return notProvider(deal, caller);
        }
        if (act == Act.DecideDispute && caller != terms.arbiter) {
            return abi.encodeWithSelector(Escrow.NotArbiter.selector, caller, terms.arbiter);
        }
        if (act == Act.Release && caller != terms.buyer) {
            if (deal.deliveredAt > 0) return untilTime(time, deal.deliveredAt + terms.acceptanceWindow);
            return abi.encodeWithSelector(Escrow.NotBuyer.selector, caller, terms.buyer);
        }
        if (act == Act.Refund && caller != terms.provider) {
            if (deal.deliveredAt > 0) return notProvider(deal, caller);
            uint256 count = deal.claimTimes.length;
            uint256 closedAt = deal.fundedAt + terms.deliveryWindow + 1;
            if (time < closedAt || count == 0) return untilTime(time, closedAt);
            return untilTime(time, deal.claimTimes[count - 1] + terms.acceptanceWindow);
        }
        if (act == Act.SettleDispute) {
            if (deal.status == Escrow.Status.Decided) {
                return untilTime(time, deal.decidedAt + terms.appealWindow);
            }
            uint256 silentAt = deal.disputedAt + terms.disputeWindow + 1;
            uint256 undeliveredAt = deal.fundedAt + terms.deliveryWindow + 1;
            if (time < silentAt || deal.deliveredAt > 0) return untilTime(time, silentAt);
            return untilTime(time, undeliveredAt);
        }
        return "";
    }

    /// @dev The checks that an act by call and an act by signature share.
    function refusalOfContent(
        Deal memory deal,
        Act act,
        address actor,
        uint256 share,
        bool isFinal,
        uint256 time
    ) private pure returns (bytes memory) {
        Escrow.Terms memory terms = deal.terms;
        bool records = act == Act.RecordDelivery || act == Act.RecordPart;
        if (records && takesVouchersOnly(terms)) {
            return abi.encodeWithSelector(Escrow.OnlyVouchersPay.selector);
        }
        if (records && time > deal.fundedAt + terms.deliveryWindow) {
            return tooLate(time, deal.fundedAt + terms.deliveryWindow);
        }
        if (act == Act.RecordDelivery && deal.deliveredAt > 0 && claimed(deal) != terms.amount) {
            return abi.encodeWithSelector(Escrow.AlreadyDelivered.selector);
        }
        if (act == Act.RecordPart && !isRevision(deal, share)) {
            if (deal.deliveredAt > 0) return abi.encodeWithSelector(Escrow.AlreadyDelivered.selector);
            if (isFinal && isPaid(deal, share)) return "";
            if (share <= claimed(deal)) return tooLow(share, claimed(deal));
            if (share > terms.amount) return tooHigh(share, terms.amount);
            if (deal.claimSums.length == 64) {
                return abi.encodeWithSelector(Escrow.TooManyClaims.selector, 64);
            }
        }
        if (act == Act.ReleasePart && accepted(deal, time) <= deal.paid) {
            return tooLow(accepted(deal, time), deal.paid);
        }
        if (act == Act.UseVoucher) {
            if (share > terms.amount) return tooHigh(share, terms.amount);
            if (share <= deal.paid) return tooLow(share, deal.paid);
        }
        if (act == Act.Close) {
            if (share < deal.paid) return tooLow(share, deal.paid);
            if (share > terms.amount) return tooHigh(share, terms.amount);
        }
        if (act == Act.Dispute && actor != terms.buyer && actor != terms.provider) {
            return abi.encodeWithSelector(Escrow.NotParty.selector, actor, terms.buyer, terms.provider);
        }
        if (act == Act.Dispute && takesVouchersOnly(terms)) {
            return abi.encodeWithSelector(Escrow.OnlyVouchersPay.selector);
        }
        if (act == Act.DecideDispute && time > deal.disputedAt + terms.disputeWindow) {
            return tooLate(time, deal.disputedAt + terms.disputeWindow);
        }
        if (act == Act.DecideDispute) {
            if (share < deal.paid) return tooLow(share, deal.paid);
            if (share < accepted(deal, time)) return tooLow(share, accepted(deal, time));
            if (share > most(deal)) return tooHigh(share, most(deal));
        }
        return "";
    }

    function tooLow(uint256 share, uint256 least) private pure returns (bytes memory) {
        return abi.encodeWithSelector(Escrow.ProviderAmountTooLow.selector, share, least);
    }

    function tooHigh(uint256 share, uint256 limit) private pure returns (bytes memory) {
        return abi.encodeWithSelector(Escrow.ProviderAmountTooHigh.selector, share, limit);
    }

    function untilTime(uint256 time, uint256 notBefore) private pure returns (bytes memory) {
        if (time >= notBefore) return "";
        return abi.encodeWithSelector(Escrow.TooEarly.selector, time, notBefore);
    }

    function tooLate(uint256 time, uint256 notAfter) private pure returns (bytes memory) {
        return abi.encodeWithSelector(Escrow.TooLate.selector, time, notAfter);
    }

    function notProvider(Deal memory deal, address caller) private pure returns (bytes memory) {
        return abi.encodeWithSelector(Escrow.NotProvider.selector, caller, deal.terms.provider);
    }

    function wrongStatus(Escrow.Status status, Escrow.Status expected) private pure returns (bytes memory) {
        return abi.encodeWithSelector(Escrow.WrongStatus.selector, status, expected);
    }
}
