// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestUSD} from "../../dev/TestUSD.sol";
import {Escrow} from "../../src/Escrow.sol";
import {Books} from "./Books.sol";
import {Rules} from "./Rules.sol";
import {BlockingToken} from "./Tokens.sol";
import {TypedData} from "./TypedData.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @notice Random calls that bring money in and back: creations, deposits, returns, withdrawals, tokens that block.
abstract contract Payments is Books {
    struct Authorization {
        address from;
        uint256 validBefore;
        bytes32 nonce;
        bytes signature;
    }

    uint256 private _nonces;

    function createEscrow(uint256 seed) external {
        payByAllowance(dealToFund(seed), seed);
    }

    function payByAllowance(uint256 index, uint256 seed) internal {
        Rules.Deal memory deal = deals[index];
        address token = deal.terms.token;
        address payer = anybody(seed, "person").account;
        uint256 allowance = roll(seed, "allowance", 6) == 0 ? deal.terms.amount - 1 : deal.terms.amount;
        mint(token, payer, deal.terms.amount);
        approve(token, payer, allowance);

        bytes memory refusal = Rules.refusalOfCreation(deal, time);
        bool lacking = allowance < deal.terms.amount || refuses(token, payer, address(ESCROW));
        if (refusal.length == 0 && lacking) refusal = ANY;
        bool done = ask(payer, abi.encodeCall(Escrow.createEscrow, (deal.terms)), refusal);
        approve(token, payer, 0);
        if (done) {
            move(token, payer, address(ESCROW), deal.terms.amount);
            open(index, deal, "created by allowance");
        } else if (deal.status != Escrow.Status.None) {
            meet("refused: a second creation");
        } else if (time > deal.terms.fundBy) {
            meet("refused: a creation after fundBy");
        }
    }

    /// @notice Pays to a deposit address: less than the amount, the rest of it, more, or again.
    function deposit(uint256 seed) external {
        uint256 index = roll(seed, "paid before", 2) == 0 ? find(seed, Escrow.Status.None) : dealToFund(seed);
        // Now and then one whose deposit was returned before.
        for (uint256 i = 0; roll(seed, "returned before", 3) == 0 && i < deals.length; i++) {
            bool returned = stands[deals[i].deposit] && deals[i].status == Escrow.Status.None;
            if (returned && time <= deals[i].terms.fundBy) index = i;
        }
        Rules.Deal memory deal = deals[index];
        address token = deal.terms.token;
        uint256 amount = deal.terms.amount;
        uint256 kind = roll(seed, "kind of deposit", 6);
        if (kind == 0) amount = 1 + roll(seed, "short", amount);
        if (kind == 1) amount += 1 + roll(seed, "over", amount);
        if (kind == 2 && holdings[token][deal.deposit] < amount) amount -= holdings[token][deal.deposit];
        mint(token, deal.deposit, amount);
    }

    function createEscrowFromDeposit(uint256 seed) external {
        uint256 index = find(seed, Escrow.Status.None);
        Rules.Deal memory deal = deals[index];
        address token = deal.terms.token;
        uint256 balance = holdings[token][deal.deposit];

        bytes memory refusal = Rules.refusalOfCreation(deal, time);
        if (refusal.length == 0 && balance < deal.terms.amount) {
            refusal = abi.encodeWithSelector(Escrow.DepositTooLow.selector, balance, deal.terms.amount);
            meet("refused: a deposit too low");
        }
        if (refusal.length == 0 && refuses(token, deal.deposit, address(ESCROW))) refusal = ANY;
        bytes memory data = abi.encodeCall(Escrow.createEscrowFromDeposit, (deal.terms));
        if (!ask(anybody(seed, "person").account, data, refusal)) return;

        move(token, deal.deposit, address(ESCROW), deal.terms.amount);
        if (stands[deal.deposit]) meet("created at a deposit address that stood already");
        stands[deal.deposit] = true;
        bool exact = balance == deal.terms.amount;
        open(index, deal, exact ? "created from an exact deposit" : "created from a deposit with excess");
    }

    function createEscrowWithAuthorization(uint256 seed) external {
        uint256 index = dealToFund(seed);
        Rules.Deal memory deal = deals[index];
        address token = deal.terms.token;
        Person memory payer = anybody(seed, "person");
        bool signedByAnother = roll(seed, "signed by another", 8) == 0;
        Authorization memory authorization =
            authorize(deal, payer, signedByAnother ? anybody(seed, "another") : payer);
        mint(token, payer.account, deal.terms.amount);

        bool good = (!signedByAnother || payer.account == anybody(seed, "another").account)
            && (token == address(tokens[0]) || token == address(tokens[1]))
            && !refuses(token, payer.account, deal.deposit);
        bool front = good && roll(seed, "front-run", 4) == 0;
        if (front) {
            useAuthorization(deal, authorization);
            move(token, payer.account, deal.deposit, deal.terms.amount);
        }
        bool needed = holdings[token][deal.deposit] < deal.terms.amount;
        bytes memory refusal = Rules.refusalOfCreation(deal, time);
        if (refusal.length == 0 && needed && !good) refusal = ANY;
        if (refusal.length == 0 && refuses(token, deal.deposit, address(ESCROW))) refusal = ANY;
        bytes memory data = abi.encodeCall(
            Escrow.createEscrowWithAuthorization,
            (
                deal.terms,
                authorization.from,
                0,
                authorization.validBefore,
                authorization.nonce,
                authorization.signature
            )
        );
        if (!ask(anybody(seed, "caller").account, data, refusal)) return;

        if (needed) move(token, payer.account, deal.deposit, deal.terms.amount);
        move(token, deal.deposit, address(ESCROW), deal.terms.amount);
        stands[deal.deposit] = true;
        string memory how =
            payer.isWallet ? "created by a wallet's authorization" : "created by authorization";
        if (!needed) how = "created where the deposit held the amount, the authorization unused";
        if (front) how = "created after a stranger used the authorization";
        open(index, deal, how);
    }

    /// @notice Sends what no escrow asked for: another token or native coin to a deposit address, or the escrow's token
    ///         to the contract itself.
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
        // Mostly one where something lies.
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
        // The contract itself is let go again soon, or else nothing would happen for the rest of the run.
        if (blocking.blocked(address(ESCROW))) (account, wasBlocked) = (address(ESCROW), true);
        blocking.setBlocked(account, !wasBlocked);
    }

    // Inside

    /// @dev Mostly a new one; else one that was paid to before, or any.
    function dealToFund(uint256 seed) private returns (uint256) {
        return roll(seed, "new", 5) < 2 ? find(seed, Escrow.Status.None) : newDeal(seed);
    }

    function open(uint256 index, Rules.Deal memory deal, string memory how) private {
        deal.status = Escrow.Status.Funded;
        deal.fundedAt = time;
        deal.paidIn = deal.terms.amount;
        inEscrow[deal.terms.token] += deal.terms.amount;
        deals[index] = deal;
        checkState(deal);
        checkMoney(deal);
        meet(how);
    }

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

    function approve(address token, address owner, uint256 amount) private {
        vm.prank(owner);
        // The third token returns nothing, which a typed call would refuse.
        (bool done,) = token.call(abi.encodeCall(IERC20.approve, (address(ESCROW), amount)));
        vm.assertTrue(done, "no allowance");
    }

    function authorize(Rules.Deal memory deal, Person memory from, Person memory signer)
        private
        returns (Authorization memory)
    {
        uint256 validBefore = time + 1;
        bytes32 nonce = bytes32(++_nonces);
        bytes32 digest = TypedData.transferWithAuthorization(
            deal.terms.token, from.account, deal.deposit, deal.terms.amount, validBefore, nonce
        );
        return Authorization(from.account, validBefore, nonce, sign(signer, digest));
    }

    function useAuthorization(Rules.Deal memory deal, Authorization memory authorization) private {
        vm.prank(people[8].account);
        TestUSD(deal.terms.token)
            .transferWithAuthorization(
                authorization.from,
                deal.deposit,
                deal.terms.amount,
                0,
                authorization.validBefore,
                authorization.nonce,
                authorization.signature
            );
    }

    /// @dev A wallet's signature is its owner's with a byte behind it.
    function sign(Person memory signer, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(signer.key, digest);
        return signer.isWallet ? abi.encodePacked(r, s, v, bytes1(0x01)) : abi.encodePacked(r, s, v);
    }
}
