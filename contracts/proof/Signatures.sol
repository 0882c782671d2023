// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {svm, vm} from "./Halmos.sol";
import {Proof} from "./Proof.sol";
import {AnyToken, OneDigestWallet, setToken} from "./Tokens.sol";

/// @notice The meaning of a signature. The proofs assume that only the holder of a key signs with it.
contract SignaturesProof is Proof {
    uint256 private constant HALMOS_CHAIN = 31337;

    /// @dev The signed message: `first` and `second` are the fields between the escrow's id and the deadline, zero if there are fewer.
    struct Message {
        bytes4 entry;
        bytes32 escrowId;
        uint256 first;
        uint256 second;
        uint256 deadline;
        uint256 chain;
        address verifier;
    }

    /// @notice Two messages have the same digest only if they are equal in function, escrow, fields, deadline, chain and contract.
    function proveDigestsDiffer() external pure {
        Message memory a = anyMessage();
        Message memory b = anyMessage();
        vm.assume(digestOf(a) == digestOf(b));
        assert(a.entry == b.entry && a.escrowId == b.escrowId && a.first == b.first && a.second == b.second);
        assert(a.deadline == b.deadline && a.chain == b.chain && a.verifier == b.verifier);
    }

    /// @notice Two escrows have the same id only if their terms, chain and contract are equal.
    function proveIdsDiffer(uint256 chainA, uint256 chainB) external {
        bytes memory a = svm.createBytes(0x160, "terms");
        bytes memory b = svm.createBytes(0x160, "terms");
        Escrow second = svm.createUint256("contract") == 0 ? escrow : new Escrow();
        vm.chainId(chainA);
        bytes32 idA = idIn(escrow, a);
        vm.chainId(chainB);
        bytes32 idB = idIn(second, b);
        vm.assume(idA == idB);
        assert(chainA == chainB && address(second) == address(escrow) && keccak256(a) == keccak256(b));
    }

    /// @notice A plain account's signature is accepted only from the right party, until its deadline, for the documented digest of this function, escrow, chain and contract.
    function proveKeys(address caller, uint256 chain) external {
        (bytes memory data, Words memory words, Message memory message, uint256 time) = signedCall(chain);
        address signer = signerOf(data, words);
        vm.assume(signer.code.length == 0);

        (bool ok,) = callAt(time, caller, data);
        if (!ok) return;
        (uint256 length, uint8 v, bytes32 r, bytes32 s) = signatureIn(data);
        assert(length == 65 && time <= message.deadline);
        assert(signer != address(0) && ecrecover(digestOf(message), v, r, s) == signer);
        if (message.entry == Escrow.disputeWithSignature.selector) {
            assert(uint160(signer) == words.buyer || uint160(signer) == words.provider);
        }
    }

    /// @notice A contract wallet's approval of a digest is accepted only from the right party, until its deadline, for the message of that digest.
    /// @custom:halmos --solver-timeout-branching 500ms
    function proveWallets(address caller, uint256 chain) external {
        OneDigestWallet signer = new OneDigestWallet();
        (bytes memory data, Words memory words, Message memory message, uint256 time) = signedCall(chain);
        vm.assume(signerOf(data, words) == address(signer));

        (bool ok,) = callAt(time, caller, data);
        if (!ok) return;
        assert(signer.approved() == digestOf(message) && time <= message.deadline);
        if (message.entry == Escrow.disputeWithSignature.selector) {
            assert(uint160(address(signer)) == words.buyer || uint160(address(signer)) == words.provider);
        }
    }

    /// @notice An authorization is used only as documented: for the amount, to the contract with the escrow's id as its nonce, or to the deposit address.
    function proveAuthorizations(address caller) external {
        bytes memory data = anyCall();
        bytes4 entry = bytes4(data);
        bool receives = entry == Escrow.createEscrowWithReceiveAuthorization.selector;
        vm.assume(receives || entry == Escrow.createEscrowWithAuthorization.selector);
        setToken(data, address(token));
        Words memory words = wordsOf(data);

        (bool ok,) = callAt(anyTime(), caller, data);
        if (!ok) return;
        AnyToken.Authorization memory used = token.authorization();
        if (!receives && used.by == address(0)) return;
        assert(used.by == address(escrow) && used.value == words.amount);
        assert(uint160(used.from) == wordAt(data, 11));
        if (receives) {
            assert(used.to == address(escrow) && used.nonce == idOf(words) && used.validAfter == 0);
        } else {
            assert(used.to == depositOf(words) && uint256(used.nonce) == wordAt(data, 14));
            assert(used.validAfter == wordAt(data, 12));
        }
    }

    /// @dev Any call by signature on any chain, and the message that it requires.
    function signedCall(uint256 chain)
        private
        returns (bytes memory data, Words memory words, Message memory message, uint256 time)
    {
        // halmos hashes the cached domain of its own chain as a number, and knows it again only from a number.
        if (chain == HALMOS_CHAIN) chain = HALMOS_CHAIN;
        vm.chainId(chain);
        time = anyTime();
        data = anyCall();
        bytes4 entry = bytes4(data);
        vm.assume(isKind(entry));
        setToken(data, address(token));
        words = wordsOf(data);
        Stored memory old = stored(idOf(words));
        vm.assume(hasNoParts(old) && isReachable(old, words, time) == 1);
        message.entry = entry;
        message.escrowId = idOf(words);
        message.chain = chain;
        message.verifier = address(escrow);
        if (entry == Escrow.recordDeliveryWithSignature.selector) {
            message.first = wordAt(data, 11);
            message.second = old.deliveryCount + 1;
            message.deadline = wordAt(data, 12);
        } else if (entry == Escrow.disputeWithSignature.selector) {
            message.first = wordAt(data, 12);
            message.deadline = wordAt(data, 13);
        } else if (entry == Escrow.decideDisputeWithSignature.selector) {
            message.first = wordAt(data, 11);
            message.second = wordAt(data, 12);
            message.deadline = wordAt(data, 13);
        } else {
            message.deadline = wordAt(data, 11);
        }
    }

    /// @dev The required signer: a party of the terms, or the party that a dispute names.
    function signerOf(bytes memory data, Words memory words) private pure returns (address) {
        bytes4 entry = bytes4(data);
        if (entry == Escrow.disputeWithSignature.selector) return address(uint160(wordAt(data, 11)));
        if (entry == Escrow.releaseWithSignature.selector) return address(uint160(words.buyer));
        if (entry == Escrow.decideDisputeWithSignature.selector) return address(uint160(words.arbiter));
        return address(uint160(words.provider));
    }

    function signatureIn(bytes memory data)
        private
        pure
        returns (uint256 length, uint8 v, bytes32 r, bytes32 s)
    {
        bytes4 entry = bytes4(data);
        uint256 place = 12;
        if (entry == Escrow.recordDeliveryWithSignature.selector) {
            place = 13;
        } else if (
            entry == Escrow.disputeWithSignature.selector
                || entry == Escrow.decideDisputeWithSignature.selector
        ) {
            place = 14;
        }
        uint256 index = wordAt(data, place) / 0x20;
        length = wordAt(data, index);
        r = bytes32(wordAt(data, index + 1));
        s = bytes32(wordAt(data, index + 2));
        v = uint8(wordAt(data, index + 3) >> 248);
    }

    function isKind(bytes4 entry) private pure returns (bool) {
        return entry == Escrow.recordDeliveryWithSignature.selector
            || entry == Escrow.releaseWithSignature.selector || entry == Escrow.refundWithSignature.selector
            || entry == Escrow.disputeWithSignature.selector
            || entry == Escrow.decideDisputeWithSignature.selector;
    }

    /// @dev A message of any kind, with the fields of its kind.
    function anyMessage() private pure returns (Message memory message) {
        bytes4 entry = bytes4(svm.createBytes32("entry"));
        vm.assume(isKind(entry));
        message.entry = entry;
        message.escrowId = svm.createBytes32("escrow");
        message.first = svm.createUint256("first");
        message.second = svm.createUint256("second");
        message.deadline = svm.createUint256("deadline");
        message.chain = svm.createUint256("chain");
        message.verifier = svm.createAddress("verifier");
        if (entry == Escrow.releaseWithSignature.selector || entry == Escrow.refundWithSignature.selector) {
            message.first = 0;
        }
        if (
            entry != Escrow.recordDeliveryWithSignature.selector
                && entry != Escrow.decideDisputeWithSignature.selector
        ) message.second = 0;
    }

    /// @dev The EIP-712 digest of docs/contract.md.
    function digestOf(Message memory message) private pure returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256("Earnest Escrow"),
                keccak256("1"),
                message.chain,
                message.verifier
            )
        );
        return keccak256(abi.encodePacked("\x19\x01", domain, keccak256(encode(message))));
    }

    function encode(Message memory it) private pure returns (bytes memory) {
        if (it.entry == Escrow.releaseWithSignature.selector) {
            return
                abi.encode(keccak256("Release(bytes32 escrowId,uint256 deadline)"), it.escrowId, it.deadline);
        }
        if (it.entry == Escrow.refundWithSignature.selector) {
            return
                abi.encode(keccak256("Refund(bytes32 escrowId,uint256 deadline)"), it.escrowId, it.deadline);
        }
        if (it.entry == Escrow.disputeWithSignature.selector) {
            bytes32 kind = keccak256("Dispute(bytes32 escrowId,bytes32 reasonHash,uint256 deadline)");
            return abi.encode(kind, it.escrowId, it.first, it.deadline);
        }
        bytes32 type_ = it.entry == Escrow.recordDeliveryWithSignature.selector
            ? keccak256("RecordDelivery(bytes32 escrowId,bytes32 outputHash,uint32 number,uint256 deadline)")
            : keccak256(
                "DecideDispute(bytes32 escrowId,uint256 providerAmount,bytes32 rulingHash,uint256 deadline)"
            );
        return abi.encode(type_, it.escrowId, it.first, it.second, it.deadline);
    }

    function idIn(Escrow where, bytes memory terms) private returns (bytes32) {
        (bool ok, bytes memory answer) =
            address(where).call(abi.encodePacked(Escrow.escrowIdOf.selector, terms));
        assert(ok);
        return abi.decode(answer, (bytes32));
    }
}
