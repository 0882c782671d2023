// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

/// @notice A token of any decimals, without signatures. The others of this file differ from it in one respect each.
contract SimpleToken {
    string public name;
    string public symbol;
    uint8 public immutable decimals;
    uint256 public totalSupply;
    mapping(address => uint256) internal held;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(string memory name_, string memory symbol_, uint8 decimals_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }

    function balanceOf(address account) public view virtual returns (uint256) {
        return held[account];
    }

    function mint(address to, uint256 value) external {
        totalSupply += value;
        held[to] += value;
        emit Transfer(address(0), to, value);
    }

    function approve(address spender, uint256 value) external virtual returns (bool) {
        permitted(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external virtual returns (bool) {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    function permitted(address owner, address spender, uint256 value) internal {
        allowance[owner][spender] = value;
        emit Approval(owner, spender, value);
    }

    function move(address from, address to, uint256 value) internal virtual {
        held[from] -= value;
        held[to] += value;
        emit Transfer(from, to, value);
    }
}

/// @notice As USDT on Ethereum: returns nothing, changes an allowance only from or to zero, and can take a fee later.
contract SilentToken {
    string public name = "Tether USD";
    string public symbol = "USDT";
    uint256 public decimals = 6;
    uint256 public feePerTenThousand;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    function setFee(uint256 value) external {
        feePerTenThousand = value;
    }

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function approve(address spender, uint256 value) external {
        require(value == 0 || allowance[msg.sender][spender] == 0);
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }

    function transfer(address to, uint256 value) external {
        move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
    }

    function move(address from, address to, uint256 value) private {
        uint256 fee = (value * feePerTenThousand) / 10_000;
        balanceOf[from] -= value;
        balanceOf[to] += value - fee;
        balanceOf[address(this)] += fee;
        emit Transfer(from, to, value - fee);
        if (fee > 0) emit Transfer(from, address(this), fee);
    }
}

/// @notice As DAI: a permit that allows everything or nothing.
contract AllowingToken is SimpleToken {
    string public constant version = "1";
    bytes32 public immutable DOMAIN_SEPARATOR;
    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)");
    mapping(address => uint256) public nonces;

    constructor() SimpleToken("Dai Stablecoin", "DAI", 18) {
        DOMAIN_SEPARATOR = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256(bytes(name)),
                keccak256(bytes(version)),
                block.chainid,
                address(this)
            )
        );
    }

    function permit(
        address holder,
        address spender,
        uint256 nonce,
        uint256 expiry,
        bool allowed,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        bytes32 message = keccak256(abi.encode(PERMIT_TYPEHASH, holder, spender, nonce, expiry, allowed));
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR, message));
        require(holder != address(0) && holder == ecrecover(digest, v, r, s), "Dai/invalid-permit");
        require(expiry == 0 || block.timestamp <= expiry, "Dai/permit-expired");
        require(nonce == nonces[holder]++, "Dai/invalid-nonce");
        permitted(holder, spender, allowed ? type(uint256).max : 0);
    }
}

/// @notice Keeps a hundredth of each transfer.
contract FeeToken is SimpleToken("Fee", "FEE", 6) {
    function move(address from, address to, uint256 value) internal override {
        super.move(from, to, value);
        held[to] -= value / 100;
        held[address(this)] += value / 100;
    }
}

/// @notice Changes every balance by one rate, as staked coins do. The rate is in hundredths.
contract RebasingToken is SimpleToken("Rebasing", "REB", 6) {
    uint256 public rate = 100;

    function setRate(uint256 value) external {
        rate = value;
    }

    function balanceOf(address account) public view override returns (uint256) {
        return held[account] * rate / 100;
    }

    function move(address from, address to, uint256 value) internal override {
        super.move(from, to, value * 100 / rate);
    }
}

/// @notice Refuses a transfer of nothing.
contract ZeroRefusingToken is SimpleToken("No zero", "NOZ", 6) {
    function move(address from, address to, uint256 value) internal override {
        require(value > 0, "zero");
        super.move(from, to, value);
    }
}

/// @notice Calls a contract in each transfer, after the money has moved.
contract CallingToken is SimpleToken("Calling", "CALL", 6) {
    address public target;
    bytes public data;
    uint256 public calls;
    uint256 public successes;

    function setCall(address target_, bytes calldata data_) external {
        (target, data) = (target_, data_);
    }

    function move(address from, address to, uint256 value) internal override {
        super.move(from, to, value);
        if (target == address(0)) return;
        calls++;
        (bool done,) = target.call(data);
        if (done) successes++;
    }
}

/// @notice Names itself with a character that nobody sees.
contract HiddenToken is SimpleToken(unicode"Hidden", unicode"USD\u200b", 6) {}

/// @notice Stores parts of a whole, as Ampleforth does: a balance is the parts divided by a number that changes.
contract FragmentToken is SimpleToken("Fragments", "FRAG", 9) {
    uint256 public partsPerUnit = type(uint256).max / 50_000_000e9;

    function balanceOf(address account) public view override returns (uint256) {
        return held[account] / partsPerUnit;
    }

    function move(address from, address to, uint256 value) internal override {
        super.move(from, to, value * partsPerUnit);
    }
}

/// @notice Has EIP-3009, but a domain with a salt, as bridged tokens on Polygon have.
contract SaltedToken is SimpleToken("Salted", "SALT", 6) {
    function authorizationState(address, bytes32) external pure returns (bool) {
        return false;
    }
}
