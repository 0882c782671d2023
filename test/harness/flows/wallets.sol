// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

/// @notice A contract wallet of one owner (ERC-1271). It takes its owner's 65 bytes as they are, or, as wallets of
///         several owners want it, with the signer's address before them.
contract Wallet {
    address public immutable OWNER;

    constructor(address owner) {
        OWNER = owner;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view virtual returns (bytes4) {
        if (signature.length == 65) return _check(hash, signature);
        (address signer, bytes memory inner) = abi.decode(signature, (address, bytes));
        return signer == OWNER ? _check(hash, inner) : bytes4(0);
    }

    function execute(address to, bytes calldata data) external {
        require(msg.sender == OWNER, "not the owner");
        (bool ok,) = to.call(data);
        require(ok, "the call failed");
    }

    function _check(bytes32 hash, bytes memory signature) private view returns (bytes4) {
        return recover(hash, signature) == OWNER ? this.isValidSignature.selector : bytes4(0);
    }
}

/// @notice A wallet whose signatures cost a lot of gas to check.
contract CostlyWallet is Wallet {
    uint256 private immutable _GAS;

    constructor(address owner, uint256 gas_) Wallet(owner) {
        _GAS = gas_;
    }

    function isValidSignature(bytes32 hash, bytes calldata) external view override returns (bytes4) {
        burn(_GAS);
        return hash == 0 ? bytes4(0) : this.isValidSignature.selector;
    }
}

/// @notice Deploys wallets by CREATE2, each once: a second call for the same one reverts.
contract WalletFactory {
    function createWallet(address owner, bytes32 salt) external returns (address) {
        return address(new Wallet{salt: salt}(owner));
    }

    /// @notice As a factory does whose caller says what runs in the deployment: it takes as much gas as one likes.
    function createCostlyWallet(address owner, bytes32 salt, uint256 gas_) external returns (address) {
        burn(gas_);
        return address(new Wallet{salt: salt}(owner));
    }
}

/// @notice A contract that can hold money, and signs nothing.
contract Vault {
    receive() external payable {}
}

/// @notice What a key's account may delegate to (EIP-7702): it signs with that key (ERC-1271).
contract SigningDelegate {
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        return recover(hash, signature) == address(this) ? this.isValidSignature.selector : bytes4(0);
    }
}

/// @dev The signer, or zero.
function recover(bytes32 hash, bytes memory signature) pure returns (address) {
    if (signature.length != 65) return address(0);
    bytes32 r;
    bytes32 s;
    uint8 v;
    assembly ("memory-safe") {
        r := mload(add(signature, 0x20))
        s := mload(add(signature, 0x40))
        v := byte(0, mload(add(signature, 0x60)))
    }
    return ecrecover(hash, v, r, s);
}

/// @dev Burns this much, or all there is.
function burn(uint256 amount) view {
    uint256 available = gasleft();
    uint256 end = available > amount ? available - amount : 0;
    while (gasleft() > end) {}
}
