// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {
    BlockingToken,
    FalseToken,
    FeeToken,
    PlainToken,
    RebasingToken,
    SilentToken,
    VerboseToken,
    ZeroRefusingToken
} from "./base/Tokens.sol";
import {TypedData} from "./base/TypedData.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @notice Tokens that keep a fee, return false, nothing or too much, block an account, burn gas or lose their code.
///         Failed payouts are in Withdraw.t.sol and NoTrappedMoney.t.sol, tokens that call back in Reentrancy.t.sol.
contract MisbehavingTokensTest is EscrowTest {
    // A fee

    function testFuzz_refusesATokenThatKeepsAFee(uint128 amount) public {
        token = new FeeToken(address(0));
        Escrow.Terms memory terms = newTerms(amount < 100 ? 100 : amount);
        prepare(terms, buyer);
        expectError(Escrow.ReceivedTooLittle.selector, terms.amount - terms.amount / 100, terms.amount);
        vm.prank(buyer);
        escrow.createEscrow(terms);
    }

    function testFuzz_aFeeOnTheWayToTheDepositLeavesItShort(uint128 amount) public {
        token = new FeeToken(address(0));
        Escrow.Terms memory terms = newTerms(amount < 100 ? 100 : amount);
        address deposit = escrow.depositAddressOf(terms);
        token.mint(buyer, terms.amount);
        vm.prank(buyer);
        require(token.transfer(deposit, terms.amount));
        expectError(Escrow.DepositTooLow.selector, terms.amount - terms.amount / 100, terms.amount);
        escrow.createEscrowFromDeposit(terms);
    }

    function testFuzz_refusesATokenThatKeepsAFeeOnTheWayFromTheDeposit(uint128 amount) public {
        token = new FeeToken(address(escrow));
        Escrow.Terms memory terms = newTerms(amount < 100 ? 100 : amount);
        token.mint(escrow.depositAddressOf(terms), terms.amount);
        expectError(Escrow.ReceivedTooLittle.selector, terms.amount - terms.amount / 100, terms.amount);
        escrow.createEscrowFromDeposit(terms);
    }

    /// @dev The whole amount leaves the contract. The token keeps the part that the payee lacks.
    function testFuzz_aFeeOnTheWayOutIsThePayees(uint128 amount, uint128 others) public {
        token = new FeeToken(provider);
        newFunded(others);
        Escrow.Terms memory terms = newTerms(amount);
        terms.orderHash = keccak256("another order");
        fund(terms);
        vm.prank(buyer);
        escrow.release(terms);
        checkBalance(provider, terms.amount - terms.amount / 100);
        checkBalance(address(escrow), others == 0 ? 1 : others);
    }

    function testFuzz_aFeeOnAReturnIsTheBuyers(uint128 held) public {
        held = held == 0 ? 1 : held;
        token = new FeeToken(buyer);
        Escrow.Terms memory terms = newTerms(100);
        token.mint(escrow.depositAddressOf(terms), held);
        vm.prank(buyer);
        vm.assertEq(escrow.returnDeposit(terms, address(token)), held);
        checkBalance(buyer, held - held / 100);
    }

    // False

    function testFuzz_refusesATokenThatReturnsFalse(uint128 amount) public {
        (FalseToken falseToken, Escrow.Terms memory terms) = newFalse(amount);
        falseToken.mint(buyer, terms.amount);
        expectError(SafeERC20.SafeERC20FailedOperation.selector, address(falseToken));
        vm.prank(buyer);
        escrow.createEscrow(terms);
    }

    function testFuzz_refusesATokenThatReturnsFalseFromTheDeposit(uint128 amount) public {
        (FalseToken falseToken, Escrow.Terms memory terms) = newFalse(amount);
        falseToken.mint(escrow.depositAddressOf(terms), terms.amount);
        expectError(SafeERC20.SafeERC20FailedOperation.selector, address(falseToken));
        escrow.createEscrowFromDeposit(terms);
    }

    function testFuzz_aReturnThatTheTokenAnswersWithFalseWaits(uint128 amount) public {
        (FalseToken falseToken, Escrow.Terms memory terms) = newFalse(amount);
        falseToken.mint(escrow.depositAddressOf(terms), terms.amount);
        vm.warp(FUND_BY + 1);
        expectError(SafeERC20.SafeERC20FailedOperation.selector, address(falseToken));
        escrow.returnDeposit(terms, address(falseToken));
        falseToken.setRefuses(false);
        escrow.returnDeposit(terms, address(falseToken));
        vm.assertEq(falseToken.balanceOf(buyer), terms.amount);
    }

    function testFuzz_aPayoutAnsweredWithFalseIsOwedAndAWithdrawalAnsweredSoIsRefused(uint128 amount) public {
        (FalseToken falseToken, Escrow.Terms memory terms) = newFalse(amount);
        falseToken.setRefuses(false);
        falseToken.mint(escrow.depositAddressOf(terms), terms.amount);
        escrow.createEscrowFromDeposit(terms);
        falseToken.setRefuses(true);
        vm.prank(buyer);
        escrow.release(terms);
        vm.assertEq(escrow.owed(provider, address(falseToken)), terms.amount);
        expectError(SafeERC20.SafeERC20FailedOperation.selector, address(falseToken));
        escrow.withdraw(address(falseToken), provider);
        vm.assertEq(escrow.owed(provider, address(falseToken)), terms.amount);
    }

    // Nothing, or too much

    function testFuzz_takesAndSplitsATokenThatReturnsNothing(uint128 amount, uint128 share) public {
        SilentToken silent = new SilentToken();
        vm.assertEq(silent.decimals(), 8);
        Escrow.Terms memory terms = newTerms(amount);
        terms.token = address(silent);
        silent.mint(buyer, terms.amount);
        vm.prank(buyer);
        silent.approve(address(escrow), terms.amount);
        vm.prank(buyer);
        escrow.createEscrow(terms);
        checkSplit(terms, share);
    }

    function testFuzz_takesATokenThatReturnsNothingFromTheDeposit(uint128 amount, uint128 excess) public {
        excess = excess == 0 ? 1 : excess;
        SilentToken silent = new SilentToken();
        Escrow.Terms memory terms = newTerms(amount);
        terms.token = address(silent);
        silent.mint(escrow.depositAddressOf(terms), uint256(terms.amount) + excess);
        escrow.createEscrowFromDeposit(terms);
        escrow.returnDeposit(terms, address(silent));
        vm.assertEq(silent.balanceOf(address(escrow)), terms.amount);
        vm.assertEq(silent.balanceOf(buyer), excess);
    }

    function testFuzz_takesAndSplitsATokenThatAnswersWithTooMuch(uint128 amount, uint128 share) public {
        token = new VerboseToken();
        (Escrow.Terms memory terms,) = newFunded(amount);
        checkSplit(terms, share);
    }

    function testFuzz_refusesATokenWhoseAnswerIsNotTrue(uint256 verdict) public {
        verdict = verdict == 1 ? 2 : verdict;
        VerboseToken verbose = new VerboseToken();
        verbose.setVerdict(verdict);
        token = verbose;
        Escrow.Terms memory terms = newTerms(100);
        prepare(terms, buyer);
        expectError(SafeERC20.SafeERC20FailedOperation.selector, address(verbose));
        vm.prank(buyer);
        escrow.createEscrow(terms);
    }

    // A refusal of nothing

    function testFuzz_takesAndSplitsATokenThatRefusesATransferOfNothing(uint128 amount, bool toProvider)
        public
    {
        token = new ZeroRefusingToken();
        (Escrow.Terms memory terms,) = newFunded(amount);
        checkSplit(terms, toProvider ? terms.amount : 0);
    }

    // A rate

    function testFuzz_aDepositThatShrankCreatesNoEscrowAndReturns(uint128 amount) public {
        (RebasingToken rebasing, Escrow.Terms memory terms) = newRebasing(amount);
        rebasing.mint(escrow.depositAddressOf(terms), terms.amount);
        rebasing.setRate(50);
        expectError(Escrow.DepositTooLow.selector, uint256(terms.amount) * 50 / 100, terms.amount);
        escrow.createEscrowFromDeposit(terms);
        vm.prank(buyer);
        escrow.returnDeposit(terms, address(rebasing));
        rebasing.setRate(100);
        vm.assertEq(rebasing.balanceOf(buyer), terms.amount, "returned");
    }

    function testFuzz_aDepositThatGrewLeavesItsSurplusToTheBuyer(uint128 amount) public {
        (RebasingToken rebasing, Escrow.Terms memory terms) = newRebasing(amount);
        rebasing.mint(escrow.depositAddressOf(terms), terms.amount);
        rebasing.setRate(200);
        escrow.createEscrowFromDeposit(terms);
        escrow.returnDeposit(terms, address(rebasing));
        vm.assertEq(rebasing.balanceOf(buyer), terms.amount, "surplus");
    }

    function testFuzz_whatATokenThatShrankCannotPayWaits(uint128 amount) public {
        (RebasingToken rebasing, Escrow.Terms memory terms) = newRebasing(amount);
        rebasing.mint(escrow.depositAddressOf(terms), terms.amount);
        escrow.createEscrowFromDeposit(terms);
        rebasing.setRate(50);
        vm.prank(buyer);
        escrow.release(terms);
        vm.assertEq(escrow.owed(provider, address(rebasing)), terms.amount);
        rebasing.setRate(100);
        escrow.withdraw(address(rebasing), provider);
        vm.assertEq(rebasing.balanceOf(provider), terms.amount);
    }

    // Decimals, which the contract never asks for

    function testFuzz_takesAndSplitsSixDecimals(uint128 amount, uint128 share) public {
        vm.assertEq(token.decimals(), 6);
        (Escrow.Terms memory terms,) = newFunded(amount);
        checkSplit(terms, share);
    }

    function testFuzz_takesAndSplitsEighteenDecimals(uint128 amount, uint128 share) public {
        PlainToken plain = new PlainToken();
        vm.assertEq(plain.decimals(), 18);
        Escrow.Terms memory terms = newTerms(amount);
        terms.token = address(plain);
        plain.mint(escrow.depositAddressOf(terms), terms.amount);
        escrow.createEscrowFromDeposit(terms);
        checkSplit(terms, share);
    }

    // Blocking, in each of its ways

    function testFuzz_aBlockedPayerCannotFund(uint128 amount, uint8 refusal) public {
        BlockingToken blocking = useBlocking(refusal);
        Escrow.Terms memory terms = newTerms(amount);
        prepare(terms, buyer);
        blocking.setBlocked(buyer, true);
        vm.prank(buyer);
        checkRefused(abi.encodeCall(Escrow.createEscrow, (terms)));
        checkBalance(buyer, terms.amount);
    }

    function testFuzz_aDepositAddressThatIsBlockedWaits(uint128 amount, uint8 refusal) public {
        BlockingToken blocking = useBlocking(refusal);
        Escrow.Terms memory terms = newTerms(amount);
        address deposit = escrow.depositAddressOf(terms);
        token.mint(deposit, terms.amount);
        blocking.setBlocked(deposit, true);
        checkRefused(abi.encodeCall(Escrow.createEscrowFromDeposit, (terms)));
        checkStatus(escrow.escrowIdOf(terms), Escrow.Status.None);
        vm.prank(buyer);
        checkRefused(abi.encodeCall(Escrow.returnDeposit, (terms, address(token))));
        checkBalance(deposit, terms.amount);
        blocking.setBlocked(deposit, false);
        checkStatus(escrow.createEscrowFromDeposit(terms), Escrow.Status.Funded);
    }

    function testFuzz_aBlockedBuyersDepositCanStillBeEscrowedButNotReturned(uint128 amount, uint8 refusal)
        public
    {
        BlockingToken blocking = useBlocking(refusal);
        Escrow.Terms memory terms = newTerms(amount);
        token.mint(escrow.depositAddressOf(terms), uint256(terms.amount) + 1);
        blocking.setBlocked(buyer, true);
        escrow.createEscrowFromDeposit(terms);
        checkRefused(abi.encodeCall(Escrow.returnDeposit, (terms, address(token))));
        blocking.setBlocked(buyer, false);
        escrow.returnDeposit(terms, address(token));
        checkBalance(buyer, 1);
    }

    function testFuzz_whileTheTokenBlocksTheContractOthersTokensMove(uint128 amount, uint8 refusal) public {
        Escrow.Terms memory others = newTerms(amount);
        fund(others);
        BlockingToken blocking = useBlocking(refusal);
        (Escrow.Terms memory terms, bytes32 escrowId) = newFunded(amount);
        blocking.setBlocked(address(escrow), true);
        vm.prank(buyer);
        escrow.release{gas: 10_000_000}(terms);
        checkStatus(escrowId, Escrow.Status.Released);
        vm.assertEq(escrow.owed(provider, address(blocking)), terms.amount);
        vm.prank(buyer);
        escrow.release(others);
        vm.assertEq(IERC20(others.token).balanceOf(provider), others.amount);
        blocking.setBlocked(address(escrow), false);
        escrow.withdraw(address(blocking), provider);
        checkBalance(provider, terms.amount);
    }

    // Without code

    function test_refusesATokenThatLostItsCode() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(escrow.depositAddressOf(terms), 100);
        vm.etch(address(token), "");
        expectError(Escrow.TokenWithoutCode.selector, address(token));
        escrow.createEscrowFromDeposit(terms);
    }

    function testFuzz_whatATokenThatLostItsCodeOwesWaitsForIt(uint128 amount) public {
        (Escrow.Terms memory terms,) = newFunded(amount);
        bytes memory code = address(token).code;
        vm.etch(address(token), "");
        vm.prank(provider);
        escrow.refund(terms);
        expectError(SafeERC20.SafeERC20FailedOperation.selector, address(token));
        escrow.withdraw(address(token), buyer);
        vm.etch(address(token), code);
        escrow.withdraw(address(token), buyer);
        checkBalance(buyer, terms.amount);
    }

    // Parts

    function testFuzz_aFeeOnAPartIsTheProviders(uint128 amount, uint128 total) public {
        token = new FeeToken(provider);
        (Escrow.Terms memory terms,) = newFunded(amount < 2 ? 2 : amount);
        total = 1 + total % (terms.amount - 1);
        pay(terms, total);
        checkBalance(provider, total - total / 100);
        checkBalance(address(escrow), terms.amount - total);
    }

    function testFuzz_aPartAnsweredWithFalseIsOwedOnce(uint128 amount, uint128 total) public {
        (FalseToken falseToken, Escrow.Terms memory terms) = newFalse(amount < 2 ? 2 : amount);
        total = 1 + total % (terms.amount - 1);
        falseToken.setRefuses(false);
        falseToken.mint(escrow.depositAddressOf(terms), terms.amount);
        bytes32 id = escrow.createEscrowFromDeposit(terms);
        falseToken.setRefuses(true);
        pay(terms, total);
        vm.assertEq(escrow.owed(provider, address(falseToken)), total);
        vm.assertEq(escrow.getEscrow(id).paid, total);
        expectError(Escrow.ProviderAmountTooLow.selector, total, total);
        pay(terms, total);
        falseToken.setRefuses(false);
        vm.prank(provider);
        escrow.refund(terms);
        escrow.withdraw(address(falseToken), provider);
        vm.assertEq(falseToken.balanceOf(provider), total);
        vm.assertEq(falseToken.balanceOf(buyer), terms.amount - total);
        vm.assertEq(falseToken.balanceOf(address(escrow)), 0);
    }

    function testFuzz_aPartThatATokenThatShrankCannotPayWaits(uint128 amount) public {
        (RebasingToken rebasing, Escrow.Terms memory terms) = newRebasing(amount < 4 ? 4 : amount);
        rebasing.mint(escrow.depositAddressOf(terms), terms.amount);
        escrow.createEscrowFromDeposit(terms);
        rebasing.setRate(25);
        vm.prank(provider);
        escrow.recordPart(terms, terms.amount / 2, OUTPUT, false);
        vm.warp(START + ACCEPTANCE_WINDOW);
        escrow.releasePart(terms);
        vm.assertEq(escrow.owed(provider, address(rebasing)), terms.amount / 2);
        rebasing.setRate(100);
        escrow.withdraw(address(rebasing), provider);
        vm.assertEq(rebasing.balanceOf(provider), terms.amount / 2);
        vm.assertEq(rebasing.balanceOf(address(escrow)), terms.amount / 2);
    }

    function testFuzz_aBlockedProvidersPartIsOwed(uint128 amount, uint8 refusal) public {
        BlockingToken blocking = useBlocking(refusal);
        (Escrow.Terms memory terms, bytes32 id) = newFunded(amount < 2 ? 2 : amount);
        vm.prank(provider);
        escrow.recordPart(terms, 1, OUTPUT, true);
        vm.warp(START + ACCEPTANCE_WINDOW);
        blocking.setBlocked(provider, true);
        escrow.releasePart{gas: 10_000_000}(terms);
        checkStatus(id, Escrow.Status.Split);
        vm.assertEq(escrow.owed(provider, address(blocking)), 1);
        checkBalance(buyer, terms.amount - 1);
    }

    function testFuzz_aCloseOwesWhatTheTokenRefuses(uint128 amount, uint8 refusal) public {
        BlockingToken blocking = useBlocking(refusal);
        (Escrow.Terms memory terms, bytes32 id) = newFunded(amount < 2 ? 2 : amount);
        blocking.setBlocked(buyer, true);
        close(terms, 1);
        checkStatus(id, Escrow.Status.Split);
        vm.assertEq(escrow.owed(buyer, address(blocking)), terms.amount - 1);
        checkBalance(provider, 1);
    }

    function testFuzz_paysPartsOfATokenThatReturnsNothing(uint128 amount, uint128 share) public {
        SilentToken silent = new SilentToken();
        Escrow.Terms memory terms = newTerms(amount);
        terms.token = address(silent);
        silent.mint(escrow.depositAddressOf(terms), terms.amount);
        escrow.createEscrowFromDeposit(terms);
        checkParts(terms, share);
    }

    function testFuzz_paysPartsOfATokenThatAnswersWithTooMuch(uint128 amount, uint128 share) public {
        token = new VerboseToken();
        (Escrow.Terms memory terms,) = newFunded(amount);
        checkParts(terms, share);
    }

    /// @dev A close at what is paid moves nothing to the provider.
    function testFuzz_paysPartsOfATokenThatRefusesATransferOfNothing(uint128 amount, uint128 share) public {
        token = new ZeroRefusingToken();
        (Escrow.Terms memory terms,) = newFunded(amount);
        checkParts(terms, share);
    }

    // Inside

    function newRebasing(uint128 amount) private returns (RebasingToken rebasing, Escrow.Terms memory terms) {
        rebasing = new RebasingToken();
        terms = newTerms(amount < 2 ? 2 : amount / 2 * 2);
        terms.token = address(rebasing);
    }

    function newFalse(uint128 amount) private returns (FalseToken falseToken, Escrow.Terms memory terms) {
        falseToken = new FalseToken();
        terms = newTerms(amount);
        terms.token = address(falseToken);
    }

    function useBlocking(uint8 refusal) private returns (BlockingToken blocking) {
        blocking = new BlockingToken();
        blocking.setRefusal(BlockingToken.Refusal(refusal % 4));
        token = blocking;
    }

    function checkRefused(bytes memory data) private {
        (bool done,) = address(escrow).call{gas: 10_000_000}(data);
        vm.assertTrue(!done, "it went through");
    }

    /// @dev A dispute is decided in parts and settled: both parties have their part, and the contract has nothing.
    function checkSplit(Escrow.Terms memory terms, uint128 share) private {
        uint256 providerAmount = share % (uint256(terms.amount) + 1);
        vm.prank(terms.buyer);
        escrow.dispute(terms, REASON);
        decide(terms, providerAmount);
        vm.warp(START + APPEAL_WINDOW);
        escrow.settleDispute(terms);
        vm.assertEq(IERC20(terms.token).balanceOf(provider), providerAmount, "provider");
        vm.assertEq(IERC20(terms.token).balanceOf(buyer), terms.amount - providerAmount, "buyer");
        vm.assertEq(IERC20(terms.token).balanceOf(address(escrow)), 0, "contract");
    }

    function pay(Escrow.Terms memory terms, uint256 total) private {
        vm.prank(terms.buyer);
        escrow.useVoucher(terms, total, OUTPUT, "");
    }

    function close(Escrow.Terms memory terms, uint256 providerAmount) private {
        bytes32 digest = TypedData.close(address(escrow), escrow.escrowIdOf(terms), providerAmount, DEADLINE);
        bytes memory signature = sign(BUYER_KEY, digest);
        escrow.close{gas: 10_000_000}(terms, providerAmount, DEADLINE, signature, sign(PROVIDER_KEY, digest));
    }

    /// @dev A part is paid, and both parties close at it: both have their share, nobody is owed, and the contract has nothing.
    function checkParts(Escrow.Terms memory terms, uint128 share) private {
        uint256 providerAmount = share % uint256(terms.amount);
        if (providerAmount != 0) pay(terms, providerAmount);
        close(terms, providerAmount);
        vm.assertEq(IERC20(terms.token).balanceOf(provider), providerAmount, "provider");
        vm.assertEq(IERC20(terms.token).balanceOf(buyer), terms.amount - providerAmount, "buyer");
        vm.assertEq(IERC20(terms.token).balanceOf(address(escrow)), 0, "contract");
        vm.assertEq(escrow.owed(provider, terms.token), 0, "owed to the provider");
        vm.assertEq(escrow.owed(buyer, terms.token), 0, "owed to the buyer");
    }
}
