// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestUSD} from "../../dev/TestUSD.sol";
import {Escrow} from "../../src/Escrow.sol";
import {Coverage} from "./Coverage.sol";
import {Rules} from "./Rules.sol";
import {BlockingToken, PlainToken, SilentToken} from "./Tokens.sol";
import {TypedData} from "./TypedData.sol";
import {OwnedWallet} from "./Wallet.sol";

/// @notice People, tokens, and a separate ledger of all balances. It is written from the calls made, compared with every
///         balance, and never read from the contract.
abstract contract Books is Coverage {
    struct Person {
        address account;
        uint256 key;
        bool isWallet;
    }

    /// @dev Enough gas for two payouts that burn all of theirs (see Withdraw.t.sol), and far more than other calls need.
    uint256 private constant GAS = 200_000_000;
    /// @dev A placeholder for any answer, such as a token's own refusal.
    bytes internal constant ANY = "any";

    Escrow public immutable ESCROW;
    address internal immutable IMPLEMENTATION;

    /// @dev A token that blocks addresses, Test USD (6 decimals), a token that returns nothing (8 decimals), and a plain
    ///      token (18 decimals). The last two have no authorizations.
    TestUSD[4] internal tokens;
    BlockingToken internal blocking;
    /// @dev 0 to 3 are accounts and 4 and 5 are wallets, which may be parties. 6 and 7 are arbiters. 8 has no role.
    Person[9] internal people;
    Rules.Deal[] internal deals;
    uint256 internal time;

    mapping(address token => mapping(address account => uint256)) internal holdings;
    mapping(address token => mapping(address payee => uint256)) internal debts;
    mapping(address token => uint256) internal inEscrow;
    mapping(address token => uint256) internal indebted;
    /// @dev Amounts sent to the escrow contract itself, where they stay.
    mapping(address token => uint256) internal strayed;
    mapping(address account => uint256) internal coins;
    /// @dev The deposit addresses whose clone was deployed.
    mapping(address deposit => bool) internal stands;

    constructor(Escrow escrow, TestUSD usd, uint256 start) {
        ESCROW = escrow;
        IMPLEMENTATION = escrow.DEPOSIT_IMPLEMENTATION();
        blocking = new BlockingToken();
        TestUSD silent = TestUSD(address(new SilentToken()));
        tokens = [TestUSD(address(blocking)), usd, silent, TestUSD(address(new PlainToken()))];
        for (uint256 i = 0; i < people.length; i++) {
            uint256 key = 0xa1 + i;
            bool isWallet = i == 4 || i == 5 || i == 7;
            address account = vm.addr(key);
            if (isWallet) account = address(new OwnedWallet(account, i == 4));
            people[i] = Person(account, key, isWallet);
        }
        time = start;
    }

    // Invariants

    /// @notice The contract holds exactly the open escrows and debts of each token.
    function checkTotals() external view {
        for (uint256 i = 0; i < tokens.length; i++) {
            address token = address(tokens[i]);
            uint256 expected = inEscrow[token] + indebted[token] + strayed[token];
            vm.assertEq(balanceOf(token, address(ESCROW)), expected, "open + owed");
        }
    }

    /// @notice The balances and debts of all accounts in each token equal the ledger's.
    function checkEverybody() external view {
        for (uint256 i = 0; i < tokens.length; i++) {
            address token = address(tokens[i]);
            checkBalance(token, address(ESCROW));
            checkBalance(token, IMPLEMENTATION);
            checkBalance(token, address(this));
            for (uint256 j = 0; j < deals.length; j++) {
                checkBalance(token, deals[j].deposit);
            }
            for (uint256 j = 0; j < people.length; j++) {
                address payee = people[j].account;
                checkBalance(token, payee);
                vm.assertEq(ESCROW.owed(payee, token), debts[token][payee], "owed");
            }
        }
        for (uint256 j = 0; j < people.length; j++) {
            vm.assertEq(people[j].account.balance, coins[people[j].account], "native coin");
        }
    }

    /// @notice Each ended escrow received the terms' amount, and paid or owes exactly this amount.
    function checkEnded() external view {
        for (uint256 i = 0; i < deals.length; i++) {
            Rules.Deal memory deal = deals[i];
            uint256 out = deal.paidToBuyer + deal.paidToProvider + deal.owedToBuyer + deal.owedToProvider;
            bool created = deal.status != Escrow.Status.None;
            vm.assertEq(deal.paidIn, created ? deal.terms.amount : 0, "paid in");
            vm.assertEq(out, Rules.isEnded(deal) ? deal.paidIn : deal.paid, "paid out");
            checkState(deal);
        }
    }

    // Money

    function mint(address token, address to, uint256 amount) internal {
        TestUSD(token).mint(to, amount);
        holdings[token][to] += amount;
    }

    function move(address token, address from, address to, uint256 amount) internal {
        holdings[token][from] -= amount;
        holdings[token][to] += amount;
    }

    function refuses(address token, address from, address to) internal view returns (bool) {
        return token == address(blocking) && blocking.isRefused(from, to);
    }

    function balanceOf(address token, address account) internal view returns (uint256) {
        return TestUSD(token).balanceOf(account);
    }

    /// @dev Compares the balances that a call on this escrow may change. The end of the run compares all others.
    function checkMoney(Rules.Deal memory deal) internal view {
        address token = deal.terms.token;
        checkBalance(token, deal.terms.buyer);
        checkBalance(token, deal.terms.provider);
        checkBalance(token, deal.deposit);
        checkBalance(token, address(ESCROW));
    }

    function checkBalance(address token, address account) internal view {
        vm.assertEq(balanceOf(token, account), holdings[token][account], "balance");
    }

    function checkState(Rules.Deal memory deal) internal view {
        Escrow.State memory state = ESCROW.getEscrow(deal.id);
        vm.assertEq(uint256(state.status), uint256(deal.status), "status");
        vm.assertEq(state.fundedAt, deal.fundedAt, "fundedAt");
        vm.assertEq(state.deliveryCount, deal.records, "deliveryCount");
        vm.assertEq(state.deliveredAt, deal.deliveredAt, "deliveredAt");
        vm.assertEq(state.disputedAt, deal.disputedAt, "disputedAt");
        vm.assertEq(state.paid, deal.paid, "paid");
        bool hasParts = deal.paid > 0 || deal.claimSums.length > 0;
        vm.assertEq(state.earned, hasParts ? Rules.claimed(deal) : 0, "earned");
        Escrow.Claim[] memory claims = ESCROW.getClaims(deal.id);
        vm.assertEq(claims.length, deal.claimSums.length, "claims");
        for (uint256 i = 0; i < claims.length; i++) {
            vm.assertEq(claims[i].earned, deal.claimSums[i], "a claim's sum");
            vm.assertEq(claims[i].recordedAt, deal.claimTimes[i], "a claim's time");
        }
        Escrow.Decision memory decision = ESCROW.getDecision(deal.id);
        vm.assertEq(decision.providerAmount, deal.share, "providerAmount");
        vm.assertEq(decision.decidedAt, deal.decidedAt, "decidedAt");
    }

    // Calls

    /// @dev Calls the contract and compares its answer: it must succeed if `refusal` is empty, and otherwise refuse with
    ///      exactly this data.
    function ask(address caller, bytes memory data, bytes memory refusal) internal returns (bool done) {
        vm.prank(caller);
        bytes memory answer;
        (done, answer) = address(ESCROW).call{gas: GAS}(data);
        vm.assertTrue(done == (refusal.length == 0), done ? "it went through" : "it was refused");
        if (done) return true;
        if (keccak256(refusal) == keccak256(ANY)) meet("refused by the token");
        else vm.assertEq(answer, refusal, "another refusal");
    }

    // Choices

    function roll(uint256 seed, string memory what, uint256 sides) internal pure returns (uint256) {
        return uint256(keccak256(abi.encode(seed, what))) % sides;
    }

    function anybody(uint256 seed, string memory who) internal view returns (Person memory) {
        return people[roll(seed, who, people.length)];
    }

    /// @dev Mostly the party that may make the call.
    function mostly(address rightful, uint256 seed) internal view returns (address) {
        if (rightful != address(0) && roll(seed, "rightful", 4) != 0) return rightful;
        return anybody(seed, "person").account;
    }

    /// @dev Mostly a deal of this status, otherwise any.
    function find(uint256 seed, Escrow.Status status) internal view returns (uint256 index) {
        uint256 start = roll(seed, "deal", deals.length);
        if (roll(seed, "any deal", 8) == 0) return start;
        for (uint256 i = 0; i < deals.length; i++) {
            index = (start + i) % deals.length;
            if (deals[index].status == status) return index;
        }
        return start;
    }

    function newDeal(uint256 seed) internal returns (uint256 index) {
        uint256 first = roll(seed, "buyer", 6);
        uint256 second = (first + 1 + roll(seed, "provider", 5)) % 6;
        address[4] memory arbiters = [address(0), people[6].account, people[7].account, address(0)];
        // This account may be a party of other escrows.
        uint256 third = roll(seed, "third", 6);
        if (third != first && third != second) arbiters[3] = people[third].account;

        Rules.Deal memory deal;
        deal.terms = Escrow.Terms({
            buyer: people[first].account,
            provider: people[second].account,
            token: address(tokens[roll(seed, "token", 5) % 4]),
            amount: newAmount(seed),
            fundBy: uint48(time + roll(seed, "fund by", 1 days)),
            deliveryWindow: newWindow(seed, "delivery"),
            acceptanceWindow: newWindow(seed, "acceptance"),
            disputeWindow: newWindow(seed, "dispute"),
            appealWindow: newWindow(seed, "appeal"),
            arbiter: arbiters[roll(seed, "arbiter", 4)],
            orderHash: bytes32(deals.length + 1)
        });
        deal.id = TypedData.idOf(address(ESCROW), deal.terms);
        deal.deposit = TypedData.depositAddress(address(ESCROW), IMPLEMENTATION, deal.id);
        deals.push(deal);
        return deals.length - 1;
    }

    function newAmount(uint256 seed) private pure returns (uint128) {
        uint256 kind = roll(seed, "kind of amount", 8);
        if (kind == 0) return 1;
        if (kind == 1) return type(uint128).max;
        return uint128(1 + roll(seed, "amount", 1e24));
    }

    function newWindow(uint256 seed, string memory what) private pure returns (uint32) {
        uint256 kind = roll(seed, string.concat(what, " kind"), 12);
        if (kind == 0) return 0;
        if (kind == 1) return type(uint32).max;
        return uint32(roll(seed, what, 12 hours));
    }
}
