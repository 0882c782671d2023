// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Deposit} from "./Deposit.sol";
import {IERC3009} from "@openzeppelin/contracts/interfaces/draft-IERC3009.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title Transfer with authorization, by a signature of any length
/// @notice The overload of EIP-3009's transfer that takes the signature as bytes, for ERC-1271 wallets.
interface ITransferWithAuthorizationBytes {
    /// @notice Moves `value` from `from` to `to` by `from`'s signature.
    /// @param from The payer, who signed the authorization.
    /// @param to The payee.
    /// @param value The amount in base units.
    /// @param validAfter The authorization is valid after this second.
    /// @param validBefore The authorization is valid before this second.
    /// @param nonce Any 32 bytes that `from` has not used.
    /// @param signature The signature in the form that `from`'s wallet accepts.
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external;
}

/// @title Receipt with authorization, by a signature of any length
/// @notice The overload of EIP-3009's receipt that takes the signature as bytes, for ERC-1271 wallets.
interface IReceiveWithAuthorizationBytes {
    /// @notice Moves `value` from `from` to the caller by `from`'s signature.
    /// @param from The payer, who signed the authorization.
    /// @param to The payee, the only address that may call.
    /// @param value The amount in base units.
    /// @param validAfter The authorization is valid after this second.
    /// @param validBefore The authorization is valid before this second.
    /// @param nonce Any 32 bytes that `from` has not used.
    /// @param signature The signature in the form that `from`'s wallet accepts.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external;
}

