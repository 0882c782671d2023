// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Escrow} from "../../src/Escrow.sol";

/// @notice Digests and deposit addresses, computed from the documented texts and not by the contract.
library TypedData {
    /// @notice The EIP-712 digest of a message in the domain `name`, version 1.
    function digestOf(address contract_, string memory name, bytes32 message)
        internal
        view
        returns (bytes32)
    {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256(bytes(name)),
                keccak256("1"),
                block.chainid,
                contract_
            )
        );
        return keccak256(abi.encodePacked("\x19\x01", domain, message));
    }

    function recordDelivery(
        address escrow,
        bytes32 escrowId,
        bytes32 outputHash,
        uint256 number,
        uint256 deadline
    ) internal view returns (bytes32) {
        bytes32 typeHash = keccak256(
            "RecordDelivery(bytes32 escrowId,bytes32 outputHash,uint32 number,uint256 deadline)"
        );
        return digest(escrow, abi.encode(typeHash, escrowId, outputHash, number, deadline));
    }

    function release(address escrow, bytes32 escrowId, uint256 deadline) internal view returns (bytes32) {
        bytes32 typeHash = keccak256("Release(bytes32 escrowId,uint256 deadline)");
        return digest(escrow, abi.encode(typeHash, escrowId, deadline));
    }

    function refund(address escrow, bytes32 escrowId, uint256 deadline) internal view returns (bytes32) {
        bytes32 typeHash = keccak256("Refund(bytes32 escrowId,uint256 deadline)");
        return digest(escrow, abi.encode(typeHash, escrowId, deadline));
    }

    function dispute(address escrow, bytes32 escrowId, bytes32 reasonHash, uint256 deadline)
        internal
        view
        returns (bytes32)
    {
        bytes32 typeHash = keccak256("Dispute(bytes32 escrowId,bytes32 reasonHash,uint256 deadline)");
        return digest(escrow, abi.encode(typeHash, escrowId, reasonHash, deadline));
    }

    function decideDispute(
        address escrow,
        bytes32 escrowId,
        uint256 providerAmount,
        bytes32 rulingHash,
        uint256 deadline
    ) internal view returns (bytes32) {
        bytes32 typeHash = keccak256(
            "DecideDispute(bytes32 escrowId,uint256 providerAmount,bytes32 rulingHash,uint256 deadline)"
        );
        return digest(escrow, abi.encode(typeHash, escrowId, providerAmount, rulingHash, deadline));
    }

    function recordPart(
        address escrow,
        bytes32 escrowId,
        uint256 earned,
        bytes32 workHash,
        bool isFinal,
        uint256 number,
        uint256 deadline
    ) internal view returns (bytes32) {
        bytes32 typeHash = keccak256(
            "RecordPart(bytes32 escrowId,uint256 earned,bytes32 workHash,bool isFinal,uint32 number,uint256 deadline)"
        );
        return digest(escrow, abi.encode(typeHash, escrowId, earned, workHash, isFinal, number, deadline));
    }

    function voucher(address escrow, bytes32 escrowId, uint256 cumulativeAmount, bytes32 workHash)
        internal
        view
        returns (bytes32)
    {
        bytes32 typeHash = keccak256("Voucher(bytes32 escrowId,uint256 cumulativeAmount,bytes32 workHash)");
        return digest(escrow, abi.encode(typeHash, escrowId, cumulativeAmount, workHash));
    }

    function close(address escrow, bytes32 escrowId, uint256 providerAmount, uint256 deadline)
        internal
        view
        returns (bytes32)
    {
        bytes32 typeHash = keccak256("Close(bytes32 escrowId,uint256 providerAmount,uint256 deadline)");
        return digest(escrow, abi.encode(typeHash, escrowId, providerAmount, deadline));
    }

    /// @notice The digest of an EIP-3009 transfer of Test USD.
    function transferWithAuthorization(
        address token,
        address from,
        address to,
        uint256 value,
        uint256 validBefore,
        bytes32 nonce
    ) internal view returns (bytes32) {
        bytes32 typeHash = keccak256(
            "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
        );
        bytes memory message = abi.encode(typeHash, from, to, value, 0, validBefore, nonce);
        return digestOf(token, "Test USD", keccak256(message));
    }

    /// @notice The digest of an EIP-3009 receipt of Test USD.
    function receiveWithAuthorization(
        address token,
        address from,
        address to,
        uint256 value,
        uint256 validBefore,
        bytes32 nonce
    ) internal view returns (bytes32) {
        bytes32 typeHash = keccak256(
            "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
        );
        bytes memory message = abi.encode(typeHash, from, to, value, 0, validBefore, nonce);
        return digestOf(token, "Test USD", keccak256(message));
    }

    function idOf(address escrow, Escrow.Terms memory terms) internal view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, escrow, terms));
    }

    /// @notice The address of the ERC-1167 clone whose salt is the escrow's id.
    function depositAddress(address escrow, address implementation, bytes32 id)
        internal
        pure
        returns (address)
    {
        bytes32 initCodeHash = keccak256(
            abi.encodePacked(
                hex"3d602d80600a3d3981f3363d3d373d3d3d363d73",
                implementation,
                hex"5af43d82803e903d91602b57fd5bf3"
            )
        );
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), escrow, id, initCodeHash)))));
    }

    function digest(address escrow, bytes memory message) private view returns (bytes32) {
        return digestOf(escrow, "Earnest Escrow", keccak256(message));
    }
}
