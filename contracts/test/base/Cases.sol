// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice The cases that random calls must reach at least once in all runs together.
library Cases {
    function all() internal pure returns (string[] memory cases) {
        string[65] memory names = [
            "created by allowance",
            "created by authorization",
            "created by a wallet's authorization",
            "created by an authorization to the contract",
            "created by a wallet's authorization to the contract",
            "refused: an authorization to the contract used by an outsider",
            "created after an outsider used the authorization",
            "created where the deposit held the amount, the authorization unused",
            "created from an exact deposit",
            "created from a deposit with excess",
            "created at a deposit address that stood already",
            "refused: a second creation",
            "refused: a creation after fundBy",
            "refused: a deposit too low",
            "delivery recorded",
            "delivery recorded by signature",
            "delivery recorded by a wallet's signature",
            "delivery recorded again",
            "delivery recorded while disputed",
            "disputed",
            "disputed by signature",
            "disputed by a wallet's signature",
            "decided",
            "decided by signature",
            "decided by a wallet's signature",
            "Released: by the buyer",
            "Released: by the buyer by signature",
            "Released: by the buyer by a wallet's signature",
            "Released: by anyone after the acceptance window",
            "Released: as decided",
            "Released: disputed, the arbiter silent",
            "Released: disputed, no arbiter",
            "Refunded: by the provider",
            "Refunded: by the provider by signature",
            "Refunded: by the provider by a wallet's signature",
            "Refunded: by anyone after the delivery window",
            "Refunded: as decided",
            "Refunded: disputed, the arbiter silent",
            "Refunded: disputed, no arbiter",
            "Split: as decided",
            "the buyer's payout deferred",
            "the provider's payout deferred",
            "both payouts of a split deferred",
            "a deferred payout withdrawn",
            "returned: to the buyer who took it back",
            "returned: short or late, by anyone",
            "returned: what exceeded the amount or came again",
            "returned: another token",
            "returned: native coin",
            "refused: a return of what an escrow can be created from",
            "refused: native coin to a deposit address that stands",
            "refused: nothing owed",
            "refused: a withdrawal while the token blocks",
            "refused by the token",
            "refused: another status",
            "refused: another caller",
            "refused: too early",
            "refused: too late",
            "refused: more than there is",
            "refused: an expired signature",
            "refused: a signature not genuine",
            "time at a window's border",
            "every entry tried on an ended escrow",
            "every entry tried with altered terms",
            "a used signature tried again"
        ];
        cases = new string[](names.length);
        for (uint256 i = 0; i < names.length; i++) {
            cases[i] = names[i];
        }
    }
}
