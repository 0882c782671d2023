// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {BlockingToken} from "./base/Tokens.sol";

/// @notice From every status that holds money, an outsider and time alone reach an end, within one transaction's gas,
///         whatever the windows are and whomever the token refuses. The money is then the parties', or owed to them and
///         theirs once the token lets it through.
contract NoTrappedMoneyTest is EscrowTest {
    /// @dev The largest gas limit of a transaction (EIP-7825).
    uint256 private constant TRANSACTION_GAS = 16_777_216;

    /// @dev What the parties agreed and what the token does to them. Nobody but the outsider acts after the status that
    ///      a test is about is reached.
    struct Case {
        uint128 amount;
        uint32 deliveryWindow;
        uint32 acceptanceWindow;
        uint32 disputeWindow;
        uint32 appealWindow;
        uint32 delay; // from the status's beginning to the outsider's call, besides the window
        uint8 funding;
        bool hasArbiter;
        bool refusesBuyer;
        bool refusesProvider;
        bool refusesContract;
        uint8 refusal;
    }

    BlockingToken private blocking;
    bytes private code;

    function setUp() public override {
        super.setUp();
        blocking = new BlockingToken();
        token = blocking;
        code = address(blocking).code;
    }

    function testFuzz_fundedGoesBackWhenNothingIsDelivered(Case memory how) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newCase(how);
        refuse(how);
        end(abi.encodeCall(Escrow.refund, (terms)), START + uint256(terms.deliveryWindow) + 1, how);
        checkEnd(escrowId, terms, Escrow.Status.Refunded, 0);
    }

    function testFuzz_deliveredGoesToTheProvider(Case memory how, uint32 deliveredAfter) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newCase(how);
        uint256 deliveredAt = START + deliveredAfter % (uint256(terms.deliveryWindow) + 1);
        vm.warp(deliveredAt);
        recordDelivery(terms);
        refuse(how);
        end(abi.encodeCall(Escrow.release, (terms)), deliveredAt + terms.acceptanceWindow, how);
        checkEnd(escrowId, terms, Escrow.Status.Released, terms.amount);
    }

    function testFuzz_partsGoToTheProviderAndTheRestBackWhenNothingMoreIsDelivered(
        Case memory how,
        uint32 recordedAfter,
        uint128 share
    ) public {
        allowSplit(how);
        (Escrow.Terms memory terms, bytes32 escrowId) = newCase(how);
        uint256 providerAmount = 1 + share % terms.amount;
        uint256 recordedAt = START + recordedAfter % (uint256(terms.deliveryWindow) + 1);
        vm.warp(recordedAt);
        recordPart(terms, providerAmount, false);
        refuse(how);
        uint256 from = START + uint256(terms.deliveryWindow) + 1;
        uint256 acceptedAt = recordedAt + terms.acceptanceWindow;
        end(abi.encodeCall(Escrow.refund, (terms)), from < acceptedAt ? acceptedAt : from, how);
        checkEnd(escrowId, terms, endingOf(terms, providerAmount), providerAmount);
    }

    function testFuzz_aFinalPartGoesToTheProviderAndTheRestBack(Case memory how, uint128 share) public {
        allowSplit(how);
        (Escrow.Terms memory terms, bytes32 escrowId) = newCase(how);
        uint256 providerAmount = 1 + share % terms.amount;
        recordPart(terms, providerAmount, true);
        refuse(how);
        end(abi.encodeCall(Escrow.release, (terms)), START + uint256(terms.acceptanceWindow), how);
        checkEnd(escrowId, terms, endingOf(terms, providerAmount), providerAmount);
    }

    function testFuzz_disputedPartsGoToTheProviderWhenNobodyDecides(
        Case memory how,
        uint128 share,
        bool isFinal
    ) public {
        allowSplit(how);
        (Escrow.Terms memory terms, bytes32 escrowId) = newCase(how);
        uint256 providerAmount = 1 + share % terms.amount;
        dispute(terms);
        recordPart(terms, providerAmount, isFinal);
        refuse(how);
        uint256 from = START + uint256(terms.disputeWindow) + 1;
        uint256 undeliveredAt = START + uint256(terms.deliveryWindow) + 1;
        if (!isFinal && from < undeliveredAt) from = undeliveredAt;
        end(abi.encodeCall(Escrow.settleDispute, (terms)), from, how);
        checkEnd(escrowId, terms, endingOf(terms, providerAmount), providerAmount);
    }

    function testFuzz_disputedGoesBackWhenNothingIsDeliveredAndNobodyDecides(
        Case memory how,
        uint32 disputedAfter
    ) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newCase(how);
        uint256 disputedAt = START + uint256(disputedAfter);
        vm.warp(disputedAt);
        dispute(terms);
        refuse(how);
        uint256 from = disputedAt + terms.disputeWindow + 1;
        uint256 undeliveredAt = START + uint256(terms.deliveryWindow) + 1;
        if (from < undeliveredAt) from = undeliveredAt;
        end(abi.encodeCall(Escrow.settleDispute, (terms)), from, how);
        checkEnd(escrowId, terms, Escrow.Status.Refunded, 0);
    }

    function testFuzz_disputedGoesToTheProviderWhoDeliveredWhenNobodyDecides(
        Case memory how,
        uint32 deliveredAfter,
        bool before
    ) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newCase(how);
        if (!before) dispute(terms);
        uint256 deliveredAt = START + deliveredAfter % (uint256(terms.deliveryWindow) + 1);
        vm.warp(deliveredAt);
        recordDelivery(terms);
        if (before) dispute(terms);
        refuse(how);
        uint256 disputedAt = before ? deliveredAt : START;
        uint256 from = disputedAt + terms.disputeWindow + 1;
        // A delivery may be recorded as long as nobody settled.
        if (from < deliveredAt) from = deliveredAt;
        end(abi.encodeCall(Escrow.settleDispute, (terms)), from, how);
        checkEnd(escrowId, terms, Escrow.Status.Released, terms.amount);
    }

    function testFuzz_decidedForTheBuyerGoesBack(Case memory how) public {
        checkDecided(how, 0, Escrow.Status.Refunded);
    }

    function testFuzz_decidedForTheProviderGoesToTheProvider(Case memory how) public {
        how.amount = how.amount == 0 ? 1 : how.amount;
        checkDecided(how, how.amount, Escrow.Status.Released);
    }

    function testFuzz_decidedInPartsIsSplit(Case memory how, uint128 share) public {
        how.amount = how.amount < 2 ? 2 : how.amount;
        allowSplit(how);
        checkDecided(how, 1 + share % (how.amount - 1), Escrow.Status.Split);
    }

    /// @dev A call leaves its caller a 64th of the gas at least. So a refusal that burns all it is given takes 64 times
    ///      what follows it: 1.6 million for a debt, 4 million for a debt and a transfer, and for two such refusals in
    ///      a row 64 times 1.6 million, which no transaction may have.
    function testFuzz_oneRefusalThatBurnsAllGasFits(uint128 share, bool refusesBuyer) public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newBurnt(share, refusesBuyer, !refusesBuyer);
        settle(terms, 4_000_000);
        checkEnd(escrowId, terms, Escrow.Status.Split, 1 + share % 99);
    }

    function test_twoRefusalsThatBurnAllGasWaitUntilTheTokenLetsOneThrough() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newBurnt(39, true, true);
        vm.assertTrue(!settle(terms, TRANSACTION_GAS), "two burnt payouts fit into a transaction");
        vm.assertTrue(!settle(terms, 100_000_000), "two burnt payouts take less than said");
        checkStatus(escrowId, Escrow.Status.Decided);
        blocking.setBlocked(buyer, false);
        vm.assertTrue(settle(terms, TRANSACTION_GAS), "still more than a transaction may have");
        checkEnd(escrowId, terms, Escrow.Status.Split, 40);
    }

    function test_twoRefusalsThatBurnAllGasTake104Million() public {
        (Escrow.Terms memory terms, bytes32 escrowId) = newBurnt(39, true, true);
        vm.assertTrue(settle(terms, 104_000_000), "two burnt payouts take more than said");
        checkEnd(escrowId, terms, Escrow.Status.Split, 40);
    }

    /// @dev A record and a dispute are refused, so only the buyer's voucher and the time act.
    function testFuzz_vouchersAloneLeaveTheRestToTheBuyer(Case memory how, uint128 share) public {
        // The provider is paid before the token refuses anybody.
        (how.refusesProvider, how.refusesContract, how.refusal) = (false, false, how.refusal % 4);
        how.amount = how.amount < 2 ? 2 : how.amount;
        how.acceptanceWindow = type(uint32).max;
        (Escrow.Terms memory terms, bytes32 escrowId) = newCaseOf(how);
        uint256 providerAmount = 1 + share % (how.amount - 1);
        vm.prank(buyer);
        escrow.useVoucher(terms, providerAmount, OUTPUT, "");
        refuse(how);
        end(abi.encodeCall(Escrow.refund, (terms)), START + uint256(terms.deliveryWindow) + 1, how);
        checkEnd(escrowId, terms, Escrow.Status.Split, providerAmount);
    }

    // Ways in

    function newCase(Case memory how) private returns (Escrow.Terms memory, bytes32) {
        // The longest window means vouchers alone.
        if (how.acceptanceWindow == type(uint32).max) how.acceptanceWindow--;
        return newCaseOf(how);
    }

    function newCaseOf(Case memory how) private returns (Escrow.Terms memory terms, bytes32 escrowId) {
        terms = newTerms(how.amount);
        terms.deliveryWindow = how.deliveryWindow;
        terms.acceptanceWindow = how.acceptanceWindow;
        terms.disputeWindow = how.disputeWindow;
        terms.appealWindow = how.appealWindow;
        if (!how.hasArbiter) terms.arbiter = address(0);
        if (how.funding % 3 == 0) {
            escrowId = fund(terms);
        } else if (how.funding % 3 == 1) {
            token.mint(escrow.depositAddressOf(terms), terms.amount);
            escrowId = escrow.createEscrowFromDeposit(terms);
        } else {
            token.mint(buyer, terms.amount);
            bytes memory signature = sign(BUYER_KEY, authorizationDigest(terms, buyer, 0));
            escrowId =
                escrow.createEscrowWithAuthorization(terms, buyer, 0, uint256(FUND_BY) + 1, 0, signature);
        }
    }

    /// @dev A decided dispute over 100 that may be settled now, in a token that burns all gas to refuse these parties.
    function newBurnt(uint128 share, bool refusesBuyer, bool refusesProvider)
        private
        returns (Escrow.Terms memory terms, bytes32 escrowId)
    {
        (terms, escrowId) = newDisputed(100);
        decide(terms, 1 + share % 99);
        blocking.setRefusal(BlockingToken.Refusal.BurnGas);
        blocking.setBlocked(buyer, refusesBuyer);
        blocking.setBlocked(provider, refusesProvider);
        vm.warp(START + APPEAL_WINDOW);
    }

    function refuse(Case memory how) private {
        if (how.refusal % 5 == 4) {
            vm.etch(address(token), "");
            return;
        }
        blocking.setRefusal(BlockingToken.Refusal(how.refusal % 5));
        blocking.setBlocked(buyer, how.refusesBuyer);
        blocking.setBlocked(provider, how.refusesProvider);
        blocking.setBlocked(address(escrow), how.refusesContract);
    }

    function checkDecided(Case memory how, uint256 providerAmount, Escrow.Status status) private {
        how.hasArbiter = true;
        (Escrow.Terms memory terms, bytes32 escrowId) = newCase(how);
        dispute(terms);
        uint256 decidedAt = START + uint256(terms.disputeWindow);
        vm.warp(decidedAt);
        decide(terms, providerAmount);
        refuse(how);
        end(abi.encodeCall(Escrow.settleDispute, (terms)), decidedAt + terms.appealWindow, how);
        checkEnd(escrowId, terms, status, providerAmount);
    }

    // The outsider

    /// @dev Refused in the second before, the call goes through from `notBefore` on, however late.
    function end(bytes memory data, uint256 notBefore, Case memory how) private {
        if (notBefore > block.timestamp) {
            vm.warp(notBefore - 1);
            expectError(Escrow.TooEarly.selector, notBefore - 1, notBefore);
            call(data, TRANSACTION_GAS);
        }
        vm.warp(notBefore + how.delay);
        (bool done, bytes memory answer) = call(data, TRANSACTION_GAS);
        if (!done) revert(string.concat("an outsider cannot end it: ", string(answer)));
    }

    function settle(Escrow.Terms memory terms, uint256 gas) private returns (bool done) {
        (done,) = call(abi.encodeCall(Escrow.settleDispute, (terms)), gas);
    }

    function call(bytes memory data, uint256 gas) private returns (bool, bytes memory) {
        vm.prank(outsider);
        return address(escrow).call{gas: gas - 21_000}(data);
    }

    /// @dev Ended, with each party paid or owed what is theirs; and paid once the token refuses nobody any more.
    function checkEnd(
        bytes32 escrowId,
        Escrow.Terms memory terms,
        Escrow.Status status,
        uint256 providerAmount
    ) private {
        checkStatus(escrowId, status);
        bool gone = address(token).code.length == 0;
        if (gone) vm.etch(address(token), code);
        vm.assertTrue(
            !gone || escrow.owed(provider, address(token)) == providerAmount, "a payout without a token"
        );
        blocking.setBlocked(buyer, false);
        blocking.setBlocked(provider, false);
        blocking.setBlocked(address(escrow), false);
        checkPaid(provider, providerAmount);
        checkPaid(buyer, terms.amount - providerAmount);
        checkBalance(address(escrow), 0);
    }

    function checkPaid(address party, uint256 due) private {
        uint256 debt = escrow.owed(party, address(token));
        checkBalance(party, due - debt);
        if (debt == 0) return;
        vm.prank(outsider);
        escrow.withdraw(address(token), party);
        checkBalance(party, due);
    }

    function recordPart(Escrow.Terms memory terms, uint256 earned, bool isFinal) private {
        vm.prank(terms.provider);
        escrow.recordPart(terms, earned, OUTPUT, isFinal);
    }

    /// @dev Two refusals that burn all gas take more than a transaction may have.
    function allowSplit(Case memory how) private pure {
        bool both = how.refusesContract || (how.refusesBuyer && how.refusesProvider);
        if (both && how.refusal % 5 == uint8(BlockingToken.Refusal.BurnGas)) how.refusal = 0;
    }

    function endingOf(Escrow.Terms memory terms, uint256 providerAmount)
        private
        pure
        returns (Escrow.Status)
    {
        return providerAmount == terms.amount ? Escrow.Status.Released : Escrow.Status.Split;
    }
}
