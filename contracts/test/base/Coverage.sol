// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Vm} from "./Vm.sol";

/// @notice Counts the cases that random calls reach. Each run appends its counts, including zeros, as one line to the
///         file that CASES_FILE names. scripts/contracts.ts adds the lines up, and fails if a sum is zero.
abstract contract Coverage {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    string[] private _cases;
    mapping(string what => uint256) private _places;
    mapping(string what => uint256) private _counts;

    constructor(string[] memory cases) {
        for (uint256 i = 0; i < cases.length; i++) {
            _cases.push(cases[i]);
            _places[cases[i]] = i + 1;
        }
    }

    function writeCounts() external {
        string memory file = vm.envOr("CASES_FILE", string(""));
        if (bytes(file).length == 0) return;
        string memory line;
        for (uint256 i = 0; i < _cases.length; i++) {
            string memory count = vm.toString(_counts[_cases[i]]);
            line = string.concat(line, i == 0 ? "" : "\t", _cases[i], "\t", count);
        }
        vm.writeLine(file, line);
    }

    /// @dev Counts a case of the list. A name that the list lacks fails.
    function meet(string memory what) internal {
        vm.assertTrue(_places[what] != 0, what);
        _counts[what]++;
    }
}
