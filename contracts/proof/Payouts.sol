// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {either, eq, ne} from "./Logic.sol";
import {Proof} from "./Proof.sol";
import {AnyToken} from "./Tokens.sol";

/// @notice What a token was told to pay in one call, and to whom.
abstract contract Payouts is Proof {
    /// @dev The payments of a token in one call.
    struct Paid {
        uint256 toBuyer;
        uint256 toProvider;
        /// @dev From the deposit address to the buyer and to the contract.
        uint256 returned;
        uint256 collected;
        /// @dev 1 if anything was paid by somebody else, or to somebody else.
        uint256 elsewhere;
    }

    function owedTo(uint256 payee) internal view returns (uint256) {
        return escrow.owed(address(uint160(payee)), address(token));
    }

    function paymentsFor(Words memory words) internal view returns (Paid memory paid) {
        (uint256 count, AnyToken.Payment memory first, AnyToken.Payment memory second) = token.payments();
        assert(count <= 2);
        address deposit = depositOf(words);
        if (count > 0) note(paid, words, deposit, first);
        if (count > 1) note(paid, words, deposit, second);
    }

    function note(Paid memory paid, Words memory words, address deposit, AnyToken.Payment memory payment)
        private
        view
    {
        uint256 toBuyer = eq(uint160(payment.to), words.buyer);
        unchecked {
            if (payment.by == address(escrow)) {
                uint256 toProvider = eq(uint160(payment.to), words.provider);
                paid.toBuyer += either(toBuyer, payment.amount, 0);
                paid.toProvider += either(toProvider, payment.amount, 0);
                paid.elsewhere |= 1 ^ (toBuyer | toProvider);
            } else {
                uint256 toEscrow = eq(uint160(payment.to), uint160(address(escrow))) & (1 ^ toBuyer);
                paid.returned += either(toBuyer, payment.amount, 0);
                paid.collected += either(toEscrow, payment.amount, 0);
                paid.elsewhere |= ne(uint160(payment.by), uint160(deposit)) | (1 ^ (toBuyer | toEscrow));
            }
        }
    }
}
