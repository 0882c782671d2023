// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {svm, vm} from "./Halmos.sol";
import {eq, implies, ne} from "./Logic.sol";
import {Payouts} from "./Payouts.sol";
import {OneDigestWallet, setToken} from "./Tokens.sol";

/// @notice Escrows with parts: any sums, and at most two recorded parts. The call may make the third.
contract PartsProof is Payouts {
    /// @dev An escrow before a call, and the call.
    struct Start {
        bytes data;
        bytes4 entry;
        Words words;
        bytes32 id;
        uint256 time;
        Stored old;
        uint256 first;
        uint256 second;
        uint256 buyerOwed;
        uint256 providerOwed;
    }

    /// @notice A call leads an escrow with parts to such an escrow again; its sums never fall or pass the amount; an ended one never changes.
    /// @custom:halmos --loop 3
    function provePartsStep(address caller) external {
        Start memory it = start(anyCall());
        (bool ok,) = callAt(it.time, caller, it.data);
        if (!ok) return;
        assume(it);
        Stored memory now_ = stored(it.id);
        assert(isReachable(now_, it.words, it.time) == 1);
        assert(now_.paid >= it.old.paid && now_.earned >= it.old.earned && now_.fundedAt == it.old.fundedAt);
        if (isEnded(it.old.status)) assert(now_.slot == it.old.slot && now_.parts == it.old.parts);
        // No claim changes once it is recorded.
        assert(it.old.claimCount < 1 || claimAt(it.id, 0) == it.first);
        assert(it.old.claimCount < 2 || claimAt(it.id, 1) == it.second);
        if (now_.claimCount == it.old.claimCount) return;
        // A new claim is the highest, and its window starts now.
        uint256 last = claimAt(it.id, it.old.claimCount);
        assert(now_.claimCount == it.old.claimCount + 1 && isOpen(now_.status));
        assert(uint128(last) == now_.earned && now_.earned > it.old.earned && last >> 128 == it.time);
    }

    /// @notice Only the provider claims, until the delivery deadline; only the buyer's voucher, an accepted claim or an end pays.
    /// @custom:halmos --loop 3
    function provePartsCallers(address caller) external {
        Start memory it = start(anyCall());
        (bool ok,) = callAt(it.time, caller, it.data);
        if (!ok) return;
        assume(it);
        Stored memory now_ = stored(it.id);
        bool records = it.entry == Escrow.recordPart.selector || it.entry == Escrow.recordDelivery.selector
            || it.entry == Escrow.recordPartWithSignature.selector
            || it.entry == Escrow.recordDeliveryWithSignature.selector;
        bool direct = it.entry == Escrow.recordPart.selector || it.entry == Escrow.recordDelivery.selector;
        if (records) {
            assert(!direct || uint160(caller) == it.words.provider);
            assert(it.time <= it.old.fundedAt + it.words.deliveryWindow && it.old.status != DECIDED);
            assert(now_.paid == it.old.paid && now_.deliveryCount == it.old.deliveryCount + 1);
        } else {
            assert(now_.claimCount == it.old.claimCount && now_.deliveredAt == it.old.deliveredAt);
            assert(now_.earned == it.old.earned || it.entry == Escrow.useVoucher.selector);
        }
        if (isOpen(it.old.status) && isEnded(now_.status)) assert(isDue(it, caller));
        if (now_.paid == it.old.paid) return;
        if (it.entry == Escrow.useVoucher.selector) {
            assert(now_.paid == wordAt(it.data, 11));
        } else {
            assert(it.entry == Escrow.releasePart.selector && it.old.status != DECIDED);
            uint256 until = it.old.status == DISPUTED ? it.old.disputedAt - 1 : it.time;
            assert(isAccepted(it, 0, it.first, until, now_) || isAccepted(it, 1, it.second, until, now_));
        }
    }

    /// @notice A part pays its difference to the provider alone; an end pays or owes the rest of the amount to the two parties, as it requires.
    /// @custom:halmos --loop 3
    function provePartsPayments(address caller) external {
        Start memory it = start(anyCall());
        (bool ok,) = callAt(it.time, caller, it.data);
        if (!ok) return;
        assume(it);
        Stored memory now_ = stored(it.id);
        Paid memory paid = paymentsFor(it.words);
        assert(paid.elsewhere == 0 && paid.collected == 0 && paid.returned == 0);
        uint256 share = now_.paid;
        uint256 rest = 0;
        if (isOpen(it.old.status) && isEnded(now_.status)) {
            share = shareOf(it, now_, uint160(caller) == it.words.provider);
            rest = it.words.amount - share;
        }
        unchecked {
            assert(paid.toProvider + owedTo(it.words.provider) - it.providerOwed == share - it.old.paid);
            assert(paid.toBuyer + owedTo(it.words.buyer) - it.buyerOwed == rest);
        }
    }

    /// @notice Only a voucher that the buyer's key or wallet signed for this escrow, sum and work pays, unless the buyer calls.
    /// @custom:halmos --loop 3
    function proveVouchers(address caller) external {
        bytes memory data = anyCall();
        vm.assume(bytes4(data) == Escrow.useVoucher.selector);
        OneDigestWallet wallet_ = new OneDigestWallet();
        bool hasCode = svm.createUint256("wallet") == 1;
        Start memory it = start(data);
        if (hasCode) vm.assume(it.words.buyer == uint160(address(wallet_)));
        else vm.assume(address(uint160(it.words.buyer)).code.length == 0);
        vm.assume(uint160(caller) != it.words.buyer);

        (bool ok,) = callAt(it.time, caller, it.data);
        if (!ok) return;
        assume(it);
        bytes32 type_ = keccak256("Voucher(bytes32 escrowId,uint256 cumulativeAmount,bytes32 workHash)");
        bytes32 message = keccak256(abi.encode(type_, it.id, wordAt(it.data, 11), wordAt(it.data, 12)));
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", domain(), message));
        uint256 place = wordAt(it.data, 13) / 0x20;
        bool byKey = wordAt(it.data, place) == 65
            && ecrecover(
                    digest,
                    uint8(wordAt(it.data, place + 3) >> 248),
                    bytes32(wordAt(it.data, place + 1)),
                    bytes32(wordAt(it.data, place + 2))
                ) == address(uint160(it.words.buyer));
        assert(byKey || (hasCode && wallet_.approved() == digest));
    }

    /// @dev The state before `data` is called. `assume` has the conditions that add paths, and follows the call.
    function start(bytes memory data) private view returns (Start memory it) {
        it.data = data;
        it.entry = bytes4(data);
        vm.assume(hasTerms(data) && !usesDeposit(it.entry));
        setToken(data, address(token));
        it.words = wordsOf(data);
        it.id = idOf(it.words);
        it.time = anyTime();
        it.old = stored(it.id);
        vm.assume(it.old.claimCount <= 2);
        it.first = claimAt(it.id, 0);
        it.second = claimAt(it.id, 1);
        it.buyerOwed = owedTo(it.words.buyer);
        it.providerOwed = owedTo(it.words.provider);
    }

    function assume(Start memory it) private view {
        uint256 second = isClaimSound(it.second, it.old, it.words, it.time);
        vm.assume(
            isReachable(it.old, it.words, it.time)
                    & implies(ne(it.old.claimCount, 0), isClaimSound(it.first, it.old, it.words, it.time))
                    & implies(eq(it.old.claimCount, 2), second) == 1
        );
    }

    /// @dev Whether the claim was accepted by `until`, and is what is paid now.
    function isAccepted(Start memory it, uint256 index, uint256 claim, uint256 until, Stored memory now_)
        private
        pure
        returns (bool)
    {
        return index < it.old.claimCount && uint128(claim) == now_.paid
            && (claim >> 128) + it.words.acceptanceWindow <= until;
    }

    /// @dev Whether the caller could end the escrow at this time, in this status. Signatures have proofs of their own.
    function isDue(Start memory it, address caller) private pure returns (bool) {
        (Words memory words, Stored memory old) = (it.words, it.old);
        bool late = it.time > old.fundedAt + words.deliveryWindow;
        if (it.entry == Escrow.release.selector) {
            bool accepted = old.deliveredAt != 0 && it.time >= old.deliveredAt + words.acceptanceWindow;
            return old.status == FUNDED && (accepted || uint160(caller) == words.buyer);
        }
        if (it.entry == Escrow.refund.selector) {
            uint256 last = (old.claimCount == 2 ? it.second : it.first) >> 128;
            bool accepted = old.claimCount == 0 || it.time >= last + words.acceptanceWindow;
            bool open = late && accepted && old.deliveredAt == 0;
            return old.status == FUNDED && (open || uint160(caller) == words.provider);
        }
        if (it.entry != Escrow.settleDispute.selector) {
            bool signed = it.entry == Escrow.releaseWithSignature.selector
                || it.entry == Escrow.refundWithSignature.selector;
            return !signed || old.status == FUNDED;
        }
        if (old.status == DECIDED) return it.time >= old.decidedAt + words.appealWindow;
        bool silent = it.time > old.disputedAt + words.disputeWindow;
        return old.status == DISPUTED && silent && (late || old.deliveredAt != 0);
    }

    /// @dev The provider's sum of an escrow that a call ended.
    function shareOf(Start memory it, Stored memory now_, bool byProvider) private pure returns (uint256) {
        uint256 claimed = claimedOf(it.old, it.words);
        if (it.entry == Escrow.close.selector) return wordAt(it.data, 11);
        if (it.entry == Escrow.refundWithSignature.selector) return it.old.paid;
        if (it.entry == Escrow.refund.selector) return byProvider ? it.old.paid : claimed;
        if (it.entry == Escrow.release.selector || it.entry == Escrow.releaseWithSignature.selector) {
            return it.old.deliveredAt == 0 ? it.words.amount : claimed;
        }
        if (it.entry != Escrow.settleDispute.selector) return now_.paid;
        if (it.old.status == DISPUTED) return claimed;
        return it.old.providerAmount < it.old.paid ? it.old.paid : it.old.providerAmount;
    }

    function domain() private view returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("Earnest Escrow"),
                keccak256("1"),
                block.chainid,
                address(escrow)
            )
        );
    }
}
