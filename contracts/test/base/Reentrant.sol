// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice Calls back into a contract once, and remembers whether the call succeeded.
abstract contract Reentrant {
    address public target;
    bytes public data;
    /// @notice The number of opportunities to call back that are skipped.
    uint256 public patience;
    bool public attempted;
    bool public succeeded;
    bytes public answer;

    function arm(address target_, bytes calldata data_, uint256 patience_) external {
        target = target_;
        data = data_;
        patience = patience_;
        attempted = false;
    }

    function reenter() internal {
        if (target == address(0)) return;
        if (patience > 0) {
            patience--;
            return;
        }
        address callee = target;
        target = address(0);
        attempted = true;
        (succeeded, answer) = callee.call(data);
    }
}

/// @notice A buyer that calls back when paid in native coin.
contract ReentrantBuyer is Reentrant {
    receive() external payable {
        reenter();
    }
}
