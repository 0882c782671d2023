// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {svm, vm} from "./Halmos.sol";
import {either, eq, implies, le, lt, ne} from "./Logic.sol";
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

    /// @notice With parts: only the provider records, until the delivery deadline; a claim is higher than all before; a record pays only by an end at what is paid.
    /// @custom:halmos --loop 3
    function provePartsRecord(address caller) external {
        bytes memory data = anyCall();
        bool part = bytes4(data) == Escrow.recordPart.selector;
        vm.assume(part || bytes4(data) == Escrow.recordDelivery.selector);
        (Start memory it, Stored memory now_) = perform(data, caller);
        assert(uint160(caller) == it.words.provider);
        assert(it.time <= it.old.fundedAt + it.words.deliveryWindow && it.old.status != DECIDED);
        assert(now_.paid == it.old.paid && now_.deliveryCount == it.old.deliveryCount + 1);
        bool keeps = it.old.deliveredAt != 0 || (part && wordAt(data, 13) == 0);
        assert(now_.deliveredAt == it.old.deliveredAt || !keeps);
        if (now_.claimCount == it.old.claimCount) return;
        uint256 last = claimAt(it.id, it.old.claimCount);
        assert(now_.claimCount == it.old.claimCount + 1 && isOpen(now_.status) && it.old.deliveredAt == 0);
        assert(uint128(last) == now_.earned && now_.earned > it.old.earned && recordedAt(last) == it.time);
    }

    /// @notice With parts: a voucher pays up to its sum.
    /// @custom:halmos --loop 3
    function provePartsVoucher(address caller) external {
        bytes memory data = anyCall();
        vm.assume(bytes4(data) == Escrow.useVoucher.selector);
        // `proveVoucherSigned` has the vouchers that others send.
        vm.assume(uint160(caller) == wordsOf(data).buyer);
        (, Stored memory now_) = performPart(data, caller);
        assert(now_.paid == wordAt(data, 11));
    }

    /// @notice With parts: a release of parts pays up to a claim whose acceptance window was over, before the first second of a dispute.
    /// @custom:halmos --loop 3
    function provePartsReleasePart(address caller) external {
        bytes memory data = anyCall();
        vm.assume(bytes4(data) == Escrow.releasePart.selector);
        (Start memory it, Stored memory now_) = performPart(data, caller);
        unchecked {
            uint256 until = either(eq(it.old.status, DISPUTED), it.old.disputedAt - 1, it.time);
            uint256 accepted =
                isAccepted(it, 0, it.first, until, now_) | isAccepted(it, 1, it.second, until, now_);
            assert((ne(it.old.status, DECIDED) & eq(now_.earned, it.old.earned) & accepted) == 1);
        }
    }

    function performPart(bytes memory data, address caller)
        private
        returns (Start memory it, Stored memory now_)
    {
        (it, now_) = perform(data, caller);
        uint256 kept = eq(now_.deliveredAt, it.old.deliveredAt) & eq(now_.claimCount, it.old.claimCount);
        assert((kept & lt(it.old.paid, now_.paid)) == 1);
    }

    /// @notice With parts: a release gives the provider what is documented, for whom and when, and the buyer the rest.
    /// @custom:halmos --loop 3
    function provePartsRelease(address caller) external {
        performEnd(Escrow.release.selector, caller);
    }

    /// @notice With parts: a refund gives the provider what is documented, for whom and when, and the buyer the rest.
    /// @custom:halmos --loop 3
    function provePartsRefund(address caller) external {
        performEnd(Escrow.refund.selector, caller);
    }

    /// @notice With parts: a settlement gives the provider what is documented, for whom and when, and the buyer the rest.
    /// @custom:halmos --loop 3
    function provePartsSettlement(address caller) external {
        performEnd(Escrow.settleDispute.selector, caller);
    }

    function performEnd(bytes4 entry, address caller) private {
        bytes memory data = anyCall();
        vm.assume(bytes4(data) == entry);
        (Start memory it, Stored memory now_) = perform(data, caller);
        uint256 kept = eq(now_.parts, it.old.parts) & eq(now_.slot >> 8, it.old.slot >> 8);
        assert((le(RELEASED, now_.status) & kept & isDue(it, uint160(caller))) == 1);
    }

    /// @notice With parts: a dispute and a decision pay nothing; the decision keeps what is paid or accepted, and what a final part gave up.
    /// @custom:halmos --loop 3
    function provePartsDispute(address caller) external {
        bytes memory data = anyCall();
        bytes4 entry = bytes4(data);
        bool decides = entry == Escrow.decideDispute.selector;
        vm.assume(decides || entry == Escrow.dispute.selector);
        (Start memory it, Stored memory now_) = perform(data, caller);
        assert(now_.parts == it.old.parts && now_.status == (decides ? DECIDED : DISPUTED));
        if (!decides) return;
        uint256 until = it.old.disputedAt - 1;
        assert(now_.providerAmount >= it.old.paid);
        assert(it.old.deliveredAt == 0 || now_.providerAmount <= claimedOf(it.old, it.words));
        assert(it.old.claimCount < 1 || now_.providerAmount >= acceptedOf(it, it.first, until));
        assert(it.old.claimCount < 2 || now_.providerAmount >= acceptedOf(it, it.second, until));
    }

    /// @notice With parts: a close by two keys gives the provider the signed sum, at least what is paid, and the buyer the rest.
    /// @custom:halmos --loop 3
    function provePartsClose(address caller) external {
        bytes memory data = anyCall();
        vm.assume(bytes4(data) == Escrow.close.selector);
        vm.assume(wordAt(data, wordAt(data, 13) / 0x20) == 65 && wordAt(data, wordAt(data, 14) / 0x20) == 65);
        (Start memory it, Stored memory now_) = perform(data, caller);
        uint256 kept = eq(now_.parts, it.old.parts) & le(it.old.paid, wordAt(data, 11));
        assert((le(RELEASED, now_.status) & kept) == 1);
    }

    /// @notice A voucher needs the documented signature of the buyer's key or wallet, unless the buyer calls.
    /// @custom:halmos --loop 3
    function proveVoucherSigned(address caller) external {
        bytes memory data = anyCall();
        vm.assume(bytes4(data) == Escrow.useVoucher.selector);
        Start memory it = start(data);
        OneDigestWallet code = new OneDigestWallet();
        bool hasCode = svm.createUint256("wallet") == 1;
        address buyer = address(uint160(it.words.buyer));
        vm.assume(hasCode ? buyer == address(code) : buyer.code.length == 0);
        performSigned(it, caller);
        bytes32 voucher = keccak256("Voucher(bytes32 escrowId,uint256 cumulativeAmount,bytes32 workHash)");
        bytes32 digest = digestOf(abi.encode(voucher, it.id, wordAt(data, 11), wordAt(data, 12)));
        assert((hasCode && code.approved() == digest) || isSigned(data, 13, digest, buyer));
    }

    /// @notice A close needs the documented signatures of both parties, until the deadline.
    /// @custom:halmos --loop 3
    function proveCloseSigned(address caller) external {
        bytes memory data = anyCall();
        vm.assume(bytes4(data) == Escrow.close.selector);
        Start memory it = start(data);
        address buyer = address(uint160(it.words.buyer));
        vm.assume(buyer.code.length == 0);
        performSigned(it, caller);
        bytes32 close = keccak256("Close(bytes32 escrowId,uint256 providerAmount,uint256 deadline)");
        bytes32 digest = digestOf(abi.encode(close, it.id, wordAt(data, 11), wordAt(data, 12)));
        assert(it.time <= wordAt(data, 12));
        assert(isSigned(data, 13, digest, buyer));
        assert(isSigned(data, 14, digest, address(uint160(it.words.provider))));
    }

    /// @notice A record of a part needs the documented signature of the provider, until the deadline, unless the provider calls.
    /// @custom:halmos --loop 3
    function provePartSigned(address caller) external {
        bytes memory data = anyCall();
        vm.assume(bytes4(data) == Escrow.recordPartWithSignature.selector);
        Start memory it = start(data);
        performSigned(it, caller);
        address provider = address(uint160(it.words.provider));
        assert(it.time <= wordAt(data, 14) && isSigned(data, 15, partDigest(it), provider));
    }

    /// @dev Makes the call of an escrow whose provider has a key.
    function performSigned(Start memory it, address caller) private {
        address provider = address(uint160(it.words.provider));
        vm.assume(provider.code.length == 0 && uint160(caller) != it.words.buyer);
        (bool ok,) = callAt(it.time, caller, it.data);
        vm.assume(ok);
        assume(it);
    }

    function partDigest(Start memory it) private view returns (bytes32) {
        bytes32 type_ = keccak256(
            "RecordPart(bytes32 escrowId,uint256 earned,bytes32 workHash,bool isFinal,uint32 number,uint256 deadline)"
        );
        bytes memory data = it.data;
        uint256 number = it.old.deliveryCount + 1;
        return digestOf(
            abi.encode(
                type_, it.id, wordAt(data, 11), wordAt(data, 12), wordAt(data, 13), number, wordAt(data, 14)
            )
        );
    }

    /// @dev Whether a call's signature, whose place the argument `index` has, is the signer's.
    function isSigned(bytes memory data, uint256 index, bytes32 digest, address signer)
        private
        pure
        returns (bool)
    {
        uint256 place = wordAt(data, index) / 0x20;
        uint8 v = uint8(wordAt(data, place + 3) >> 248);
        bytes32 r = bytes32(wordAt(data, place + 1));
        return
            wordAt(data, place) == 65 && ecrecover(digest, v, r, bytes32(wordAt(data, place + 2))) == signer;
    }

    /// @dev The state before `data` is called. `assume` has the conditions that add paths, and follows the call.
    function start(bytes memory data) private view returns (Start memory it) {
        it.data = data;
        it.entry = bytes4(data);
        vm.assume(hasTerms(data));
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
        uint256 first = isClaimSound(it.first, it.old, it.words, it.time);
        uint256 second = isClaimSound(it.second, it.old, it.words, it.time)
            & lt(uint128(it.first), uint128(it.second)) & le(recordedAt(it.first), recordedAt(it.second));
        uint256 claims = implies(ne(it.old.claimCount, 0), first) & implies(eq(it.old.claimCount, 2), second);
        vm.assume(isReachable(it.old, it.words, it.time) & claims == 1);
    }

    /// @dev Makes a call, and checks the promises of every call: the invariants, no sum falls, no claim changes, an ended
    ///      escrow never changes, and the payments are those of the sums, to the two parties alone.
    function perform(bytes memory data, address caller)
        private
        returns (Start memory it, Stored memory now_)
    {
        it = start(data);
        (bool ok,) = callAt(it.time, caller, data);
        vm.assume(ok);
        assume(it);
        now_ = stored(it.id);
        unchecked {
            uint256 first = implies(ne(it.old.claimCount, 0), eq(claimAt(it.id, 0), it.first));
            uint256 second = implies(lt(1, it.old.claimCount), eq(claimAt(it.id, 1), it.second));
            uint256 kept = first & second & eq(now_.fundedAt, it.old.fundedAt);
            uint256 sums = le(it.old.paid, now_.paid) & le(it.old.earned, now_.earned);
            uint256 open = lt(uint256(it.old.status) - 1, DECIDED);
            assert((isReachable(now_, it.words, it.time) & open & kept & sums) == 1);
            Paid memory paid = paymentsFor(it.words);
            uint256 ends = le(RELEASED, now_.status);
            uint256 share = either(ends, shareOf(it, now_, eq(uint160(caller), it.words.provider)), now_.paid);
            uint256 toProvider = paid.toProvider + owedTo(it.words.provider) - it.providerOwed;
            uint256 toBuyer = paid.toBuyer + owedTo(it.words.buyer) - it.buyerOwed;
            uint256 nothingElse = eq(paid.elsewhere | paid.collected | paid.returned, 0);
            uint256 rest = either(ends, it.words.amount - share, 0);
            assert((nothingElse & eq(toProvider, share - it.old.paid) & eq(toBuyer, rest)) == 1);
        }
    }

    /// @dev The sum of a claim that was accepted by `until`, or zero.
    function acceptedOf(Start memory it, uint256 claim, uint256 until) private pure returns (uint256) {
        unchecked {
            return either(le(recordedAt(claim) + it.words.acceptanceWindow, until), uint128(claim), 0);
        }
    }

    /// @dev Whether the claim was accepted by `until`, and is what is paid now.
    function isAccepted(Start memory it, uint256 index, uint256 claim, uint256 until, Stored memory now_)
        private
        pure
        returns (uint256)
    {
        unchecked {
            return lt(index, it.old.claimCount) & eq(uint128(claim), now_.paid)
                & le(recordedAt(claim) + it.words.acceptanceWindow, until);
        }
    }

    /// @dev Whether the caller could end the escrow at this time, in this status. Signatures have proofs of their own.
    function isDue(Start memory it, uint256 caller) private pure returns (uint256) {
        (Words memory words, Stored memory old) = (it.words, it.old);
        unchecked {
            uint256 late = lt(old.fundedAt + words.deliveryWindow, it.time);
            uint256 delivered = ne(old.deliveredAt, 0);
            if (it.entry == Escrow.release.selector) {
                uint256 accepted = delivered & le(old.deliveredAt + words.acceptanceWindow, it.time);
                return eq(old.status, FUNDED) & (accepted | eq(caller, words.buyer));
            }
            if (it.entry == Escrow.refund.selector) {
                uint256 last = recordedAt(either(eq(old.claimCount, 2), it.second, it.first));
                uint256 accepted = eq(old.claimCount, 0) | le(last + words.acceptanceWindow, it.time);
                uint256 open = late & accepted & (1 ^ delivered);
                return eq(old.status, FUNDED) & (open | eq(caller, words.provider));
            }
            uint256 silent = lt(old.disputedAt + words.disputeWindow, it.time) & (late | delivered);
            uint256 final_ = le(old.decidedAt + words.appealWindow, it.time);
            return eq(old.status, DISPUTED) & silent | eq(old.status, DECIDED) & final_;
        }
    }

    /// @dev The provider's sum of an escrow that a call ended.
    function shareOf(Start memory it, Stored memory now_, uint256 byProvider) private pure returns (uint256) {
        uint256 claimed = claimedOf(it.old, it.words);
        if (it.entry == Escrow.close.selector) return wordAt(it.data, 11);
        if (it.entry == Escrow.refund.selector) return either(byProvider, it.old.paid, claimed);
        if (it.entry == Escrow.release.selector) {
            return either(eq(it.old.deliveredAt, 0), it.words.amount, claimed);
        }
        if (it.entry != Escrow.settleDispute.selector) return now_.paid;
        uint256 decided = either(lt(it.old.providerAmount, it.old.paid), it.old.paid, it.old.providerAmount);
        return either(eq(it.old.status, DISPUTED), claimed, decided);
    }

    function digestOf(bytes memory message) private view returns (bytes32) {
        bytes32 domain = keccak256(
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
        return keccak256(abi.encodePacked("\x19\x01", domain, keccak256(message)));
    }
}
