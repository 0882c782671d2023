// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

/// @notice A contract wallet that says yes to any signature (ERC-1271) while it believes that its call is only tried, and
///         burns all the gas it is given once it believes that it is mined.
contract TwoFacedWallet {
    enum Tell {
        NEVER,
        GAS_PRICE,
        GAS_LEFT,
        COINBASE
    }

    Tell private immutable _TELL;
    uint256 private immutable _AT;

    constructor(Tell tell, uint256 at) {
        _TELL = tell;
        _AT = at;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        if (_looksMined()) while (gasleft() > 500) { }
        return this.isValidSignature.selector;
    }

    /// @notice As a call that a token or Permit2 hands on to its wallet, whose words come back as they are.
    function callBack() external view {
        // It takes this much in any case, or it would not be given more.
        uint256 end = gasleft() - 200_000;
        while (gasleft() > end) { }
        if (_looksMined()) revert("authorization is used");
    }

    function _looksMined() private view returns (bool) {
        // A simulation mostly has neither a gas price nor a gas limit.
        if (_TELL == Tell.GAS_PRICE) return tx.gasprice != 0;
        if (_TELL == Tell.GAS_LEFT) return gasleft() < _AT;
        // A simulation cannot know the builder of the future block.
        if (_TELL == Tell.COINBASE) return uint160(address(block.coinbase)) == _AT;
        return false;
    }
}
