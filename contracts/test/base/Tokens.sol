// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestUSD} from "../../dev/TestUSD.sol";
import {Reentrant} from "./Reentrant.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @notice Keeps a hundredth of each transfer to the taxed address, or of all transfers if that address is zero.
contract FeeToken is TestUSD {
    address public immutable TAXED;

    constructor(address taxed) {
        TAXED = taxed;
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (from != address(0) && (TAXED == address(0) || to == TAXED)) {
            super._update(to, address(0), value / 100);
        }
    }
}

/// @notice Refuses transfers from and to blocked addresses, as stablecoins do, in one of several ways.
contract BlockingToken is TestUSD {
    enum Refusal {
        Revert,
        ReturnFalse,
        BurnGas, // all it is given
        ReturnBomb // reverts with more data than a caller can afford to copy
    }

    mapping(address account => bool) public blocked;
    Refusal public refusal;

    error Blocked(address account);

    function setBlocked(address account, bool value) external {
        blocked[account] = value;
    }

    function setRefusal(Refusal value) external {
        refusal = value;
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        if (isRefused(msg.sender, to) && refusal == Refusal.ReturnFalse) return false;
        return super.transfer(to, value);
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        if (isRefused(from, to) && refusal == Refusal.ReturnFalse) return false;
        return super.transferFrom(from, to, value);
    }

    function isRefused(address from, address to) public view returns (bool) {
        return blocked[from] || blocked[to];
    }

    function _update(address from, address to, uint256 value) internal virtual override {
        if (from != address(0) && isRefused(from, to)) {
            if (refusal == Refusal.BurnGas) {
                assembly ("memory-safe") {
                    invalid()
                }
            }
            if (refusal == Refusal.ReturnBomb) {
                assembly ("memory-safe") {
                    revert(0, 500000)
                }
            }
            revert Blocked(blocked[to] ? to : from);
        }
        super._update(from, to, value);
    }
}

/// @notice Returns false instead of moving money, if the test sets this.
contract FalseToken is ERC20("False", "F") {
    bool public refuses = true;

    function setRefuses(bool value) external {
        refuses = value;
    }

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        return !refuses && super.transfer(to, value);
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        return !refuses && super.transferFrom(from, to, value);
    }
}

/// @notice Moves the money and answers with excessive data, whose first word is the result.
contract VerboseToken is TestUSD {
    uint256 public verdict = 1;

    function setVerdict(uint256 value) external {
        verdict = value;
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        super.transfer(to, value);
        answer();
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        super.transferFrom(from, to, value);
        answer();
    }

    function answer() private view {
        uint256 word = verdict;
        assembly ("memory-safe") {
            mstore(0, word)
            return(0, 500000)
        }
    }
}

/// @notice A minimal token: 18 decimals, and no authorizations.
contract PlainToken is ERC20("Plain", "P") {
    function mint(address to, uint256 value) external {
        _mint(to, value);
    }
}

/// @notice Returns nothing from `transfer`, `transferFrom` and `approve`, as USDT does, and has no authorizations.
contract SilentToken {
    uint8 public constant decimals = 8;
    mapping(address account => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }

    function approve(address spender, uint256 value) external {
        allowance[msg.sender][spender] = value;
    }

    function transfer(address to, uint256 value) external {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
    }

    function transferFrom(address from, address to, uint256 value) external {
        allowance[from][msg.sender] -= value;
        balanceOf[from] -= value;
        balanceOf[to] += value;
    }
}

/// @notice Refuses a transfer of nothing.
contract ZeroRefusingToken is TestUSD {
    function _update(address from, address to, uint256 value) internal override {
        require(value > 0, "nothing");
        super._update(from, to, value);
    }
}

/// @notice Changes every balance by one rate, in hundredths, as staked coins do.
contract RebasingToken is TestUSD {
    uint256 public rate = 100;

    function setRate(uint256 value) external {
        rate = value;
    }

    function balanceOf(address account) public view override returns (uint256) {
        return super.balanceOf(account) * rate / 100;
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value * 100 / rate);
    }
}

/// @notice Accepts every unknown call and does nothing, as wrapped ether does.
contract PermissiveToken is ERC20("Permissive", "P") {
    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    fallback() external {}
}

/// @notice Calls back during a transfer.
contract ReentrantToken is BlockingToken, Reentrant {
    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        reenter();
    }
}
