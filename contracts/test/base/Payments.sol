// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestUSD} from "../../dev/TestUSD.sol";
import {Escrow} from "../../src/Escrow.sol";
import {Returns} from "./Returns.sol";
import {Rules} from "./Rules.sol";
import {TypedData} from "./TypedData.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @notice Random calls that bring money in: deposits, and all kinds of creation.
abstract contract Payments is Returns {
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
        // Sometimes a deal whose deposit was returned before.
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
        if (front) how = "created after an outsider used the authorization";
        open(index, deal, how);
        ask(authorization.from, data, Rules.refusalOfCreation(deal, time));
    }

    function createEscrowWithReceiveAuthorization(uint256 seed) external {
        uint256 index = dealToFund(seed);
        Rules.Deal memory deal = deals[index];
        address token = deal.terms.token;
        Person memory payer = anybody(seed, "person");
        Person memory signer = roll(seed, "signed by another", 8) == 0 ? anybody(seed, "another") : payer;
        // Valid for these terms, or for those of another escrow.
        Rules.Deal memory signedFor = roll(seed, "signed for", 8) == 0 ? deals[0] : deal;
        bytes memory signature = sign(
            signer,
            TypedData.receiveWithAuthorization(
                token, payer.account, address(ESCROW), deal.terms.amount, time + 1, signedFor.id
            )
        );
        mint(token, payer.account, deal.terms.amount);

        bool good = payer.account == signer.account && signedFor.id == deal.id
            && (token == address(tokens[0]) || token == address(tokens[1]))
            && !refuses(token, payer.account, address(ESCROW));
        if (good && roll(seed, "front-run", 4) == 0) useReceipt(deal, payer.account, signature);
        bytes memory refusal = Rules.refusalOfCreation(deal, time);
        if (refusal.length == 0 && !good) refusal = ANY;
        bytes memory data = abi.encodeCall(
            Escrow.createEscrowWithReceiveAuthorization, (deal.terms, payer.account, time + 1, signature)
        );
        if (!ask(anybody(seed, "caller").account, data, refusal)) return;

        move(token, payer.account, address(ESCROW), deal.terms.amount);
        open(
            index,
            deal,
            payer.isWallet
                ? "created by a wallet's authorization to the contract"
                : "created by an authorization to the contract"
        );
        ask(payer.account, data, Rules.refusalOfCreation(deal, time));
    }

    // Inside

    /// @dev An outsider tries to move the money to the contract without the escrow. The token allows only the payee.
    function useReceipt(Rules.Deal memory deal, address from, bytes memory signature) private {
        bytes memory data = abi.encodeWithSignature(
            "receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)",
            from,
            address(ESCROW),
            deal.terms.amount,
            0,
            time + 1,
            deal.id,
            signature
        );
        vm.prank(people[8].account);
        (bool done,) = deal.terms.token.call(data);
        vm.assertTrue(!done, "an outsider used an authorization to the contract");
        meet("refused: an authorization to the contract used by an outsider");
    }

    /// @dev Mostly a new deal; otherwise one with an earlier deposit, or any.
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

    function approve(address token, address owner, uint256 amount) private {
        vm.prank(owner);
        // The third token returns nothing, which a typed call refuses.
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

    /// @dev A wallet's signature is its owner's signature with one byte appended.
    function sign(Person memory signer, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(signer.key, digest);
        return signer.isWallet ? abi.encodePacked(r, s, v, bytes1(0x01)) : abi.encodePacked(r, s, v);
    }
}
