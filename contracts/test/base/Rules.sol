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
        SettleDispute
    }

    /// @notice An escrow from the view of its users, and the location of its money.
    struct Deal {
        Escrow.Terms terms;
        bytes32 id;
        address deposit;
        Escrow.Status status;
        uint256 fundedAt;
        uint256 deliveries;
        uint256 deliveredAt;
        uint256 disputedAt;
        uint256 decidedAt;
        uint256 share;
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

    /// @notice The expected answer to a creation; empty if terms and time allow it.
    function refusalOfCreation(Deal memory deal, uint256 time) internal pure returns (bytes memory) {
        if (deal.status != Escrow.Status.None) return wrongStatus(deal.status, Escrow.Status.None);
        if (time > deal.terms.fundBy) return tooLate(time, deal.terms.fundBy);
        return "";
    }

    /// @notice The expected answer to an act by its caller; empty if it must succeed.
    function refusalOfCall(Deal memory deal, Act act, address caller, uint256 share, uint256 time)
        internal
        pure
        returns (bytes memory refusal)
    {
        refusal = refusalByStatus(deal, act);
        if (refusal.length == 0) refusal = refusalOfCaller(deal, act, caller, time);
        if (refusal.length == 0) refusal = refusalOfContent(deal, act, caller, share, time);
    }

    /// @notice The expected answer to an act by signature; empty if it must succeed.
    /// @param genuine Whether the signer signed the digest.
    function refusalOfSignature(
        Deal memory deal,
        Act act,
        address signer,
        uint256 share,
        uint256 time,
        uint256 deadline,
        bytes32 digest,
        bool genuine
    ) internal pure returns (bytes memory refusal) {
        refusal = refusalByStatus(deal, act);
        if (refusal.length != 0) return refusal;
        if (time > deadline) return abi.encodeWithSelector(Escrow.SignatureExpired.selector, time, deadline);
        if (!genuine) return abi.encodeWithSelector(Escrow.InvalidSignature.selector, signer, digest);
        return refusalOfContent(deal, act, signer, share, time);
    }

    /// @notice The deal after a successful act, before its payouts.
    /// @return providerAmount The provider's part if the act ended the escrow.
    function perform(Deal memory deal, Act act, uint256 share, uint256 time)
        internal
        pure
        returns (uint256 providerAmount)
    {
        if (act == Act.RecordDelivery) {
            if (deal.deliveries == 0) deal.deliveredAt = time;
            deal.deliveries++;
        } else if (act == Act.Dispute) {
            deal.status = Escrow.Status.Disputed;
            deal.disputedAt = time;
        } else if (act == Act.DecideDispute) {
            deal.status = Escrow.Status.Decided;
            deal.decidedAt = time;
            deal.share = share;
        } else {
            providerAmount = endOf(deal, act);
            if (providerAmount == deal.terms.amount) deal.status = Escrow.Status.Released;
            else if (providerAmount == 0) deal.status = Escrow.Status.Refunded;
            else deal.status = Escrow.Status.Split;
        }
    }

    function endOf(Deal memory deal, Act act) private pure returns (uint256 providerAmount) {
        if (act == Act.Release) return deal.terms.amount;
        if (act == Act.Refund) return 0;
        if (deal.status == Escrow.Status.Decided) return deal.share;
        return deal.deliveries > 0 ? deal.terms.amount : 0;
    }

    function refusalByStatus(Deal memory deal, Act act) private pure returns (bytes memory) {
        Escrow.Status expected = Escrow.Status.Funded;
        if (act == Act.DecideDispute || act == Act.SettleDispute) expected = Escrow.Status.Disputed;
        if (deal.status == expected) return "";
        if (act == Act.RecordDelivery && deal.status == Escrow.Status.Disputed) return "";
        if (act == Act.SettleDispute && deal.status == Escrow.Status.Decided) return "";
        return wrongStatus(deal.status, expected);
    }

    function refusalOfCaller(Deal memory deal, Act act, address caller, uint256 time)
        private
        pure
        returns (bytes memory)
    {
        Escrow.Terms memory terms = deal.terms;
        if (act == Act.RecordDelivery && caller != terms.provider) return notProvider(deal, caller);
        if (act == Act.DecideDispute && caller != terms.arbiter) {
            return abi.encodeWithSelector(Escrow.NotArbiter.selector, caller, terms.arbiter);
        }
        if (act == Act.Release && caller != terms.buyer) {
            if (deal.deliveries > 0) return untilTime(time, deal.deliveredAt + terms.acceptanceWindow);
            return abi.encodeWithSelector(Escrow.NotBuyer.selector, caller, terms.buyer);
        }
        if (act == Act.Refund && caller != terms.provider) {
            if (deal.deliveries > 0) return notProvider(deal, caller);
            return untilTime(time, deal.fundedAt + terms.deliveryWindow + 1);
        }
        if (act == Act.SettleDispute) {
            if (deal.status == Escrow.Status.Decided) {
                return untilTime(time, deal.decidedAt + terms.appealWindow);
            }
            uint256 silentAt = deal.disputedAt + terms.disputeWindow + 1;
            uint256 undeliveredAt = deal.fundedAt + terms.deliveryWindow + 1;
            if (time < silentAt || deal.deliveries > 0) return untilTime(time, silentAt);
            return untilTime(time, undeliveredAt);
        }
        return "";
    }

    /// @dev The checks that an act by call and an act by signature share.
    function refusalOfContent(Deal memory deal, Act act, address actor, uint256 share, uint256 time)
        private
        pure
        returns (bytes memory)
    {
        Escrow.Terms memory terms = deal.terms;
        if (act == Act.RecordDelivery && time > deal.fundedAt + terms.deliveryWindow) {
            return tooLate(time, deal.fundedAt + terms.deliveryWindow);
        }
        if (act == Act.Dispute && actor != terms.buyer && actor != terms.provider) {
            return abi.encodeWithSelector(Escrow.NotParty.selector, actor, terms.buyer, terms.provider);
        }
        if (act == Act.DecideDispute && time > deal.disputedAt + terms.disputeWindow) {
            return tooLate(time, deal.disputedAt + terms.disputeWindow);
        }
        if (act == Act.DecideDispute && share > terms.amount) {
            return abi.encodeWithSelector(Escrow.ProviderAmountTooHigh.selector, share, terms.amount);
        }
        return "";
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