/// @title Escrow
/// @notice Holds the ERC-20 payment of an order until it is released, refunded, or a dispute is settled. Money
///         leaves only to the escrow's own buyer and provider. There is no owner, no pause, no upgrade and no fee.
/// @dev The id of an escrow is a hash of its terms, which are passed with every call and never stored. Every entry
///      has the same order: hash, check the state, check caller and time, write the state, emit, move tokens.
///      Entries that move tokens hold the reentrancy lock. The others make no call that could re-enter.
contract Escrow is EIP712, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// @notice The status of an escrow.
    enum Status {
        None, // never created
        Funded, // holds the amount
        Disputed, // waits for the arbiter
        Decided, // waits for the end of the appeal window
        Released, // ended: all to the provider
        Refunded, // ended: all to the buyer
        Split // ended: some to each
    }

    /// @notice The terms of the parties. All times are unix seconds, all windows seconds.
    struct Terms {
        /// @notice The party that gets refunds, even if another address paid.
        address buyer;
        /// @notice The party that is paid.
        address provider;
        /// @notice The ERC-20 token.
        address token;
        /// @notice The amount in the token's base units.
        uint128 amount;
        /// @notice The last second in which the escrow can be created.
        uint48 fundBy;
        /// @notice From funding to the last second in which a delivery can be recorded.
        uint32 deliveryWindow;
        /// @notice From the first recorded delivery, or from a recorded part, to the second from which anyone may
        ///         release it. `VOUCHERS_ONLY`: nothing is recorded and nothing disputed.
        uint32 acceptanceWindow;
        /// @notice From the dispute to the last second in which the arbiter can decide.
        uint32 disputeWindow;
        /// @notice From the decision to the second from which anyone may settle it.
        uint32 appealWindow;
        /// @notice The arbiter of disputes; zero for none. Without one, a dispute lasts until the end of its window.
        address arbiter;
        /// @notice The SHA-256 of the order's agreement.
        bytes32 orderHash;
    }

    /// @notice The state of an escrow.
    struct State {
        /// @notice The status.
        Status status;
        /// @notice The number of records, of deliveries and of parts.
        uint32 deliveryCount;
        /// @notice The time of the creation.
        uint48 fundedAt;
        /// @notice The time of the first recorded delivery, or of the final part; zero if there is none.
        uint48 deliveredAt;
        /// @notice The time of the dispute; zero if there is none.
        uint48 disputedAt;
        /// @notice The sum of the paid parts; zero if the escrow has no parts.
        uint128 paid;
        /// @notice The provider's claims in all, at least `paid`; zero if the escrow has no parts. A recorded delivery
        ///         claims the amount.
        uint128 earned;
    }

    /// @dev The stored fields of an escrow without parts, one slot: the first fields of `State` and three more.
    struct Slot {
        Status status;
        uint32 deliveryCount;
        uint48 fundedAt;
        uint48 deliveredAt;
        uint48 disputedAt;
        /// @dev Whether `returnDeposit` deployed the clone before the creation. Without this flag, every creation from
        ///      a deposit would read the clone's code, which costs 2,600 gas.
        bool depositDeployed;
        /// @dev Whether `_parts` has an entry. Escrows without parts read and write this slot alone.
        bool hasParts;
        /// @dev The number of used entries of `_claims`.
        uint8 claimCount;
    }

    /// @dev The sums of an escrow in parts, one slot.
    struct Parts {
        uint128 paid;
        uint128 earned;
    }

    /// @notice A recorded part, one slot.
    struct Claim {
        /// @notice The provider's claims in all, from the beginning.
        uint128 earned;
        /// @notice The time of the first record with this sum.
        uint48 recordedAt;
    }

    /// @notice The arbiter's decision, one slot, which is written only by a decision.
    struct Decision {
        /// @notice The provider's part; the buyer gets the rest.
        uint128 providerAmount;
        /// @notice The time of the decision; zero if there is none.
        uint48 decidedAt;
    }

    /// @notice The gas from which a failed payout counts as the token's refusal. With less gas left, the whole call reverts.
    /// @dev Far above what an ERC-20 transfer needs: nobody can make a good payout fail by sending too little gas.
    uint256 public constant DEFERRAL_GAS = 500_000;

    /// @notice The acceptance window of an escrow that pays the provider by the buyer's acts alone: by a voucher, a
    ///         release or a close. The provider records no work, and nobody disputes.
    uint32 public constant VOUCHERS_ONLY = type(uint32).max;

    /// @notice The most parts that a provider can record for an escrow, because a release reads all of them.
    uint256 public constant MOST_CLAIMS = 64;

    /// @notice The contract that every deposit address is a clone of.
    address public immutable DEPOSIT_IMPLEMENTATION;

    bytes32 private constant RECORD_DELIVERY_TYPEHASH =
        keccak256("RecordDelivery(bytes32 escrowId,bytes32 outputHash,uint32 number,uint256 deadline)");
    bytes32 private constant RELEASE_TYPEHASH = keccak256("Release(bytes32 escrowId,uint256 deadline)");
    bytes32 private constant REFUND_TYPEHASH = keccak256("Refund(bytes32 escrowId,uint256 deadline)");
    bytes32 private constant DISPUTE_TYPEHASH =
        keccak256("Dispute(bytes32 escrowId,bytes32 reasonHash,uint256 deadline)");
    bytes32 private constant DECIDE_DISPUTE_TYPEHASH = keccak256(
        "DecideDispute(bytes32 escrowId,uint256 providerAmount,bytes32 rulingHash,uint256 deadline)"
    );
    bytes32 private constant RECORD_PART_TYPEHASH = keccak256(
        "RecordPart(bytes32 escrowId,uint256 earned,bytes32 workHash,bool isFinal,uint32 number,uint256 deadline)"
    );
    bytes32 private constant VOUCHER_TYPEHASH =
        keccak256("Voucher(bytes32 escrowId,uint256 cumulativeAmount,bytes32 workHash)");
    bytes32 private constant CLOSE_TYPEHASH =
        keccak256("Close(bytes32 escrowId,uint256 providerAmount,uint256 deadline)");

    mapping(bytes32 escrowId => Slot) private _escrows;
    mapping(bytes32 escrowId => Decision) private _decisions;

    /// @notice The amounts of failed payouts that can be withdrawn, in base units.
    mapping(address payee => mapping(address token => uint256 amount)) public owed;

    mapping(bytes32 escrowId => Parts) private _parts;
    mapping(bytes32 escrowId => Claim[MOST_CLAIMS]) private _claims;

    /// @notice An escrow was created and holds its amount.
    /// @param escrowId The id of the escrow.
    /// @param orderHash The SHA-256 of the order's agreement.
    /// @param payer The source of the money: the caller, the signer of the authorization, or the deposit address if
    ///        it already held the money.
    /// @param terms The terms of the parties.
    event EscrowCreated(
        bytes32 indexed escrowId, bytes32 indexed orderHash, address indexed payer, Terms terms
    );
    /// @notice The provider recorded a delivery.
    /// @param escrowId The id of the escrow.
    /// @param outputHash The SHA-256 of the delivered output.
    /// @param number The number of the record, from 1, parts included. Later records replace the hash and change no
    ///        time.
    /// @param deliveredAt The time of the first recorded delivery.
    /// @param autoReleaseAt The time from which anyone may release, which the first record fixes.
    event DeliveryRecorded(
        bytes32 indexed escrowId, bytes32 outputHash, uint32 number, uint48 deliveredAt, uint48 autoReleaseAt
    );
    /// @notice The provider recorded a part.
    /// @param escrowId The id of the escrow.
    /// @param workHash The SHA-256 of the work.
    /// @param earned The provider's claims in all, from the beginning, in base units.
    /// @param number The number of the record, from 1, deliveries included.
    /// @param recordedAt The time of the first record with this sum. Later ones replace the hash and change no time.
    /// @param acceptedAt The time from which anyone may release the part.
    /// @param isFinal Whether the provider has given up the rest of the amount.
    event PartRecorded(
        bytes32 indexed escrowId,
        bytes32 workHash,
        uint256 earned,
        uint32 number,
        uint48 recordedAt,
        uint48 acceptedAt,
        bool isFinal
    );
    /// @notice A part was paid to the provider, or is owed. If it ends the escrow, `Released` follows.
    /// @param escrowId The id of the escrow.
    /// @param provider The payee.
    /// @param token The ERC-20 token.
    /// @param amount The part in base units.
    /// @param total The sum of all parts in base units, this one included.
    /// @param workHash The hash of the work in the buyer's voucher; zero for a part that was released.
    event PartReleased(
        bytes32 indexed escrowId,
        address indexed provider,
        address indexed token,
        uint256 amount,
        uint256 total,
        bytes32 workHash
    );
    /// @notice A party disputed the escrow.
    /// @param escrowId The id of the escrow.
    /// @param party The buyer or the provider, who disputed.
    /// @param reasonHash A hash of the reason.
    /// @param decideBy The last second in which the arbiter can decide.
    event Disputed(bytes32 indexed escrowId, address indexed party, bytes32 reasonHash, uint48 decideBy);
    /// @notice The arbiter decided the dispute.
    /// @param escrowId The id of the escrow.
    /// @param arbiter The arbiter.
    /// @param providerAmount The provider's part in base units.
    /// @param buyerAmount The buyer's part in base units.
    /// @param rulingHash A hash of the ruling.
    /// @param settleableAt The time from which anyone may settle the dispute.
    event DisputeDecided(
        bytes32 indexed escrowId,
        address indexed arbiter,
        uint256 providerAmount,
        uint256 buyerAmount,
        bytes32 rulingHash,
        uint48 settleableAt
    );
    /// @notice The escrow ended, and `amount` of it belongs to the provider, who may have got parts of it before.
    /// @param escrowId The id of the escrow.
    /// @param provider The payee.
    /// @param token The ERC-20 token.
    /// @param amount The amount in base units.
    event Released(bytes32 indexed escrowId, address indexed provider, address indexed token, uint256 amount);
    /// @notice The escrow ended, and `amount` of it belongs to the buyer. A split emits `Released` too.
    /// @param escrowId The id of the escrow.
    /// @param buyer The payee.
    /// @param token The ERC-20 token.
    /// @param amount The amount in base units.
    event Refunded(bytes32 indexed escrowId, address indexed buyer, address indexed token, uint256 amount);
    /// @notice Money at a deposit address that belongs to no escrow went to the buyer.
    /// @param escrowId The id of the escrow.
    /// @param token The token, or zero for the native coin.
    /// @param buyer The payee.
    /// @param amount The returned amount in base units.
    event DepositReturned(
        bytes32 indexed escrowId, address indexed token, address indexed buyer, uint256 amount
    );
    /// @notice A token refused a payout; `withdraw` pays it later.
    /// @param escrowId The id of the escrow.
    /// @param payee The owner of the amount.
    /// @param token The ERC-20 token.
    /// @param amount The owed amount in base units.
    event PayoutDeferred(
        bytes32 indexed escrowId, address indexed payee, address indexed token, uint256 amount
    );
    /// @notice An owed amount was paid.
    /// @param payee The payee.
    /// @param token The ERC-20 token.
    /// @param amount The paid amount in base units.
    event PayoutWithdrawn(address indexed payee, address indexed token, uint256 amount);

    /// @notice The terms lack a buyer, provider, token or amount; `term` names it.
    /// @param term The name of the term.
    error MissingTerm(string term);
    /// @notice Buyer and provider are one address.
    /// @param party The address of both.
    error SameParties(address party);
    /// @notice A party is this contract, which cannot spend its payment.
    /// @param party The address of both.
    error PartyIsEscrow(address party);
    /// @notice The arbiter is a party.
    /// @param arbiter The address of both.
    error ArbiterIsParty(address arbiter);
    /// @notice The token's address has no code.
    /// @param token The address.
    error TokenWithoutCode(address token);
    /// @notice The call is not possible in the escrow's status. If two statuses allow it, `expected` is the first.
    /// @param status The escrow's status.
    /// @param expected The required status.
    error WrongStatus(Status status, Status expected);
    /// @notice The time for this call is over.
    /// @param timestamp The time of the block.
    /// @param notAfter The last second for this call.
    error TooLate(uint256 timestamp, uint256 notAfter);
    /// @notice The time for this call has not come.
    /// @param timestamp The time of the block.
    /// @param notBefore The first second for this call.
    error TooEarly(uint256 timestamp, uint256 notBefore);
    /// @notice Only the buyer may do this now.
    /// @param caller The caller.
    /// @param buyer The buyer.
    error NotBuyer(address caller, address buyer);
    /// @notice Only the provider may do this now.
    /// @param caller The caller.
    /// @param provider The provider.
    error NotProvider(address caller, address provider);
    /// @notice Only the arbiter may do this.
    /// @param caller The caller.
    /// @param arbiter The arbiter.
    error NotArbiter(address caller, address arbiter);
    /// @notice Only the buyer and the provider may do this.
    /// @param caller The caller or signer.
    /// @param buyer The buyer, who may.
    /// @param provider The provider, who may.
    error NotParty(address caller, address buyer, address provider);
    /// @notice The signature's deadline has passed.
    /// @param timestamp The time of the block.
    /// @param deadline The last second of the signature.
    error SignatureExpired(uint256 timestamp, uint256 deadline);
    /// @notice The signature is not a signature of this EIP-712 digest by `signer`.
    /// @param signer The required signer.
    /// @param digest The required digest.
    error InvalidSignature(address signer, bytes32 digest);
    /// @notice The deposit address holds less than the amount.
    /// @param balance The balance in base units.
    /// @param amount The amount of the terms.
    error DepositTooLow(uint256 balance, uint256 amount);
    /// @notice The token transferred less than the amount.
    /// @param received The received amount in base units.
    /// @param amount The amount of the terms.
    error ReceivedTooLittle(uint256 received, uint256 amount);
    /// @notice The deposit address holds nothing of this token.
    /// @param deposit The deposit address.
    /// @param token The token, or zero for the native coin.
    error NothingToReturn(address deposit, address token);
    /// @notice Nothing is owed to this payee in this token.
    /// @param payee The payee.
    /// @param token The token.
    error NothingOwed(address payee, address token);
    /// @notice The provider would get more than the amount, or more than a final part claims.
    /// @param providerAmount The provider's sum in the call, in base units.
    /// @param amount The most that the provider can get.
    error ProviderAmountTooHigh(uint256 providerAmount, uint256 amount);
    /// @notice The provider would get less than is paid or accepted, or a part is not above what it must exceed.
    /// @param providerAmount The provider's sum in the call, in base units.
    /// @param least The sum that is paid, accepted or claimed. A part must exceed it.
    error ProviderAmountTooLow(uint256 providerAmount, uint256 least);
    /// @notice The delivery or the final part is recorded, and this record claims another sum.
    error AlreadyDelivered();
    /// @notice The escrow has as many recorded parts as it can have.
    /// @param most The highest number of recorded parts.
    error TooManyClaims(uint256 most);
    /// @notice The escrow takes no record of work and no dispute, because only the buyer's acts pay its provider.
    error OnlyVouchersPay();
    /// @notice A payout failed with so little gas that the failure proves nothing.
    /// @param available The gas before the payout.
    /// @param required The required gas.
    error NotEnoughGas(uint256 available, uint256 required);

    /// @notice Deploys the implementation of the deposit addresses.
    constructor() EIP712("Earnest Escrow", "1") {
        DEPOSIT_IMPLEMENTATION = address(new Deposit());
    }

    /// @notice Creates an escrow, paid by the caller's allowance. Anyone may pay, until `fundBy`.
    /// @param terms The terms of the parties.
    /// @return escrowId The escrow's id.
    function createEscrow(Terms calldata terms) external nonReentrant returns (bytes32 escrowId) {
        escrowId = escrowIdOf(terms);
        _create(escrowId, terms);
        _emitCreated(escrowId, msg.sender, terms);

        uint256 balanceBefore = IERC20(terms.token).balanceOf(address(this));
        IERC20(terms.token).safeTransferFrom(msg.sender, address(this), terms.amount);
        _checkReceived(terms, balanceBefore);
    }

    /// @notice Creates an escrow, paid by an EIP-3009 authorization to the deposit address. Anyone may send it, until
    ///         `fundBy`.
    /// @dev If another address used the authorization first, the deposit address already holds the money, and the
    ///      creation uses it. So nobody can stop the creation, and no second payment is taken. If the token refuses
    ///      the authorization, its own error is passed on.
    /// @param terms The terms of the parties.
    /// @param from The signer of the authorization.
    /// @param validAfter The authorization is valid after this second.
    /// @param validBefore The authorization is valid before this second.
    /// @param nonce The authorization's nonce.
    /// @param signature The authorization's signature; 65 bytes go to the token as (v, r, s), others as bytes.
    /// @return escrowId The escrow's id.
    function createEscrowWithAuthorization(
        Terms calldata terms,
        address from,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external nonReentrant returns (bytes32 escrowId) {
        escrowId = escrowIdOf(terms);
        bool depositDeployed = _create(escrowId, terms);
        address deposit = _depositAddress(escrowId);
        address payer = deposit;
        if (IERC20(terms.token).balanceOf(deposit) < terms.amount) {
            // The collection below fails if the token accepts the authorization without a transfer.
            _useAuthorization(terms, deposit, from, validAfter, validBefore, nonce, signature);
            payer = from;
        }
        _emitCreated(escrowId, payer, terms);

        _collectDeposit(escrowId, terms, deposit, depositDeployed);
    }

    /// @notice Creates an escrow, paid by an EIP-3009 authorization to this contract whose nonce is the escrow's id.
    ///         Its `validAfter` is zero. Anyone may send it, until `fundBy`.
    /// @dev The id is the hash of chain, contract and terms, so the signature is valid for these terms only. The token
    ///      lets only this contract use it, so the money cannot arrive here without the creation. No deposit address is
    ///      needed, which saves a third of the gas. If the token refuses the authorization, its own error is passed on.
    /// @param terms The terms of the parties.
    /// @param from The signer of the authorization.
    /// @param validBefore The authorization is valid before this second.
    /// @param signature The authorization's signature; 65 bytes go to the token as (v, r, s), others as bytes.
    /// @return escrowId The escrow's id.
    function createEscrowWithReceiveAuthorization(
        Terms calldata terms,
        address from,
        uint256 validBefore,
        bytes calldata signature
    ) external nonReentrant returns (bytes32 escrowId) {
        escrowId = escrowIdOf(terms);
        _create(escrowId, terms);
        _emitCreated(escrowId, from, terms);

        uint256 balanceBefore = IERC20(terms.token).balanceOf(address(this));
        if (signature.length == 65) {
            (uint8 v, bytes32 r, bytes32 s) = _split(signature);
            IERC3009(terms.token)
                .receiveWithAuthorization(
                    from, address(this), terms.amount, 0, validBefore, escrowId, v, r, s
                );
        } else {
            IReceiveWithAuthorizationBytes(terms.token)
                .receiveWithAuthorization(
                    from, address(this), terms.amount, 0, validBefore, escrowId, signature
                );
        }
        _checkReceived(terms, balanceBefore);
    }

    /// @notice Creates an escrow from the money at its deposit address. Anyone may call, until `fundBy`.
    /// @param terms The terms of the parties.
    /// @return escrowId The escrow's id.
    function createEscrowFromDeposit(Terms calldata terms) external nonReentrant returns (bytes32 escrowId) {
        escrowId = escrowIdOf(terms);
        bool depositDeployed = _create(escrowId, terms);
        address deposit = _depositAddress(escrowId);
        uint256 balance = IERC20(terms.token).balanceOf(deposit);
        if (balance < terms.amount) revert DepositTooLow(balance, terms.amount);
        _emitCreated(escrowId, deposit, terms);

        _collectDeposit(escrowId, terms, deposit, depositDeployed);
    }

    /// @notice Sends the whole balance of a deposit address in one token to the terms' buyer. Anyone may call at any
    ///         time. Exception: while an escrow can be created from the order's token, only the buyer may return it.
    /// @param terms The terms of the parties.
    /// @param token The token, or zero for the native coin.
    /// @return amount The returned amount in base units.
    function returnDeposit(Terms calldata terms, address token)
        external
        nonReentrant
        returns (uint256 amount)
    {
        bytes32 escrowId = escrowIdOf(terms);
        address deposit = _depositAddress(escrowId);
        Slot storage escrow = _escrows[escrowId];
        bool awaitsEscrow = escrow.status == Status.None && block.timestamp <= terms.fundBy;
        if (awaitsEscrow && token == terms.token && msg.sender != terms.buyer) {
            revert TooEarly(block.timestamp, uint256(terms.fundBy) + 1);
        }
        amount = token == address(0) ? deposit.balance : IERC20(token).balanceOf(deposit);
        if (amount == 0) revert NothingToReturn(deposit, token);
        if (awaitsEscrow) escrow.depositDeployed = true;
        emit DepositReturned(escrowId, token, terms.buyer, amount);

        if (deposit.code.length == 0) Clones.cloneDeterministic(DEPOSIT_IMPLEMENTATION, escrowId);
        Deposit(deposit).sweep(token, terms.buyer, amount);
    }

    /// @notice Records the provider's delivery. The first record starts the acceptance window; later ones change the
    ///         hash only. Possible until `deliveryWindow` after funding, also during a dispute.
    /// @param terms The terms of the parties.
    /// @param outputHash The SHA-256 of the delivered output.
    function recordDelivery(Terms calldata terms, bytes32 outputHash) external {
        bytes32 escrowId = escrowIdOf(terms);
        Slot storage escrow = _escrowOpenToDelivery(escrowId);
        if (msg.sender != terms.provider) revert NotProvider(msg.sender, terms.provider);
        _recordDelivery(escrowId, terms, escrow, outputHash);
    }

    /// @notice `recordDelivery` by the provider's signature.
    /// @param terms The terms of the parties.
    /// @param outputHash The SHA-256 of the delivered output.
    /// @param deadline The last second in which the signature is valid.
    /// @param signature The provider's signature of `RecordDelivery`, with the number of this delivery.
    function recordDeliveryWithSignature(
        Terms calldata terms,
        bytes32 outputHash,
        uint256 deadline,
        bytes calldata signature
    ) external {
        bytes32 escrowId = escrowIdOf(terms);
        Slot storage escrow = _escrowOpenToDelivery(escrowId);
        bytes32 message = keccak256(
            abi.encode(RECORD_DELIVERY_TYPEHASH, escrowId, outputHash, escrow.deliveryCount + 1, deadline)
        );
        _checkSignature(terms.provider, message, deadline, signature);
        _recordDelivery(escrowId, terms, escrow, outputHash);
    }

    /// @notice Records a part of the work: the provider claims `earned` in all. Each higher sum is a claim with an
    ///         acceptance window of its own, from now; the same sum again changes the hash only. Possible until
    ///         `deliveryWindow` after funding, also during a dispute.
    /// @param terms The terms of the parties.
    /// @param earned The provider's claims in all, from the beginning, in base units.
    /// @param workHash The SHA-256 of the work.
    /// @param isFinal Whether the provider gives up the rest of the amount. This is the delivery, then. If all that is
    ///        claimed is paid, the escrow ends at once.
    function recordPart(Terms calldata terms, uint256 earned, bytes32 workHash, bool isFinal)
        external
        nonReentrant
    {
        bytes32 escrowId = escrowIdOf(terms);
        Slot storage escrow = _escrowOpenToDelivery(escrowId);
        if (msg.sender != terms.provider) revert NotProvider(msg.sender, terms.provider);
        _recordPart(escrowId, terms, escrow, earned, workHash, isFinal);
    }

    /// @notice `recordPart` by the provider's signature.
    /// @param terms The terms of the parties.
    /// @param earned The provider's claims in all, from the beginning, in base units.
    /// @param workHash The SHA-256 of the work.
    /// @param isFinal Whether the provider gives up the rest of the amount. This is the delivery, then. If all that is
    ///        claimed is paid, the escrow ends at once.
    /// @param deadline The last second in which the signature is valid.
    /// @param signature The provider's signature of `RecordPart`, with the number of this record.
    function recordPartWithSignature(
        Terms calldata terms,
        uint256 earned,
        bytes32 workHash,
        bool isFinal,
        uint256 deadline,
        bytes calldata signature
    ) external nonReentrant {
        bytes32 escrowId = escrowIdOf(terms);
        Slot storage escrow = _escrowOpenToDelivery(escrowId);
        bytes32 message = keccak256(
            abi.encode(
                RECORD_PART_TYPEHASH, escrowId, earned, workHash, isFinal, escrow.deliveryCount + 1, deadline
            )
        );
        _checkSignature(terms.provider, message, deadline, signature);
        _recordPart(escrowId, terms, escrow, earned, workHash, isFinal);
    }

    /// @notice Pays the provider all recorded parts whose acceptance window has passed; during a dispute, those whose
    ///         window had passed before the dispute. Anyone may.
    /// @param terms The terms of the parties.
    function releasePart(Terms calldata terms) external nonReentrant {
        bytes32 escrowId = escrowIdOf(terms);
        Slot storage escrow = _escrowOpenToDelivery(escrowId);
        (, uint256 slot) = _readEscrow(escrowId);
        _payPart(escrowId, terms, escrow, slot, _accepted(escrowId, terms, escrow), 0);
    }

    /// @notice Pays the provider by the buyer's voucher, until the escrow ends. Anyone may send the voucher, and the
    ///         newest replaces all others: it pays its difference to what is paid. The buyer may call without one.
    /// @param terms The terms of the parties.
    /// @param cumulativeAmount The sum of all parts from the beginning, this one included, in base units.
    /// @param workHash The SHA-256 of the work that the voucher pays.
    /// @param signature The buyer's signature of `Voucher`; not read if the buyer calls.
    function useVoucher(
        Terms calldata terms,
        uint256 cumulativeAmount,
        bytes32 workHash,
        bytes calldata signature
    ) external nonReentrant {
        bytes32 escrowId = escrowIdOf(terms);
        (Slot storage escrow, uint256 slot) = _openEscrow(escrowId);
        if (msg.sender != terms.buyer) {
            _checkVoucher(
                terms.buyer,
                keccak256(abi.encode(VOUCHER_TYPEHASH, escrowId, cumulativeAmount, workHash)),
                signature
            );
        }
        _checkMost(cumulativeAmount, terms.amount);
        _payPart(escrowId, terms, escrow, slot, cumulativeAmount, workHash);
    }

    /// @notice Ends an escrow at once, also during or after a dispute, by the signatures of both parties. Anyone may
    ///         send them.
    /// @param terms The terms of the parties.
    /// @param providerAmount The provider's sum in base units, with the parts that are paid. The buyer gets the rest.
    /// @param deadline The last second in which the signatures are valid.
    /// @param buyerSignature The buyer's signature of `Close`.
    /// @param providerSignature The provider's signature of `Close`.
    function close(
        Terms calldata terms,
        uint256 providerAmount,
        uint256 deadline,
        bytes calldata buyerSignature,
        bytes calldata providerSignature
    ) external nonReentrant {
        bytes32 escrowId = escrowIdOf(terms);
        (Slot storage escrow, uint256 slot) = _openEscrow(escrowId);
        bytes32 message = keccak256(abi.encode(CLOSE_TYPEHASH, escrowId, providerAmount, deadline));
        _checkSignature(terms.buyer, message, deadline, buyerSignature);
        _checkSignature(terms.provider, message, deadline, providerSignature);
        (uint256 paid,) = _readParts(escrowId, terms, slot);
        _checkLeast(providerAmount, paid);
        _checkMost(providerAmount, terms.amount);
        _end(escrowId, terms, escrow, slot, providerAmount, paid);
    }

    /// @notice Pays the provider all that a final part claims, or else the amount, and the buyer the rest. The buyer
    ///         may at any time while funded; anyone once the delivery or the final part is recorded and its acceptance
    ///         window has passed.
    /// @param terms The terms of the parties.
    function release(Terms calldata terms) external nonReentrant {
        bytes32 escrowId = escrowIdOf(terms);
        (Slot storage escrow, uint256 slot) = _escrowIn(escrowId, Status.Funded);
        if (msg.sender != terms.buyer) {
            if (escrow.deliveredAt == 0) revert NotBuyer(msg.sender, terms.buyer);
            _checkNotBefore(uint256(escrow.deliveredAt) + terms.acceptanceWindow);
        }
        _release(escrowId, terms, escrow, slot);
    }

    /// @notice `release` by the buyer's signature.
    /// @param terms The terms of the parties.
    /// @param deadline The last second in which the signature is valid.
    /// @param signature The buyer's signature of `Release`.
    function releaseWithSignature(Terms calldata terms, uint256 deadline, bytes calldata signature)
        external
        nonReentrant
    {
        bytes32 escrowId = escrowIdOf(terms);
        (Slot storage escrow, uint256 slot) = _escrowIn(escrowId, Status.Funded);
        bytes32 message = keccak256(abi.encode(RELEASE_TYPEHASH, escrowId, deadline));
        _checkSignature(terms.buyer, message, deadline, signature);
        _release(escrowId, terms, escrow, slot);
    }

    /// @notice Pays the buyer back. The provider may at any time while funded: all that is not paid. Anyone may once
    ///         the delivery window has passed without a recorded delivery or final part, and the last part's acceptance
    ///         window too: all that the provider has not claimed.
    /// @param terms The terms of the parties.
    function refund(Terms calldata terms) external nonReentrant {
        bytes32 escrowId = escrowIdOf(terms);
        (Slot storage escrow, uint256 slot) = _escrowIn(escrowId, Status.Funded);
        (uint256 paid, uint256 earned) = _readParts(escrowId, terms, slot);
        uint256 providerAmount = paid;
        if (msg.sender != terms.provider) {
            if (escrow.deliveredAt != 0) revert NotProvider(msg.sender, terms.provider);
            _checkNotBefore(uint256(escrow.fundedAt) + terms.deliveryWindow + 1);
            uint256 count = escrow.claimCount;
            if (count != 0) {
                _checkNotBefore(uint256(_claims[escrowId][count - 1].recordedAt) + terms.acceptanceWindow);
            }
            providerAmount = earned;
        }
        _end(escrowId, terms, escrow, slot, providerAmount, paid);
    }

    /// @notice `refund` by the provider's signature.
    /// @param terms The terms of the parties.
    /// @param deadline The last second in which the signature is valid.
    /// @param signature The provider's signature of `Refund`.
    function refundWithSignature(Terms calldata terms, uint256 deadline, bytes calldata signature)
        external
        nonReentrant
    {
        bytes32 escrowId = escrowIdOf(terms);
        (Slot storage escrow, uint256 slot) = _escrowIn(escrowId, Status.Funded);
        bytes32 message = keccak256(abi.encode(REFUND_TYPEHASH, escrowId, deadline));
        _checkSignature(terms.provider, message, deadline, signature);
        (uint256 paid,) = _readParts(escrowId, terms, slot);
        _end(escrowId, terms, escrow, slot, paid, paid);
    }

    /// @notice Stops release and refund until the dispute is settled. The buyer or the provider may, while funded.
    /// @param terms The terms of the parties.
    /// @param reasonHash A hash of the reason, whose text stays off the chain.
    function dispute(Terms calldata terms, bytes32 reasonHash) external {
        bytes32 escrowId = escrowIdOf(terms);
        (Slot storage escrow,) = _escrowIn(escrowId, Status.Funded);
        _dispute(escrowId, terms, escrow, msg.sender, reasonHash);
    }

    /// @notice `dispute` by a party's signature.
    /// @param terms The terms of the parties.
    /// @param party The buyer or the provider, who signed.
    /// @param reasonHash A hash of the reason, whose text stays off the chain.
    /// @param deadline The last second in which the signature is valid.
    /// @param signature The party's signature of `Dispute`.
    function disputeWithSignature(
        Terms calldata terms,
        address party,
        bytes32 reasonHash,
        uint256 deadline,
        bytes calldata signature
    ) external {
        bytes32 escrowId = escrowIdOf(terms);
        (Slot storage escrow,) = _escrowIn(escrowId, Status.Funded);
        bytes32 message = keccak256(abi.encode(DISPUTE_TYPEHASH, escrowId, reasonHash, deadline));
        _checkSignature(party, message, deadline, signature);
        _dispute(escrowId, terms, escrow, party, reasonHash);
    }

    /// @notice Decides a dispute. The arbiter may, once, until `disputeWindow` after the dispute.
    /// @param terms The terms of the parties.
    /// @param providerAmount The provider's part in base units; the buyer gets the rest. At least what is paid, and what
    ///        was accepted before the dispute; at most what a final part claims.
    /// @param rulingHash A hash of the ruling, whose text stays off the chain.
    function decideDispute(Terms calldata terms, uint256 providerAmount, bytes32 rulingHash) external {
        bytes32 escrowId = escrowIdOf(terms);
        (Slot storage escrow,) = _escrowIn(escrowId, Status.Disputed);
        if (msg.sender != terms.arbiter) revert NotArbiter(msg.sender, terms.arbiter);
        _decideDispute(escrowId, terms, escrow, providerAmount, rulingHash);
    }

    /// @notice `decideDispute` by the arbiter's signature.
    /// @param terms The terms of the parties.
    /// @param providerAmount The provider's part in base units; the buyer gets the rest.
    /// @param rulingHash A hash of the ruling, whose text stays off the chain.
    /// @param deadline The last second in which the signature is valid.
    /// @param signature The arbiter's signature of `DecideDispute`.
    function decideDisputeWithSignature(
        Terms calldata terms,
        uint256 providerAmount,
        bytes32 rulingHash,
        uint256 deadline,
        bytes calldata signature
    ) external {
        bytes32 escrowId = escrowIdOf(terms);
        (Slot storage escrow,) = _escrowIn(escrowId, Status.Disputed);
        bytes32 message =
            keccak256(abi.encode(DECIDE_DISPUTE_TYPEHASH, escrowId, providerAmount, rulingHash, deadline));
        _checkSignature(terms.arbiter, message, deadline, signature);
        _decideDispute(escrowId, terms, escrow, providerAmount, rulingHash);
    }

    /// @notice Ends a dispute. Anyone may: from `appealWindow` after a decision, as decided; or, if the arbiter stayed
    ///         silent, after `disputeWindow`, with all to the provider if a delivery is recorded; or, if none is by the
    ///         end of the delivery window either, with all to the buyer. Of an escrow in parts, the provider gets the
    ///         claimed sum if no full delivery is recorded, and never less than what is paid.
    /// @param terms The terms of the parties.
    function settleDispute(Terms calldata terms) external nonReentrant {
        bytes32 escrowId = escrowIdOf(terms);
        (Slot storage escrow, uint256 slot) = _readEscrow(escrowId);
        (uint256 paid, uint256 providerAmount) = _readParts(escrowId, terms, slot);
        if (uint8(slot) == uint8(Status.Decided)) {
            Decision storage decision = _decisions[escrowId];
            _checkNotBefore(uint256(decision.decidedAt) + terms.appealWindow);
            providerAmount = decision.providerAmount;
            // A voucher may have paid more since the decision.
            if (providerAmount < paid) providerAmount = paid;
        } else {
            if (escrow.status != Status.Disputed) revert WrongStatus(escrow.status, Status.Disputed);
            _checkNotBefore(uint256(escrow.disputedAt) + terms.disputeWindow + 1);
            // A dispute must not shorten the provider's time to deliver.
            if (escrow.deliveredAt == 0) {
                _checkNotBefore(uint256(escrow.fundedAt) + terms.deliveryWindow + 1);
            }
        }
        _end(escrowId, terms, escrow, slot, providerAmount, paid);
    }

    /// @notice Pays the amount of a failed payout. Anyone may call; the money goes to the payee.
    /// @param token The ERC-20 token.
    /// @param payee The owner of the amount, who is paid.
    /// @return amount The paid amount in base units.
    function withdraw(address token, address payee) external nonReentrant returns (uint256 amount) {
        amount = owed[payee][token];
        if (amount == 0) revert NothingOwed(payee, token);
        delete owed[payee][token];
        emit PayoutWithdrawn(payee, token, amount);

        IERC20(token).safeTransfer(payee, amount);
    }

    /// @notice The id of the escrow with these terms, on this chain and in this contract.
    /// @dev keccak256(abi.encode(block.chainid, address(this), terms)), copied whole since all terms are static: it
    ///      saves 900 gas a call. Terms with dirty high bits get an id of their own, which no escrow can have, since
    ///      a creation reads each of them.
    /// @param terms The terms of the parties.
    /// @return escrowId The id.
    function escrowIdOf(Terms calldata terms) public view returns (bytes32 escrowId) {
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, chainid())
            mstore(add(free, 0x20), address())
            calldatacopy(add(free, 0x40), terms, 0x160)
            escrowId := keccak256(free, 0x1a0)
        }
    }

    /// @notice The deposit address of the escrow with these terms, which may have no code yet.
    /// @param terms The terms of the parties.
    /// @return The address.
    function depositAddressOf(Terms calldata terms) external view returns (address) {
        return _depositAddress(escrowIdOf(terms));
    }

    /// @notice The stored state of an escrow; all zero if it was never created.
    /// @param escrowId The id of the escrow.
    /// @return The state.
    function getEscrow(bytes32 escrowId) external view returns (State memory) {
        Slot storage escrow = _escrows[escrowId];
        Parts storage parts = _parts[escrowId];
        return State(
            escrow.status,
            escrow.deliveryCount,
            escrow.fundedAt,
            escrow.deliveredAt,
            escrow.disputedAt,
            parts.paid,
            parts.earned
        );
    }

    /// @notice The recorded parts of an escrow, in the order of their records.
    /// @param escrowId The id of the escrow.
    /// @return claims The recorded parts.
    function getClaims(bytes32 escrowId) external view returns (Claim[] memory claims) {
        claims = new Claim[](_escrows[escrowId].claimCount);
        for (uint256 i = 0; i < claims.length; i++) {
            claims[i] = _claims[escrowId][i];
        }
    }

    /// @notice The arbiter's decision; all zero if there is none.
    /// @param escrowId The id of the escrow.
    /// @return The decision.
    function getDecision(bytes32 escrowId) external view returns (Decision memory) {
        return _decisions[escrowId];
    }

    /// @dev Checks status, terms and time, and writes the new escrow. The calling function then takes the money.
    /// @return depositDeployed Whether the deposit address already has its code.
    function _create(bytes32 escrowId, Terms calldata terms) private returns (bool depositDeployed) {
        (Slot storage escrow, uint256 slot) = _escrowIn(escrowId, Status.None);
        // Before a creation, only `depositDeployed` can be set in the slot.
        depositDeployed = slot != 0;
        _checkTerms(terms);
        _checkNotAfter(terms.fundBy);
        // `fundedAt` follows `status` and `deliveryCount`.
        _write(escrow, slot | uint256(Status.Funded) | (block.timestamp << 40));
    }

    /// @dev Emits `EscrowCreated` with the terms copied whole, which saves 700 gas. `_checkTerms` refuses dirty terms.
    function _emitCreated(bytes32 escrowId, address payer, Terms calldata terms) private {
        bytes32 selector = EscrowCreated.selector;
        bytes32 orderHash = terms.orderHash;
        assembly ("memory-safe") {
            let free := mload(0x40)
            calldatacopy(free, terms, 0x160)
            log4(free, 0x160, selector, escrowId, orderHash, payer)
        }
    }

    function _recordDelivery(bytes32 escrowId, Terms calldata terms, Slot storage escrow, bytes32 outputHash)
        private
    {
        _checkClaims(terms);
        _checkNotAfter(uint256(escrow.fundedAt) + terms.deliveryWindow);
        escrow.deliveryCount += 1;
        if (escrow.hasParts) {
            Parts storage parts = _parts[escrowId];
            if (escrow.deliveredAt == 0) parts.earned = terms.amount;
            else if (parts.earned != terms.amount) revert AlreadyDelivered();
        }
        if (escrow.deliveredAt == 0) escrow.deliveredAt = uint48(block.timestamp);
        emit DeliveryRecorded(
            escrowId,
            outputHash,
            escrow.deliveryCount,
            escrow.deliveredAt,
            escrow.deliveredAt + terms.acceptanceWindow
        );
    }

    function _recordPart(
        bytes32 escrowId,
        Terms calldata terms,
        Slot storage escrow,
        uint256 earned,
        bytes32 workHash,
        bool isFinal
    ) private {
        _checkClaims(terms);
        _checkNotAfter(uint256(escrow.fundedAt) + terms.deliveryWindow);
        uint48 recordedAt = _addClaim(escrowId, terms, escrow, earned, isFinal);
        escrow.deliveryCount += 1;
        if (isFinal && escrow.deliveredAt == 0) escrow.deliveredAt = recordedAt;
        emit PartRecorded(
            escrowId,
            workHash,
            earned,
            escrow.deliveryCount,
            recordedAt,
            recordedAt + terms.acceptanceWindow,
            escrow.deliveredAt != 0
        );

        if (isFinal && earned == _parts[escrowId].paid) {
            (, uint256 slot) = _readEscrow(escrowId);
            _end(escrowId, terms, escrow, slot, earned, earned);
        }
    }

    /// @dev Adds a claim, unless the last one has the same sum, or the part is final and vouchers paid the sum.
    /// @return recordedAt The time of the first record with this sum.
    function _addClaim(
        bytes32 escrowId,
        Terms calldata terms,
        Slot storage escrow,
        uint256 earned,
        bool isFinal
    ) private returns (uint48 recordedAt) {
        Claim[MOST_CLAIMS] storage claims = _claims[escrowId];
        Parts storage parts = _parts[escrowId];
        uint256 count = escrow.claimCount;
        if (count != 0 && earned == parts.earned) {
            Claim storage last = claims[count - 1];
            if (last.earned == earned) return last.recordedAt;
        }
        if (escrow.deliveredAt != 0) revert AlreadyDelivered();
        recordedAt = uint48(block.timestamp);
        // A part of nothing is refused: a refund says the same.
        if (isFinal && earned != 0 && earned == parts.earned && earned == parts.paid) return recordedAt;
        if (earned <= parts.earned) revert ProviderAmountTooLow(earned, parts.earned);
        _checkMost(earned, terms.amount);
        if (count == MOST_CLAIMS) revert TooManyClaims(MOST_CLAIMS);
        (escrow.hasParts, escrow.claimCount) = (true, uint8(count + 1));
        parts.earned = uint128(earned);
        claims[count] = Claim(uint128(earned), recordedAt);
    }

    /// @dev Pays the provider up to `total`, and ends the escrow if the provider can get no more.
    function _payPart(
        bytes32 escrowId,
        Terms calldata terms,
        Slot storage escrow,
        uint256 slot,
        uint256 total,
        bytes32 workHash
    ) private {
        (uint256 paid, uint256 earned) = _readParts(escrowId, terms, slot);
        if (total <= paid) revert ProviderAmountTooLow(total, paid);
        if (earned < total) earned = total;
        _parts[escrowId] = Parts(uint128(total), uint128(earned));
        escrow.hasParts = true;
        emit PartReleased(escrowId, terms.provider, terms.token, total - paid, total, workHash);

        if (total == (escrow.deliveredAt == 0 ? terms.amount : earned)) {
            (, slot) = _readEscrow(escrowId);
            _end(escrowId, terms, escrow, slot, total, paid);
        } else {
            _pay(escrowId, terms.token, terms.provider, total - paid);
        }
    }

    function _release(bytes32 escrowId, Terms calldata terms, Slot storage escrow, uint256 slot) private {
        (uint256 paid, uint256 providerAmount) = _readParts(escrowId, terms, slot);
        // Undelivered: `deliveredAt` is zero.
        if (uint48(slot >> 88) == 0) providerAmount = terms.amount;
        _end(escrowId, terms, escrow, slot, providerAmount, paid);
    }

    function _dispute(
        bytes32 escrowId,
        Terms calldata terms,
        Slot storage escrow,
        address party,
        bytes32 reasonHash
    ) private {
        if (party != terms.buyer && party != terms.provider) {
            revert NotParty(party, terms.buyer, terms.provider);
        }
        _checkClaims(terms);
        escrow.status = Status.Disputed;
        escrow.disputedAt = uint48(block.timestamp);
        emit Disputed(escrowId, party, reasonHash, escrow.disputedAt + terms.disputeWindow);
    }

    function _decideDispute(
        bytes32 escrowId,
        Terms calldata terms,
        Slot storage escrow,
        uint256 providerAmount,
        bytes32 rulingHash
    ) private {
        _checkNotAfter(uint256(escrow.disputedAt) + terms.disputeWindow);
        uint256 most = terms.amount;
        if (escrow.hasParts) {
            Parts storage parts = _parts[escrowId];
            _checkLeast(providerAmount, parts.paid);
            _checkLeast(providerAmount, _accepted(escrowId, terms, escrow));
            if (escrow.deliveredAt != 0) most = parts.earned;
        }
        _checkMost(providerAmount, most);
        escrow.status = Status.Decided;
        _decisions[escrowId] = Decision(uint128(providerAmount), uint48(block.timestamp));
        emit DisputeDecided(
            escrowId,
            terms.arbiter,
            providerAmount,
            terms.amount - providerAmount,
            rulingHash,
            uint48(block.timestamp) + terms.appealWindow
        );
    }

    /// @dev Ends an escrow: `providerAmount` to the provider, of which `paid` was paid before, the rest to the buyer.
    function _end(
        bytes32 escrowId,
        Terms calldata terms,
        Slot storage escrow,
        uint256 slot,
        uint256 providerAmount,
        uint256 paid
    ) private {
        (address token, uint256 buyerAmount) = (terms.token, terms.amount - providerAmount);
        Status ending = Status.Split;
        if (buyerAmount == 0) ending = Status.Released;
        else if (providerAmount == 0) ending = Status.Refunded;
        _write(escrow, (slot & ~uint256(type(uint8).max)) | uint256(ending));
        (address provider, address buyer) = (terms.provider, terms.buyer);
        if (providerAmount != 0) emit Released(escrowId, provider, token, providerAmount);
        if (buyerAmount != 0) emit Refunded(escrowId, buyer, token, buyerAmount);

        if (providerAmount != paid) _pay(escrowId, token, provider, providerAmount - paid);
        if (buyerAmount != 0) _pay(escrowId, token, buyer, buyerAmount);
    }

    /// @dev Pays a party. If the token refuses the transfer, `owed` records the amount: a blocked party cannot block the other.
    function _pay(bytes32 escrowId, address token, address payee, uint256 amount) private {
        uint256 available = gasleft();
        if (IERC20(token).trySafeTransfer(payee, amount)) return;
        if (available < DEFERRAL_GAS) revert NotEnoughGas(available, DEFERRAL_GAS);
        owed[payee][token] += amount;
        emit PayoutDeferred(escrowId, payee, token, amount);
    }

    /// @dev Takes exactly the amount from the deposit address; `returnDeposit` returns any excess.
    function _collectDeposit(bytes32 escrowId, Terms calldata terms, address deposit, bool depositDeployed)
        private
    {
        uint256 balanceBefore = IERC20(terms.token).balanceOf(address(this));
        if (!depositDeployed) Clones.cloneDeterministic(DEPOSIT_IMPLEMENTATION, escrowId);
        Deposit(deposit).sweep(terms.token, address(this), terms.amount);
        _checkReceived(terms, balanceBefore);
    }

    /// @dev Moves the amount to the deposit address by the payer's signature, or reverts with the token's error.
    function _useAuthorization(
        Terms calldata terms,
        address deposit,
        address from,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) private {
        (uint8 v, bytes32 r, bytes32 s) = _split(signature);
        bytes memory call = signature.length == 65
            ? abi.encodeCall(
                IERC3009.transferWithAuthorization,
                (from, deposit, terms.amount, validAfter, validBefore, nonce, v, r, s)
            )
            : abi.encodeCall(
                ITransferWithAuthorizationBytes.transferWithAuthorization,
                (from, deposit, terms.amount, validAfter, validBefore, nonce, signature)
            );
        Address.functionCall(terms.token, call);
    }

    /// @dev The parts of a signature of 65 bytes. For any other length, the result has no meaning.
    function _split(bytes calldata signature) private pure returns (uint8 v, bytes32 r, bytes32 s) {
        assembly ("memory-safe") {
            r := calldataload(signature.offset)
            s := calldataload(add(signature.offset, 0x20))
            v := byte(0, calldataload(add(signature.offset, 0x40)))
        }
    }

    function _depositAddress(bytes32 escrowId) private view returns (address) {
        return Clones.predictDeterministicAddress(DEPOSIT_IMPLEMENTATION, escrowId);
    }

    function _escrowIn(bytes32 escrowId, Status expected)
        private
        view
        returns (Slot storage escrow, uint256 slot)
    {
        (escrow, slot) = _readEscrow(escrowId);
        if (uint8(slot) != uint8(expected)) revert WrongStatus(Status(uint8(slot)), expected);
    }

    /// @dev `slot` is the whole stored part of the escrow. Callers that write it whole save 100 to 300 gas a call.
    function _readEscrow(bytes32 escrowId) private view returns (Slot storage escrow, uint256 slot) {
        escrow = _escrows[escrowId];
        assembly ("memory-safe") {
            slot := sload(escrow.slot)
        }
    }

    function _write(Slot storage escrow, uint256 slot) private {
        assembly ("memory-safe") {
            sstore(escrow.slot, slot)
        }
    }

    function _openEscrow(bytes32 escrowId) private view returns (Slot storage escrow, uint256 slot) {
        (escrow, slot) = _readEscrow(escrowId);
        Status status = Status(uint8(slot));
        if (status == Status.None || status > Status.Decided) revert WrongStatus(status, Status.Funded);
    }

    /// @dev What is paid in parts, and what the provider claims. Without parts, a delivery claims the amount.
    function _readParts(bytes32 escrowId, Terms calldata terms, uint256 slot)
        private
        view
        returns (uint256 paid, uint256 earned)
    {
        // `hasParts`, then `deliveredAt`.
        if (uint8(slot >> 192) != 0) {
            Parts storage parts = _parts[escrowId];
            (paid, earned) = (parts.paid, parts.earned);
        } else if (uint48(slot >> 88) != 0) {
            earned = terms.amount;
        }
    }

    /// @dev The sum of the recorded parts whose acceptance window has passed. During a dispute, those whose window had
    ///      passed before its first second, so that no record of a dispute counts, even with a window of zero.
    function _accepted(bytes32 escrowId, Terms calldata terms, Slot storage escrow)
        private
        view
        returns (uint256)
    {
        uint256 time = escrow.status == Status.Disputed ? escrow.disputedAt - 1 : block.timestamp;
        Claim[MOST_CLAIMS] storage claims = _claims[escrowId];
        for (uint256 i = escrow.claimCount; i != 0; i--) {
            Claim storage claim = claims[i - 1];
            if (uint256(claim.recordedAt) + terms.acceptanceWindow <= time) return claim.earned;
        }
        return 0;
    }

    function _escrowOpenToDelivery(bytes32 escrowId) private view returns (Slot storage escrow) {
        escrow = _escrows[escrowId];
        if (escrow.status != Status.Funded && escrow.status != Status.Disputed) {
            revert WrongStatus(escrow.status, Status.Funded);
        }
    }

    function _checkTerms(Terms calldata terms) private view {
        // Each term is read once, because each read checks for dirty high bits.
        (address buyer, address provider, address token) = (terms.buyer, terms.provider, terms.token);
        address arbiter = terms.arbiter;
        if (buyer == address(0)) revert MissingTerm("buyer");
        if (provider == address(0)) revert MissingTerm("provider");
        if (token == address(0)) revert MissingTerm("token");
        if (terms.amount == 0) revert MissingTerm("amount");
        if (buyer == provider) revert SameParties(buyer);
        if (buyer == address(this) || provider == address(this)) revert PartyIsEscrow(address(this));
        if (arbiter == buyer || arbiter == provider) revert ArbiterIsParty(arbiter);
        if (token.code.length == 0) revert TokenWithoutCode(token);
        // The four windows, which the rest of a creation does not read.
        assembly ("memory-safe") {
            let first := or(calldataload(add(terms, 0xa0)), calldataload(add(terms, 0xc0)))
            let last := or(calldataload(add(terms, 0xe0)), calldataload(add(terms, 0x100)))
            if shr(32, or(first, last)) { revert(0, 0) }
        }
    }

    /// @dev Without a record of work there is nothing to dispute: the buyer pays only for what the buyer signed.
    function _checkClaims(Terms calldata terms) private pure {
        if (terms.acceptanceWindow == VOUCHERS_ONLY) revert OnlyVouchersPay();
    }

    function _checkReceived(Terms calldata terms, uint256 balanceBefore) private view {
        uint256 received = IERC20(terms.token).balanceOf(address(this)) - balanceBefore;
        if (received < terms.amount) revert ReceivedTooLittle(received, terms.amount);
    }

    function _checkSignature(address signer, bytes32 message, uint256 deadline, bytes calldata signature)
        private
        view
    {
        if (block.timestamp > deadline) revert SignatureExpired(block.timestamp, deadline);
        bytes32 digest = _hashTypedDataV4(message);
        _checkDigest(signer, digest, signature);
    }

    /// @dev Takes the key of the buyer's address first. An account of a key that gets code (EIP-7702) could otherwise
    ///      refuse its earlier vouchers, on which the provider relies.
    function _checkVoucher(address buyer, bytes32 message, bytes calldata signature) private view {
        bytes32 digest = _hashTypedDataV4(message);
        // The zero address, which stands for no signer, is no buyer.
        (address signer,,) = ECDSA.tryRecoverCalldata(digest, signature);
        if (signer != buyer) _checkDigest(buyer, digest, signature);
    }

    function _checkDigest(address signer, bytes32 digest, bytes calldata signature) private view {
        if (!SignatureChecker.isValidSignatureNowCalldata(signer, digest, signature)) {
            revert InvalidSignature(signer, digest);
        }
    }

    function _checkLeast(uint256 providerAmount, uint256 least) private pure {
        if (providerAmount < least) revert ProviderAmountTooLow(providerAmount, least);
    }

    function _checkMost(uint256 providerAmount, uint256 most) private pure {
        if (providerAmount > most) revert ProviderAmountTooHigh(providerAmount, most);
    }

    function _checkNotBefore(uint256 notBefore) private view {
        if (block.timestamp < notBefore) revert TooEarly(block.timestamp, notBefore);
    }

    function _checkNotAfter(uint256 notAfter) private view {
        if (block.timestamp > notAfter) revert TooLate(block.timestamp, notAfter);
    }
}
