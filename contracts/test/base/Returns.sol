// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../../src/Escrow.sol";
import {Books} from "./Books.sol";
import {Rules} from "./Rules.sol";
import {BlockingToken} from "./Tokens.sol";

/// @notice Random calls that return money of no escrow or pay refused payouts, and tokens that block accounts.
abstract contract Returns is Books {
    /// @notice Sends stray money: another token or native coin to a deposit address, or the escrow's token to the
    ///         contract itself.
    function stray(uint256 seed) external {
        Rules.Deal memory deal = deals[find(seed, Escrow.Status.None)];
        address other = address(tokens[roll(seed, "foreign", 4)]);
        uint256 amount = 1 + roll(seed, "stray", 1e20);
        uint256 kind = roll(seed, "kind of stray", 3);
        if (kind == 0) {
            mint(other, deal.deposit, amount);
        } else if (kind == 1) {
            mint(other, address(ESCROW), amount);
            strayed[other] += amount;
        } else {
            vm.deal(address(this), amount);
            (bool taken,) = deal.deposit.call{value: amount}("");
            vm.assertTrue(taken != stands[deal.deposit], "a deposit address takes coin only before it stands");
            if (taken) coins[deal.deposit] += amount;
            else meet("refused: native coin to a deposit address that stands");
        }
    }

    function returnDeposit(uint256 seed) external {
        uint256 index = roll(seed, "deal to return", deals.length);
        // Mostly a deal whose deposit address holds money.
        for (uint256 i = 0; i < deals.length && held(deals[index], seed) == 0; i++) {
            index = (index + 1) % deals.length;
        }
        returnFrom(deals[index], returnable(deals[index], seed), mostly(deals[index].terms.buyer, seed));
    }

    function withdraw(uint256 seed) external {
        address token = roll(seed, "other token", 8) == 0 ? address(tokens[1]) : address(blocking);
        uint256 start = roll(seed, "payee", people.length);
        uint256 found = start;
        for (uint256 i = 0; i < people.length && debts[token][people[found].account] == 0; i++) {
            found = (start + i) % people.length;
        }
        address payee = people[found].account;
        if (roll(seed, "unblock", 2) == 0) blocking.setBlocked(payee, false);
        withdrawTo(token, payee, anybody(seed, "person").account);
    }

    function setBlocked(uint256 seed) external {
        blocking.setRefusal(BlockingToken.Refusal(roll(seed, "refusal", 4)));
        if (roll(seed, "both", 6) == 0) {
            Rules.Deal memory deal = deals[find(seed, Escrow.Status.Decided)];
            blocking.setBlocked(deal.terms.buyer, true);
            blocking.setBlocked(deal.terms.provider, true);
            return;
        }
        address account = people[roll(seed, "party", 6)].account;
        if (roll(seed, "contract", 12) == 0) account = address(ESCROW);
        bool wasBlocked = blocking.blocked(account);
        // A block of the contract itself ends soon, because it stops all payments.
        if (blocking.blocked(address(ESCROW))) (account, wasBlocked) = (address(ESCROW), true);
        blocking.setBlocked(account, !wasBlocked);
    }

    // Inside

    function returnFrom(Rules.Deal memory deal, address token, address caller) internal {
        bool isCoin = token == address(0);
        uint256 amount = isCoin ? coins[deal.deposit] : holdings[token][deal.deposit];
        bool awaited = deal.status == Escrow.Status.None && time <= deal.terms.fundBy;
        bytes memory refusal;
        if (awaited && token == deal.terms.token && caller != deal.terms.buyer) {
            refusal = abi.encodeWithSelector(Escrow.TooEarly.selector, time, uint256(deal.terms.fundBy) + 1);
            meet("refused: a return of what an escrow can be created from");
        } else if (amount == 0) {
            refusal = abi.encodeWithSelector(Escrow.NothingToReturn.selector, deal.deposit, token);
        } else if (isCoin
                ? deal.terms.buyer == people[5].account
                : refuses(token, deal.deposit, deal.terms.buyer)) {
            refusal = ANY;
        }
        if (!ask(caller, abi.encodeCall(Escrow.returnDeposit, (deal.terms, token)), refusal)) return;

        stands[deal.deposit] = true;
        if (isCoin) {
            coins[deal.deposit] -= amount;
            coins[deal.terms.buyer] += amount;
            vm.assertEq(deal.deposit.balance, 0, "native coin left");
        } else {
            move(token, deal.deposit, deal.terms.buyer, amount);
        }
        checkMoney(deal);
        if (isCoin) meet("returned: native coin");
        else if (token != deal.terms.token) meet("returned: another token");
        else if (awaited) meet("returned: to the buyer who took it back");
        else if (deal.status == Escrow.Status.None) meet("returned: short or late, by anyone");
        else meet("returned: what exceeded the amount or came again");
    }

    function withdrawTo(address token, address payee, address caller) internal {
        uint256 amount = debts[token][payee];
        bytes memory refusal;
        if (amount == 0) refusal = abi.encodeWithSelector(Escrow.NothingOwed.selector, payee, token);
        else if (refuses(token, address(ESCROW), payee)) refusal = ANY;
        uint256 before = balanceOf(token, payee);
        if (!ask(caller, abi.encodeCall(Escrow.withdraw, (token, payee)), refusal)) {
            meet(amount == 0 ? "refused: nothing owed" : "refused: a withdrawal while the token blocks");
            return;
        }
        vm.assertEq(balanceOf(token, payee) - before, amount, "withdrawn");
        move(token, address(ESCROW), payee, amount);
        indebted[token] -= amount;
        debts[token][payee] = 0;
        for (uint256 i = 0; i < deals.length; i++) {
            Rules.Deal storage deal = deals[i];
            if (deal.terms.token != token) continue;
            if (deal.terms.buyer == payee) {
                deal.paidToBuyer += deal.owedToBuyer;
                deal.owedToBuyer = 0;
            }
            if (deal.terms.provider == payee) {
                deal.paidToProvider += deal.owedToProvider;
                deal.owedToProvider = 0;
            }
        }
        checkBalance(token, payee);
        checkBalance(token, address(ESCROW));
        meet("a deferred payout withdrawn");
    }

    function returnable(Rules.Deal memory deal, uint256 seed) private view returns (address) {
        uint256 which = roll(seed, "what to return", 7);
        if (which < 2) return deal.terms.token;
        return which == 6 ? address(0) : address(tokens[which - 2]);
    }

    function held(Rules.Deal memory deal, uint256 seed) private view returns (uint256) {
        address token = returnable(deal, seed);
        return token == address(0) ? coins[deal.deposit] : holdings[token][deal.deposit];
    }
}
