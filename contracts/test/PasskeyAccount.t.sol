// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IdentityRegistry} from "../dev/IdentityRegistry.sol";
import {Escrow} from "../src/Escrow.sol";
import {Assertions} from "./base/Assertions.sol";
import {IPasskeyAccount, IPasskeyAccountFactory} from "./base/IPasskeyAccount.sol";
import {PasskeyTest} from "./base/PasskeyTest.sol";
import {P256} from "@openzeppelin/contracts/utils/cryptography/P256.sol";
import {WebAuthn} from "@openzeppelin/contracts/utils/cryptography/WebAuthn.sol";

/// @notice Accounts of passkeys: who can sign for them, what they call, and where they are.
contract PasskeyAccountTest is PasskeyTest {
    // Signatures (ERC-1271)

    function testFuzz_acceptsItsPasskeyForAnyHash(uint256 key, bytes32 hash) public {
        uint256 scalar = key % (Assertions.N - 1) + 1;
        account = newAccount(scalar);
        checkAccepted(hash, signMessage(scalar, hash));
        checkRefused(~hash, signMessage(scalar, hash), "another hash");
    }

    function test_refusesAnotherPasskey() public view {
        checkRefused(OUTPUT, signMessage(OTHER_KEY, OUTPUT), "another key");
    }

    function test_refusesAnAssertionForAnotherAccountOfThePasskey() public {
        IPasskeyAccountFactory other = newFactory();
        (bytes32 x, bytes32 y) = coordinates(KEY);
        IPasskeyAccount twin = IPasskeyAccount(other.create(x, y));
        bytes memory signature = Assertions.sign(KEY, Assertions.message(address(twin), OUTPUT));
        vm.assertEq(bytes32(twin.isValidSignature(OUTPUT, signature)), bytes32(bytes4(0x1626ba7e)), "twin");
        checkRefused(OUTPUT, signature, "the twin's");
    }

    function test_refusesAnAssertionForAnotherChain() public {
        bytes memory signature = signMessage(KEY, OUTPUT);
        vm.chainId(block.chainid + 1);
        checkRefused(OUTPUT, signature, "another chain's");
    }

    function test_refusesAnAssertionOverTheBareHash() public view {
        checkRefused(OUTPUT, Assertions.sign(KEY, OUTPUT), "the bare hash");
    }

    function test_refusesCallsSignedAsAMessageAndAMessageSignedAsCalls() public {
        IPasskeyAccount.Call[] memory calls = transfer(outsider, 1);
        bytes32 digest = Assertions.execution(address(account), calls, 0, DEADLINE);
        checkRefused(digest, Assertions.sign(KEY, digest), "calls as a message");
        bytes memory signature = signMessage(KEY, digest);
        expectInvalid(calls, 0);
        account.execute(calls, DEADLINE, signature);
    }

    function test_refusesAMalleableSignature() public view {
        bytes32 challenge = Assertions.message(address(account), OUTPUT);
        WebAuthn.WebAuthnAuth memory auth = Assertions.assertion(KEY, challenge, 0x05, "webauthn.get");
        checkAccepted(OUTPUT, Assertions.encode(auth));
        auth.s = bytes32(Assertions.N - uint256(auth.s));
        checkRefused(OUTPUT, Assertions.encode(auth), "the high s");
    }

    function test_refusesAnUnverifiedPerson() public view {
        bytes32 challenge = Assertions.message(address(account), OUTPUT);
        bytes1[3] memory flags = [bytes1(0x00), bytes1(0x01), bytes1(0x04)];
        for (uint256 i = 0; i < flags.length; i++) {
            bytes memory signature =
                Assertions.encode(Assertions.assertion(KEY, challenge, flags[i], "webauthn.get"));
            checkRefused(OUTPUT, signature, "flags");
        }
    }

    function test_refusesTheAssertionOfACreation() public view {
        bytes32 challenge = Assertions.message(address(account), OUTPUT);
        bytes memory signature =
            Assertions.encode(Assertions.assertion(KEY, challenge, 0x05, "webauthn.create"));
        checkRefused(OUTPUT, signature, "webauthn.create");
    }

    function testFuzz_refusesAChangedAssertion(uint8 part, uint256 place, bytes1 change) public view {
        bytes32 challenge = Assertions.message(address(account), OUTPUT);
        WebAuthn.WebAuthnAuth memory auth = Assertions.assertion(KEY, challenge, 0x05, "webauthn.get");
        bytes1 flip = change == 0 ? bytes1(0x01) : change;
        if (part % 4 == 0) auth.authenticatorData[place % auth.authenticatorData.length] ^= flip;
        if (part % 4 == 1) bytes(auth.clientDataJSON)[place % bytes(auth.clientDataJSON).length] ^= flip;
        if (part % 4 == 2) auth.r ^= bytes32(flip) >> (place % 32 * 8);
        if (part % 4 == 3) auth.s ^= bytes32(flip) >> (place % 32 * 8);
        checkRefused(OUTPUT, Assertions.encode(auth), "changed");
    }

    function testFuzz_refusesAnyBytes(bytes memory signature) public view {
        checkRefused(OUTPUT, signature, "any bytes");
    }

    // Calls

    function testFuzz_makesTheSignedCallsInOrder(uint96 amount, uint96 coins) public {
        token.mint(address(account), amount);
        vm.deal(address(account), coins);
        IPasskeyAccount.Call[] memory calls = new IPasskeyAccount.Call[](3);
        calls[0] =
            IPasskeyAccount.Call(address(token), 0, abi.encodeCall(token.approve, (address(this), amount)));
        calls[1] = transfer(buyer, amount)[0];
        calls[2] = IPasskeyAccount.Call(outsider, coins, "");
        vm.prank(outsider);
        account.execute(calls, DEADLINE, signCalls(KEY, calls, 0));
        checkBalance(buyer, amount);
        vm.assertEq(token.allowance(address(account), address(this)), amount);
        vm.assertEq(outsider.balance, coins);
        vm.assertEq(account.nonce(), 1);
    }

    function test_refusesTheSameSignatureAgain() public {
        token.mint(address(account), 10);
        IPasskeyAccount.Call[] memory calls = transfer(buyer, 1);
        bytes memory signature = signCalls(KEY, calls, 0);
        account.execute(calls, DEADLINE, signature);
        expectInvalid(calls, 1);
        account.execute(calls, DEADLINE, signature);
        checkBalance(buyer, 1);
    }

    function test_refusesOtherCallsThanThoseSigned() public {
        token.mint(address(account), 10);
        bytes memory signature = signCalls(KEY, transfer(buyer, 1), 0);
        IPasskeyAccount.Call[] memory changed = transfer(outsider, 1);
        expectInvalid(changed, 0);
        account.execute(changed, DEADLINE, signature);
        changed = transfer(buyer, 1);
        changed[0].value = 1;
        expectInvalid(changed, 0);
        account.execute(changed, DEADLINE, signature);
        expectInvalid(new IPasskeyAccount.Call[](0), 0);
        account.execute(new IPasskeyAccount.Call[](0), DEADLINE, signature);
    }

    function test_refusesAnotherPasskeysCalls() public {
        IPasskeyAccount.Call[] memory calls = transfer(outsider, 1);
        bytes memory signature = signCalls(OTHER_KEY, calls, 0);
        expectInvalid(calls, 0);
        account.execute(calls, DEADLINE, signature);
    }

    function test_acceptsTheLastSecondAndRefusesAfterIt() public {
        IPasskeyAccount.Call[] memory calls = new IPasskeyAccount.Call[](0);
        vm.warp(DEADLINE + 1);
        bytes memory signature = signCalls(KEY, calls, 0);
        expectError(IPasskeyAccount.Expired.selector, DEADLINE, DEADLINE + 1);
        account.execute(calls, DEADLINE, signature);
        vm.warp(DEADLINE);
        account.execute(calls, DEADLINE, signature);
    }

    function test_anEmptyListCancelsASignatureThatIsOut() public {
        token.mint(address(account), 1);
        IPasskeyAccount.Call[] memory calls = transfer(outsider, 1);
        bytes memory regretted = signCalls(KEY, calls, 0);
        IPasskeyAccount.Call[] memory none = new IPasskeyAccount.Call[](0);
        account.execute(none, DEADLINE, signCalls(KEY, none, 0));
        expectInvalid(calls, 1);
        account.execute(calls, DEADLINE, regretted);
    }

    function test_makesNoCallIfOneFailsAndPassesItsErrorOn() public {
        token.mint(address(account), 1);
        IPasskeyAccount.Call[] memory calls = new IPasskeyAccount.Call[](2);
        calls[0] = transfer(buyer, 1)[0];
        calls[1] = transfer(buyer, 1)[0];
        bytes memory signature = signCalls(KEY, calls, 0);
        vm.expectRevert(
            abi.encodeWithSignature(
                "ERC20InsufficientBalance(address,uint256,uint256)", address(account), 0, 1
            )
        );
        account.execute(calls, DEADLINE, signature);
        checkBalance(buyer, 0);
        vm.assertEq(account.nonce(), 0);
    }

    function test_aCalledContractCannotRepeatTheCalls() public {
        Repeater repeater = new Repeater(account);
        IPasskeyAccount.Call[] memory calls = one(address(repeater), 0, abi.encodeCall(Repeater.run, ()));
        bytes memory signature = signCalls(KEY, calls, 0);
        repeater.prepare(calls, DEADLINE, signature);
        account.execute(calls, DEADLINE, signature);
        vm.assertTrue(repeater.refused(), "the repetition was refused");
        vm.assertEq(account.nonce(), 1);
    }

    function test_registersAnIdentityAndHoldsItsToken() public {
        IdentityRegistry registry = new IdentityRegistry();
        IPasskeyAccount.Call[] memory calls =
            one(address(registry), 0, abi.encodeWithSignature("register(string)", "https://agent.example"));
        account.execute(calls, DEADLINE, signCalls(KEY, calls, 0));
        vm.assertEq(registry.ownerOf(0), address(account));
    }

    // With the token and the escrow

    function test_paysBySignatureReleasesAndMovesARefundOut() public {
        Escrow.Terms memory terms = passkeyTerms(5);
        token.mint(address(account), 10);
        bytes32 digest = authorizationDigest(terms, address(account), OUTPUT);
        escrow.createEscrowWithAuthorization(
            terms, address(account), 0, uint256(FUND_BY) + 1, OUTPUT, signMessage(KEY, digest)
        );
        bytes32 id = escrow.escrowIdOf(terms);
        bytes memory release = signMessage(KEY, releaseDigest(id, DEADLINE));
        escrow.releaseWithSignature(terms, DEADLINE, release);
        checkStatus(id, Escrow.Status.Released);
        terms.orderHash = keccak256("second");
        digest = receiptDigest(terms, address(account));
        escrow.createEscrowWithReceiveAuthorization(
            terms, address(account), uint256(FUND_BY) + 1, signMessage(KEY, digest)
        );
        vm.prank(provider);
        escrow.refund(terms);
        checkBalance(address(account), 5);
        IPasskeyAccount.Call[] memory calls = transfer(outsider, 5);
        account.execute(calls, DEADLINE, signCalls(KEY, calls, 0));
        checkBalance(outsider, 5);
    }

    function test_disputesBySignature() public {
        Escrow.Terms memory terms = passkeyTerms(5);
        bytes32 id = fund(terms);
        bytes memory signature = signMessage(KEY, disputeDigest(id, REASON, DEADLINE));
        escrow.disputeWithSignature(terms, address(account), REASON, DEADLINE, signature);
        checkStatus(id, Escrow.Status.Disputed);
    }

    function passkeyTerms(uint128 amount) private view returns (Escrow.Terms memory terms) {
        terms = newTerms(amount);
        terms.buyer = address(account);
    }

    // The factory

    function testFuzz_theAddressFollowsFromTheKey(uint256 key) public {
        uint256 scalar = key % (Assertions.N - 1) + 1;
        (bytes32 x, bytes32 y) = coordinates(scalar);
        address foreseen = accounts.addressOf(x, y);
        vm.assertEq(accounts.create(x, y), foreseen);
        (bytes32 ownX, bytes32 ownY) = IPasskeyAccount(foreseen).signer();
        vm.assertEq(ownX, x);
        vm.assertEq(ownY, y);
    }

    function test_createsOnceAndAgainDoesNothing() public {
        (bytes32 x, bytes32 y) = coordinates(OTHER_KEY);
        vm.expectEmit(address(accounts));
        emit IPasskeyAccountFactory.Created(addressOf(OTHER_KEY), x, y);
        accounts.create(x, y);
        vm.recordLogs();
        vm.assertEq(accounts.create(x, y), addressOf(OTHER_KEY));
        checkEvents("");
    }

    function testFuzz_refusesCoordinatesThatAreNoPoint(bytes32 x, bytes32 y) public {
        bool isPoint = P256.isValidPublicKey(x, y);
        if (!isPoint) {
            vm.expectRevert(abi.encodeWithSelector(IPasskeyAccountFactory.InvalidPublicKey.selector, x, y));
        }
        accounts.create(x, y);
    }

    function test_deploysAndCallsInOneTransaction() public {
        account = IPasskeyAccount(addressOf(OTHER_KEY));
        token.mint(address(account), 7);
        (bytes32 x, bytes32 y) = coordinates(OTHER_KEY);
        IPasskeyAccount.Call[] memory calls = transfer(buyer, 7);
        accounts.createAndExecute(x, y, calls, DEADLINE, signCalls(OTHER_KEY, calls, 0));
        checkBalance(buyer, 7);
        token.mint(address(account), 7);
        accounts.createAndExecute(x, y, calls, DEADLINE, signCalls(OTHER_KEY, calls, 1));
        checkBalance(buyer, 14);
    }

    function test_nobodyCanUseTheImplementation() public {
        account = IPasskeyAccount(accounts.IMPLEMENTATION());
        (bytes32 x, bytes32 y) = account.signer();
        vm.assertEq(x | y, 0);
        // The constructor had to name a point; its key is 1.
        checkRefused(OUTPUT, signMessage(1, OUTPUT), "the generator's key");
        IPasskeyAccount.Call[] memory calls = new IPasskeyAccount.Call[](0);
        bytes memory signature = signCalls(1, calls, 0);
        expectInvalid(calls, 0);
        account.execute(calls, DEADLINE, signature);
    }
}

/// @notice Sends the calls that it is called by again.
contract Repeater {
    IPasskeyAccount private immutable ACCOUNT;
    IPasskeyAccount.Call[] private _calls;
    uint256 private _deadline;
    bytes private _signature;
    bool public refused;

    constructor(IPasskeyAccount account) {
        ACCOUNT = account;
    }

    function prepare(IPasskeyAccount.Call[] calldata calls, uint256 deadline, bytes calldata signature)
        external
    {
        for (uint256 i = 0; i < calls.length; i++) {
            _calls.push(calls[i]);
        }
        _deadline = deadline;
        _signature = signature;
    }

    function run() external {
        try ACCOUNT.execute(_calls, _deadline, _signature) {}
        catch {
            refused = true;
        }
    }
}
