// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestUSD} from "../../dev/TestUSD.sol";
import {Escrow} from "../../src/Escrow.sol";
import {BlockingToken} from "./Tokens.sol";
import {Vm} from "./Vm.sol";

/// @notice Random users of one escrow contract: every entry point, four people, two tokens of which one blocks, and
///         time that passes. Keeps its own books of what each escrow holds, from the calls that went through.
contract Handler {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    Escrow public immutable ESCROW;
    TestUSD[2] public tokens;
    address[4] public people;
    uint48 public time;

    Escrow.Terms[] private _terms;
    /// @dev What the contract should hold for each escrow, in the order of `_terms`.
    uint256[] public held;
    /// @dev What arrived at deposit addresses and is not in an escrow nor returned.
    mapping(address token => uint256) public deposited;
    mapping(address token => uint256) public minted;
    mapping(Escrow.Status => uint256) public reached;

    constructor(Escrow escrow, TestUSD plain, BlockingToken blocking, uint48 start) {
        ESCROW = escrow;
        tokens = [plain, TestUSD(address(blocking))];
        people = [vm.addr(0xa1), vm.addr(0xa2), vm.addr(0xa3), vm.addr(0xa4)];
        time = start;
    }

    // What the fuzzer calls

    function createEscrow(uint256 seed, uint128 amount) external {
        Escrow.Terms memory terms = newTerms(seed, amount);
        mint(terms, terms.buyer, terms.amount);
        vm.prank(terms.buyer);
        TestUSD(terms.token).approve(address(ESCROW), terms.amount);
        vm.prank(terms.buyer);
        ESCROW.createEscrow(terms);
        _terms.push(terms);
        held.push(terms.amount);
    }

    function createEscrowFromDeposit(uint256 seed, uint128 amount, uint64 excess, bool returnedBefore)
        external
    {
        Escrow.Terms memory terms = newTerms(seed, amount);
        address deposit = ESCROW.depositAddressOf(terms);
        if (returnedBefore) {
            mint(terms, deposit, 1);
            vm.prank(terms.buyer);
            try ESCROW.returnDeposit(terms, terms.token) {} catch {}
        }
        mint(terms, deposit, uint256(terms.amount) + excess);
        ESCROW.createEscrowFromDeposit(terms);
        deposited[terms.token] += TestUSD(terms.token).balanceOf(deposit);
        _terms.push(terms);
        held.push(terms.amount);
    }

    function payAgain(uint256 index, uint64 amount) external {
        Escrow.Terms memory terms = pick(index);
        mint(terms, ESCROW.depositAddressOf(terms), amount);
        deposited[terms.token] += amount;
    }

    function returnDeposit(uint256 index, uint256 caller) external {
        Escrow.Terms memory terms = pick(index);
        vm.prank(people[caller % 4]);
        deposited[terms.token] -= ESCROW.returnDeposit(terms, terms.token);
    }

    function recordDelivery(uint256 index, bytes32 outputHash) external {
        Escrow.Terms memory terms = _terms[find(index, Escrow.Status.Funded)];
        vm.prank(terms.provider);
        ESCROW.recordDelivery(terms, outputHash);
    }

    function release(uint256 index, uint256 caller) external {
        index = find(index, Escrow.Status.Funded);
        vm.prank(caller % 2 == 0 ? _terms[index].buyer : people[(caller >> 8) % 4]);
        ESCROW.release(_terms[index]);
        close(index);
    }

    function refund(uint256 index, uint256 caller) external {
        index = find(index, Escrow.Status.Funded);
        vm.prank(caller % 2 == 0 ? _terms[index].provider : people[(caller >> 8) % 4]);
        ESCROW.refund(_terms[index]);
        close(index);
    }

    function dispute(uint256 index, bool byProvider) external {
        Escrow.Terms memory terms = _terms[find(index, Escrow.Status.Funded)];
        vm.prank(byProvider ? terms.provider : terms.buyer);
        ESCROW.dispute(terms, bytes32(index));
    }

    function decideDispute(uint256 index, uint256 share) external {
        Escrow.Terms memory terms = _terms[find(index, Escrow.Status.Disputed)];
        vm.prank(terms.arbiter);
        ESCROW.decideDispute(terms, share % (uint256(terms.amount) + 1), bytes32(share));
    }

    function settleDispute(uint256 index, bool decided) external {
        index = find(index, decided ? Escrow.Status.Decided : Escrow.Status.Disputed);
        ESCROW.settleDispute(_terms[index]);
        close(index);
    }

    function withdraw(uint256 payee, bool unblock) external {
        address token = address(tokens[1]);
        for (uint256 i = 0; i < people.length; i++) {
            address person = people[(payee % 4 + i) % 4];
            if (ESCROW.owed(person, token) == 0) continue;
            if (unblock) BlockingToken(token).setBlocked(person, false);
            ESCROW.withdraw(token, person);
            return;
        }
        revert("nothing is owed");
    }

    function setBlocked(uint256 who, bool value, uint8 refusal) external {
        BlockingToken(address(tokens[1])).setBlocked(people[who % 4], value);
        BlockingToken(address(tokens[1])).setRefusal(BlockingToken.Refusal(refusal % 3));
    }

    function passTime(uint32 secondsPassed) external {
        warp(time + secondsPassed % 2 days);
    }

    // What the checks use

    function escrowCount() public view returns (uint256) {
        return _terms.length;
    }

    function termsAt(uint256 index) external view returns (Escrow.Terms memory) {
        return _terms[index];
    }

    function statusAt(uint256 index) public view returns (Escrow.Status) {
        return ESCROW.getEscrow(ESCROW.escrowIdOf(_terms[index])).status;
    }

    /// @notice What the books say the contract holds of a token for escrows that have not ended.
    function heldOf(address token) external view returns (uint256 sum) {
        for (uint256 i = 0; i < _terms.length; i++) {
            if (_terms[i].token == token) sum += held[i];
        }
    }

    function owedOf(address token) external view returns (uint256 sum) {
        for (uint256 i = 0; i < people.length; i++) {
            sum += ESCROW.owed(people[i], token);
        }
    }

    function balancesOf(address token) external view returns (uint256 sum) {
        for (uint256 i = 0; i < people.length; i++) {
            sum += TestUSD(token).balanceOf(people[i]);
        }
    }

    /// @notice Ends every escrow and pays out everything, by a stranger and by time alone.
    function drain() external {
        for (uint256 i = 0; i < people.length; i++) {
            BlockingToken(address(tokens[1])).setBlocked(people[i], false);
        }
        warp(time + 365 days);
        for (uint256 i = 0; i < _terms.length; i++) {
            Escrow.Status status = statusAt(i);
            uint48 deliveredAt = ESCROW.getEscrow(ESCROW.escrowIdOf(_terms[i])).deliveredAt;
            if (status == Escrow.Status.Disputed || status == Escrow.Status.Decided) {
                ESCROW.settleDispute(_terms[i]);
            } else if (status == Escrow.Status.Funded && deliveredAt != 0) {
                ESCROW.release(_terms[i]);
            } else if (status == Escrow.Status.Funded) {
                ESCROW.refund(_terms[i]);
            }
            held[i] = 0;
        }
        for (uint256 i = 0; i < people.length; i++) {
            for (uint256 j = 0; j < tokens.length; j++) {
                if (ESCROW.owed(people[i], address(tokens[j])) == 0) continue;
                ESCROW.withdraw(address(tokens[j]), people[i]);
            }
        }
    }

    // Inside

    function newTerms(uint256 seed, uint128 amount) private view returns (Escrow.Terms memory) {
        uint256 first = seed % 4;
        return Escrow.Terms({
            buyer: people[first],
            provider: people[(first + 1 + (seed >> 8) % 3) % 4],
            token: address(tokens[(seed >> 16) % 2]),
            amount: 1 + amount % 1e30,
            fundBy: time + 1 hours,
            deliveryWindow: uint32((seed >> 24) % 3 days),
            acceptanceWindow: uint32((seed >> 56) % 2 days),
            disputeWindow: uint32((seed >> 88) % 4 days),
            appealWindow: uint32((seed >> 120) % 1 days),
            arbiter: vm.addr(0xa5),
            orderHash: bytes32(_terms.length)
        });
    }

    function pick(uint256 index) private view returns (Escrow.Terms memory) {
        return _terms[index % _terms.length];
    }

    /// @dev The next escrow of this status, from any place on.
    function find(uint256 start, Escrow.Status status) private view returns (uint256 index) {
        for (uint256 i = 0; i < _terms.length; i++) {
            index = (start % _terms.length + i) % _terms.length;
            if (statusAt(index) == status) return index;
        }
        revert("none has this status");
    }

    function close(uint256 index) private {
        held[index] = 0;
        reached[statusAt(index)]++;
    }

    function mint(Escrow.Terms memory terms, address to, uint256 amount) private {
        TestUSD(terms.token).mint(to, amount);
        minted[terms.token] += amount;
    }

    function warp(uint48 to) private {
        time = to;
        vm.warp(to);
    }
}
