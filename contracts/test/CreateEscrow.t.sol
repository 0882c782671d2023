// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";
import {FeeToken} from "./base/Tokens.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

contract CreateEscrowTest is EscrowTest {
    function testFuzz_takesTheAmountAndHoldsIt(uint128 amount) public {
        Escrow.Terms memory terms = newTerms(amount);
        prepare(terms, buyer);
        bytes32 expectedId = keccak256(abi.encode(block.chainid, address(escrow), terms));

        vm.expectEmit(address(escrow));
        emit Escrow.EscrowCreated(expectedId, terms.orderHash, buyer, terms);
        vm.prank(buyer);
        bytes32 escrowId = escrow.createEscrow(terms);

        vm.assertEq(escrowId, expectedId);
        checkBalance(address(escrow), terms.amount);
        checkBalance(buyer, 0);
        Escrow.State memory state = escrow.getEscrow(escrowId);
        checkStatus(escrowId, Escrow.Status.Funded);
        vm.assertEq(state.fundedAt, START);
        vm.assertEq(state.deliveryCount, 0);
        vm.assertEq(state.deliveredAt, 0);
        vm.assertEq(state.disputedAt, 0);
    }

    function test_emitsOnceAndBeforeTheMoneyMoves() public {
        Escrow.Terms memory terms = newTerms(100);
        prepare(terms, buyer);
        vm.recordLogs();
        vm.prank(buyer);
        escrow.createEscrow(terms);
        checkEvents(abi.encodePacked(Escrow.EscrowCreated.selector, IERC20.Transfer.selector));
    }

    function test_keepsATimeAfter2106() public {
        vm.warp(FAR);
        Escrow.Terms memory terms = newTerms(100);
        terms.fundBy = FAR;
        vm.assertEq(escrow.getEscrow(fund(terms)).fundedAt, FAR);
    }

    function test_othersMoneyDoesNotMakeUpForAFee() public {
        token = new FeeToken(address(0));
        token.mint(address(escrow), 1000);
        Escrow.Terms memory terms = newTerms(100);
        prepare(terms, buyer);
        expectError(Escrow.ReceivedTooLittle.selector, 99, 100);
        vm.prank(buyer);
        escrow.createEscrow(terms);
    }

    function test_anyoneMayPayForTheBuyer() public {
        Escrow.Terms memory terms = newTerms(100);
        prepare(terms, outsider);
        vm.expectEmit(address(escrow));
        emit Escrow.EscrowCreated(escrow.escrowIdOf(terms), terms.orderHash, outsider, terms);
        vm.prank(outsider);
        escrow.createEscrow(terms);
        vm.prank(provider);
        escrow.refund(terms);
        checkBalance(buyer, 100);
    }

    function test_acceptsTermsWithoutAnArbiter() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.arbiter = address(0);
        checkStatus(fund(terms), Escrow.Status.Funded);
    }

    function test_acceptsTheLastSecondOfFundBy() public {
        vm.warp(FUND_BY);
        checkStatus(fund(newTerms(100)), Escrow.Status.Funded);
    }

    function test_refusesAfterFundBy() public {
        Escrow.Terms memory terms = newTerms(100);
        prepare(terms, buyer);
        vm.warp(FUND_BY + 1);
        expectError(Escrow.TooLate.selector, FUND_BY + 1, FUND_BY);
        vm.prank(buyer);
        escrow.createEscrow(terms);
    }

    function test_refusesTheSameTermsTwice() public {
        Escrow.Terms memory terms = newTerms(100);
        fund(terms);
        prepare(terms, buyer);
        expectWrongStatus(Escrow.Status.Funded, Escrow.Status.None);
        vm.prank(buyer);
        escrow.createEscrow(terms);
    }

    function test_refusesTheTermsOfAnEndedEscrow() public {
        Escrow.Terms memory terms = newTerms(100);
        fund(terms);
        vm.prank(buyer);
        escrow.release(terms);
        prepare(terms, buyer);
        expectWrongStatus(Escrow.Status.Released, Escrow.Status.None);
        vm.prank(buyer);
        escrow.createEscrow(terms);
    }

    function test_refusesWithoutAllowance() public {
        Escrow.Terms memory terms = newTerms(100);
        token.mint(buyer, 100);
        vm.expectRevert(
            abi.encodeWithSelector(
                IERC20Errors.ERC20InsufficientAllowance.selector, address(escrow), uint256(0), uint256(100)
            )
        );
        vm.prank(buyer);
        escrow.createEscrow(terms);
    }

    function test_refusesTermsWithoutABuyer() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.buyer = address(0);
        expectMissing(terms, "buyer");
    }

    function test_refusesTermsWithoutAProvider() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.provider = address(0);
        expectMissing(terms, "provider");
    }

    function test_refusesTermsWithoutAToken() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.token = address(0);
        expectMissing(terms, "token");
    }

    function test_refusesTermsWithoutAnAmount() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.amount = 0;
        expectMissing(terms, "amount");
    }

    function test_refusesABuyerWhoIsTheProvider() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.provider = buyer;
        expectError(Escrow.SameParties.selector, buyer);
        escrow.createEscrow(terms);
    }

    function test_refusesTheEscrowContractAsTheBuyer() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.buyer = address(escrow);
        prepare(terms, outsider);
        expectError(Escrow.PartyIsEscrow.selector, address(escrow));
        vm.prank(outsider);
        escrow.createEscrow(terms);
    }

    function test_refusesTheEscrowContractAsTheProvider() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.provider = address(escrow);
        prepare(terms, buyer);
        expectError(Escrow.PartyIsEscrow.selector, address(escrow));
        vm.prank(buyer);
        escrow.createEscrow(terms);
    }

    function test_refusesAnArbiterWhoIsTheBuyer() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.arbiter = buyer;
        expectError(Escrow.ArbiterIsParty.selector, buyer);
        escrow.createEscrow(terms);
    }

    function test_refusesAnArbiterWhoIsTheProvider() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.arbiter = provider;
        expectError(Escrow.ArbiterIsParty.selector, provider);
        escrow.createEscrow(terms);
    }

    function test_refusesATokenThatIsNoContract() public {
        Escrow.Terms memory terms = newTerms(100);
        terms.token = outsider;
        expectError(Escrow.TokenWithoutCode.selector, outsider);
        escrow.createEscrow(terms);
    }

    /// @dev The event copies the terms whole, so dirty bits must be refused before: the lowest and the highest bit above
    ///      each term, whatever the other terms are.
    function testFuzz_refusesTermsWithDirtyHighBits(uint8 bit) public {
        uint16[10] memory widths = [uint16(160), 160, 160, 128, 48, 32, 32, 32, 32, 160];
        Escrow.Terms memory terms = newTerms(100);
        prepare(terms, address(this));
        for (uint256 term = 0; term < widths.length; term++) {
            for (uint256 i = 0; i < 3; i++) {
                uint256 place = [uint256(widths[term]), 255, widths[term] + bit % (256 - widths[term])][i];
                bytes memory data = abi.encodeCall(Escrow.createEscrow, (terms));
                assembly ("memory-safe") {
                    // After the length and the selector.
                    let word := add(add(data, 0x24), mul(term, 0x20))
                    mstore(word, or(mload(word), shl(place, 1)))
                }
                (bool success,) = address(escrow).call(data);
                vm.assertTrue(!success, "dirty terms were accepted");
            }
        }
        escrow.createEscrow(terms);
    }

    function expectMissing(Escrow.Terms memory terms, string memory term) private {
        vm.expectRevert(abi.encodeWithSelector(Escrow.MissingTerm.selector, term));
        escrow.createEscrow(terms);
    }
}
