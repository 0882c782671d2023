// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {EscrowTest} from "./base/EscrowTest.sol";

/// @notice Values that others compute without a call: ids, deposit addresses, the signing domain.
contract IdentityTest is EscrowTest {
    function testFuzz_theIdIsTheHashOfChainContractAndTerms(Escrow.Terms memory terms, uint32 chain) public {
        vm.chainId(uint256(chain) + 1);
        bytes memory who = abi.encode(uint256(chain) + 1, escrow, terms.buyer, terms.provider, terms.token);
        bytes memory when = abi.encode(
            terms.amount,
            terms.fundBy,
            terms.deliveryWindow,
            terms.acceptanceWindow,
            terms.disputeWindow,
            terms.appealWindow,
            terms.arbiter,
            terms.orderHash
        );
        vm.assertEq(escrow.escrowIdOf(terms), keccak256(bytes.concat(who, when)));
    }

    function testFuzz_theDepositAddressIsThatOfAnERC1167Clone(Escrow.Terms memory terms) public view {
        bytes32 initCodeHash = keccak256(
            abi.encodePacked(
                hex"3d602d80600a3d3981f3363d3d373d3d3d363d73",
                escrow.DEPOSIT_IMPLEMENTATION(),
                hex"5af43d82803e903d91602b57fd5bf3"
            )
        );
        bytes32 hash = keccak256(
            abi.encodePacked(bytes1(0xff), address(escrow), escrow.escrowIdOf(terms), initCodeHash)
        );
        vm.assertEq(escrow.depositAddressOf(terms), address(uint160(uint256(hash))));
    }

    function test_theSigningDomainIsPublished() public view {
        (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        ) = escrow.eip712Domain();
        vm.assertEq(bytes32(fields), bytes32(bytes1(0x0f)));
        vm.assertEq(name, "Earnest Escrow");
        vm.assertEq(version, "1");
        vm.assertEq(chainId, block.chainid);
        vm.assertEq(verifyingContract, address(escrow));
        vm.assertEq(salt, bytes32(0));
        vm.assertEq(extensions.length, 0);
    }

    function testFuzz_anUnknownEscrowIsAllZero(bytes32 escrowId) public view {
        Escrow.State memory state = escrow.getEscrow(escrowId);
        Escrow.Decision memory decision = escrow.getDecision(escrowId);
        bytes32 zero = keccak256(new bytes(9 * 32));
        vm.assertEq(keccak256(abi.encode(state, decision)), zero);
        vm.assertEq(escrow.getClaims(escrowId).length, 0);
    }

    function test_theContractTakesNoNativeCoin() public {
        vm.deal(address(this), 1 ether);
        (bool success,) = address(escrow).call{value: 1 ether}("");
        vm.assertTrue(!success, "native coin would be stuck here");
    }
}
