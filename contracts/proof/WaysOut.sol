// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {svm, vm} from "./Halmos.sol";
import {Ledger} from "./Ledgers.sol";
import {Proof} from "./Proof.sol";

/// @notice The calls that are open to anyone after a deadline, whatever the parties, the arbiter and the token do.
/// @dev A call may fail only if too little gas is left to tell a refusing token from one that ran out of gas.
contract WaysOutProof is Proof {
    /// @notice A funded escrow ends by anyone's call: it is released once the acceptance window of a delivery is over, and refunded once the time to deliver and the acceptance window of the last part are over.
    function proveFundedEnds(Escrow.Terms memory terms, address caller) external {
        (Words memory words, Stored memory old, uint256 time) = start(terms);
        vm.assume(old.status == FUNDED);
        if (old.deliveredAt != 0) {
            vm.assume(time >= old.deliveredAt + words.acceptanceWindow);
            ends(words, time, caller, abi.encodeCall(Escrow.release, (terms)), claimedOf(old, words));
        } else {
            vm.assume(time > old.fundedAt + words.deliveryWindow);
            if (old.claimCount != 0) {
                uint256 last = claimAt(idOf(words), old.claimCount - 1);
                vm.assume(isClaimSound(last, old, words, time) == 1);
                vm.assume(time >= recordedAt(last) + words.acceptanceWindow);
            }
            // The provider gives up what is not paid.
            uint256 share = caller == terms.provider ? old.paid : claimedOf(old, words);
            ends(words, time, caller, abi.encodeCall(Escrow.refund, (terms)), share);
        }
    }

    /// @notice A disputed escrow ends by anyone's call after the dispute window, and without a delivery after the delivery window too.
    function proveDisputedEnds(Escrow.Terms memory terms, address caller) external {
        (Words memory words, Stored memory old, uint256 time) = start(terms);
        vm.assume(old.status == DISPUTED && time > old.disputedAt + words.disputeWindow);
        vm.assume(old.deliveredAt != 0 || time > old.fundedAt + words.deliveryWindow);
        ends(words, time, caller, abi.encodeCall(Escrow.settleDispute, (terms)), claimedOf(old, words));
    }

    /// @notice A decided escrow ends as decided by anyone's call after the appeal window.
    function proveDecidedEnds(Escrow.Terms memory terms, address caller) external {
        (Words memory words, Stored memory old, uint256 time) = start(terms);
        vm.assume(old.status == DECIDED && time >= old.decidedAt + words.appealWindow);
        uint256 share = old.providerAmount < old.paid ? old.paid : old.providerAmount;
        ends(words, time, caller, abi.encodeCall(Escrow.settleDispute, (terms)), share);
    }

    /// @notice The buyer alone can release a funded escrow at any time, and the provider alone can refund it at any time.
    function provePartiesEnd(Escrow.Terms memory terms) external {
        (Words memory words, Stored memory old, uint256 time) = start(terms);
        vm.assume(old.status == FUNDED);
        if (svm.createUint256("party") == 0) {
            uint256 share = old.deliveredAt == 0 ? words.amount : claimedOf(old, words);
            ends(words, time, terms.buyer, abi.encodeCall(Escrow.release, (terms)), share);
        } else {
            ends(words, time, terms.provider, abi.encodeCall(Escrow.refund, (terms)), old.paid);
        }
    }

    /// @notice The amount of a refused payout is paid by anyone's call once the token accepts the payment.
    function proveOwedIsPaid(address caller, address payee) external {
        Ledger ledger = anyLedger();
        uint256 owed = escrow.owed(payee, address(ledger));
        uint256 held = ledger.balanceOf(payee);
        vm.assume(owed != 0 && ledger.balanceOf(address(escrow)) >= owed);
        vm.assume(!ledger.refuses(payee) && payee != address(escrow));

        (bool ok,) = callAt(anyTime(), caller, abi.encodeCall(Escrow.withdraw, (address(ledger), payee)));
        assert(ok && ledger.balanceOf(payee) == held + owed && escrow.owed(payee, address(ledger)) == 0);
    }

    /// @notice A deposit address's balance in a token returns to the buyer: by the buyer's call at any time, by anyone's after `fundBy` or the creation, and by anyone's at any time if the token is not the order's.
    function proveDepositReturns(Escrow.Terms memory terms, address caller) external {
        Ledger ledger = anyLedger();
        bool other = svm.createUint256("other token") == 1;
        (Words memory words, Stored memory old, uint256 time) =
            startWith(terms, other ? address(token) : address(ledger));
        vm.assume(other || old.status != NONE || time > words.fundBy || caller == terms.buyer);
        anyDeposit(words, old);
        address deposit = depositOf(words);
        vm.assume(terms.buyer != deposit && !ledger.refuses(terms.buyer));
        uint256 amount = ledger.balanceOf(deposit);
        uint256 held = ledger.balanceOf(terms.buyer);
        vm.assume(amount != 0);

        bytes memory data = abi.encodeCall(Escrow.returnDeposit, (terms, address(ledger)));
        (bool ok,) = callAt(time, caller, data);
        assert(ok && ledger.balanceOf(deposit) == 0 && ledger.balanceOf(terms.buyer) == held + amount);
    }

    /// @notice The native coin of a deposit address returns to a buyer that is a plain account, by anyone's call at any time.
    function proveCoinReturns(Escrow.Terms memory terms, address caller, uint256 amount) external {
        (Words memory words, Stored memory old, uint256 time) = start(terms);
        anyDeposit(words, old);
        address deposit = depositOf(words);
        vm.assume(amount != 0 && amount < 2 ** 90);
        vm.assume(terms.buyer != deposit && terms.buyer.code.length == 0);
        vm.deal(deposit, amount);
        uint256 held = terms.buyer.balance;

        (bool ok,) = callAt(time, caller, abi.encodeCall(Escrow.returnDeposit, (terms, address(0))));
        assert(ok && deposit.balance == 0 && terms.buyer.balance == held + amount);
    }

    function start(Escrow.Terms memory terms)
        private
        view
        returns (Words memory words, Stored memory old, uint256 time)
    {
        return startWith(terms, address(token));
    }

    function startWith(Escrow.Terms memory terms, address coin)
        private
        view
        returns (Words memory words, Stored memory old, uint256 time)
    {
        terms.token = coin;
        words = abi.decode(abi.encode(terms), (Words));
        time = anyTime();
        old = stored(idOf(words));
        vm.assume(isReachable(old, words, time) == 1);
        vm.assume(escrow.owed(terms.buyer, terms.token) < 2 ** 255);
        vm.assume(escrow.owed(terms.provider, terms.token) < 2 ** 255);
    }

    function anyLedger() private returns (Ledger ledger) {
        ledger = new Ledger();
        svm.enableSymbolicStorage(address(ledger));
    }

    /// @param share The provider's sum.
    function ends(Words memory words, uint256 time, address caller, bytes memory data, uint256 share)
        private
    {
        (bool ok, bytes memory answer) = callAt(time, caller, data);
        if (ok) {
            uint8 ending = share == words.amount ? RELEASED : share == 0 ? REFUNDED : SPLIT;
            assert(stored(idOf(words)).status == ending);
        } else {
            assert(bytes4(answer) == Escrow.NotEnoughGas.selector);
            assert(wordAt(answer, 0) < 500_000 && wordAt(answer, 1) == 500_000);
        }
    }
}
