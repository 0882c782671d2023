// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Deposit} from "../src/Deposit.sol";
import {Escrow} from "../src/Escrow.sol";
import {vm} from "./Halmos.sol";
import {Purse} from "./Ledgers.sol";
import {Payouts} from "./Payouts.sol";
import {AnyToken, setToken} from "./Tokens.sol";

/// @notice The payments that one call can cause.
contract PaymentsProof is Payouts {
    /// @notice Without parts, an escrow that ends pays or owes exactly its amount to its buyer and provider, as its end requires; a call that ends no escrow pays nobody from the contract.
    function provePayments(address caller) external {
        uint256 time = anyTime();
        bytes memory data = anyCallWithoutParts();
        vm.assume(hasTerms(data));
        setToken(data, address(token));
        Words memory words = wordsOf(data);
        bytes4 entry = bytes4(data);
        Stored memory old = stored(idOf(words));
        vm.assume(hasNoParts(old));
        if (usesDeposit(entry)) anyDeposit(words, old);
        uint256 buyerOwed = owedTo(words.buyer);
        uint256 providerOwed = owedTo(words.provider);

        (bool ok,) = callAt(time, caller, data);
        if (!ok) return;
        // An assumption about the state before. At this place it adds fewer paths.
        vm.assume(isReachable(old, words, time) == 1);

        Paid memory paid = paymentsFor(words);
        uint256 toBuyer;
        uint256 toProvider;
        unchecked {
            toBuyer = paid.toBuyer + owedTo(words.buyer) - buyerOwed;
            toProvider = paid.toProvider + owedTo(words.provider) - providerOwed;
        }
        uint8 status = stored(idOf(words)).status;
        assert(paid.elsewhere == 0);
        if (isOpen(old.status) && isEnded(status)) {
            uint256 share = shareOf(words, old, status);
            assert(toProvider == share && toBuyer == words.amount - share);
        } else {
            assert(toProvider == 0 && toBuyer == 0);
        }
        // A creation takes the amount from a deposit address, and a return pays its balance to the buyer.
        if (entry == Escrow.returnDeposit.selector) {
            assert(paid.collected == 0 && paid.returned != 0);
        } else {
            assert(paid.returned == 0);
            bool fromDeposit = entry == Escrow.createEscrowFromDeposit.selector
                || entry == Escrow.createEscrowWithAuthorization.selector;
            assert(paid.collected == (fromDeposit ? words.amount : 0));
        }
    }

    /// @notice A withdrawal pays exactly the owed amount to its owner, and then nothing is owed.
    function proveWithdrawal(address caller, address payee) external {
        uint256 owed = owedTo(uint160(payee));
        (bool ok, bytes memory answer) =
            callAt(anyTime(), caller, abi.encodeCall(Escrow.withdraw, (address(token), payee)));
        if (!ok) return;
        (uint256 count, AnyToken.Payment memory first,) = token.payments();
        assert(owed != 0 && abi.decode(answer, (uint256)) == owed && owedTo(uint160(payee)) == 0);
        assert(count == 1 && token.calls() == 1);
        assert(first.by == address(escrow) && first.to == payee && first.amount == owed);
    }

    /// @notice In an honest token, the contract always holds the amounts of its escrows without parts and its debts: no call takes more than it ends.
    function proveSolvency(address caller) external {
        Purse purse = new Purse(address(escrow));
        uint256 time = anyTime();
        bytes memory data = anyCallWithoutParts();
        vm.assume(hasTerms(data) && caller != address(escrow));
        setToken(data, address(purse));
        Words memory words = wordsOf(data);
        Stored memory old = stored(idOf(words));
        vm.assume(hasNoParts(old));
        if (usesDeposit(bytes4(data))) anyDeposit(words, old);
        uint256 held = purse.held();
        uint256 buyerOwed = owedIn(purse, words.buyer);
        uint256 providerOwed = owedIn(purse, words.provider);
        vm.assume(buyerOwed < 2 ** 200 && providerOwed < 2 ** 200);

        (bool ok,) = callAt(time, caller, data);
        if (!ok) return;
        // An assumption about the state before. At this place it adds fewer paths.
        vm.assume(isReachable(old, words, time) == 1);

        uint8 status = stored(idOf(words)).status;
        uint256 share = shareOf(words, old, status);
        unchecked {
            uint256 due = rise(buyerOwed, owedIn(purse, words.buyer), words.amount - share)
                + rise(providerOwed, owedIn(purse, words.provider), share);
            if (isOpen(status)) due += words.amount;
            uint256 covered = purse.held();
            if (isOpen(old.status)) covered += words.amount;
            assert(covered >= held + due);
        }
    }

    /// @notice In an honest token, a withdrawal takes no more than it removes from the debts.
    function proveWithdrawalIsCovered(address caller, address payee) external {
        Purse purse = new Purse(address(escrow));
        uint256 held = purse.held();
        uint256 owed = owedIn(purse, uint160(payee));
        (bool ok,) = callAt(anyTime(), caller, abi.encodeCall(Escrow.withdraw, (address(purse), payee)));
        if (!ok) return;
        assert(owedIn(purse, uint160(payee)) == 0 && purse.held() >= held - owed);
    }

    /// @notice Only the escrow contract moves money from a deposit address.
    function proveDepositObeysEscrow(
        address caller,
        Words memory words,
        address coin,
        address to,
        uint256 amount
    ) external {
        address deposit = deploy(words);
        vm.assume(caller != address(escrow));
        vm.prank(caller);
        (bool ok,) = deposit.call(abi.encodeCall(Deposit.sweep, (coin, to, amount)));
        assert(!ok && token.calls() == 0);
    }

    /// @dev The provider's part of an escrow that ended so.
    function shareOf(Words memory words, Stored memory old, uint8 status) private pure returns (uint256) {
        if (status == REFUNDED) return 0;
        return status == SPLIT ? old.providerAmount : words.amount;
    }

    /// @dev The increase from `before` to `after_`: zero or the share. Returning the share itself keeps the sums simple.
    function rise(uint256 before, uint256 after_, uint256 share) private pure returns (uint256) {
        if (after_ == before) return 0;
        unchecked {
            assert(after_ == before + share);
        }
        return share;
    }

    function owedIn(Purse purse, uint256 payee) private view returns (uint256) {
        return escrow.owed(address(uint160(payee)), address(purse));
    }
}
