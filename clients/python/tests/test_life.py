"""An order's whole life with a real service and its chain: all that is signed is recomputed, and the receipt is checked."""

from __future__ import annotations

import json
import os
import secrets
import time
import urllib.request
from typing import Any, Callable

import pytest
from test_service import chain_id, offer_service, schema, url

from earnest import Earnest, LocalWallet, settlement
from earnest.receipts import ChainNode, Verifier, issuer_of
from earnest.settlement.abi import encode_call
from earnest.tlog import LogVerifier

rpc_url = os.environ.get("EARNEST_RPC_URL", "http://127.0.0.1:8545")


def rpc(method: str, *params: Any) -> Any:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    request = urllib.request.Request(rpc_url, body, {"content-type": "application/json"})
    for _ in range(5):
        with urllib.request.urlopen(request) as answer:
            said = json.loads(answer.read())
        # Anvil may look for the state of a block while it mines the next one.
        if "BlockOutOfRangeError" not in said.get("error", {}).get("message", ""):
            break
    assert "error" not in said, said
    return said["result"]


def wait_until(is_so: Callable[[], Any]) -> Any:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = is_so()
        if found:
            return found
        time.sleep(0.3)
    raise AssertionError("It did not come to pass within a minute.")


def mint(wallet: LocalWallet, token: str, amount: int) -> None:
    """Gives a wallet tokens of the local chain, and almost no native coin."""
    other = LocalWallet.create()
    rpc("anvil_setBalance", other.address, hex(10**18))
    data = encode_call("mint(address,uint256)", wallet.address, amount)
    transaction = {"chainId": chain_id, "nonce": 0, "to": token, "data": data, "value": 0, "gas": 200_000}
    fees = {"maxFeePerGas": 10**11, "maxPriorityFeePerGas": 0, "type": 2}
    sent = rpc("eth_sendRawTransaction", other.sign_transaction({**transaction, **fees}))
    mined = wait_until(lambda: rpc("eth_getTransactionReceipt", sent))
    assert mined["status"] == "0x1"


@pytest.fixture(scope="module")
def released() -> dict[str, Any]:
    """An order that was paid, delivered, recorded and released by signatures, without gas of either party."""
    assert url, "EARNEST_URL has no address of a service: `npm run test:clients -- python` starts one."
    buyer_wallet, provider_wallet = LocalWallet.create(), LocalWallet.create()
    with Earnest(url) as provider, Earnest(url) as buyer:
        provider.sign_in(provider_wallet, chain_id=chain_id)
        buyer.sign_in(buyer_wallet, chain_id=chain_id)
        _, service = offer_service(provider, provider_wallet)
        payload = {"text": "Guten Tag"}
        order = buyer.orders.place(service_id=service["id"], input_payload=payload, settlement_rail="x402")
        order_id = order["id"]
        agreement = buyer.orders.get_agreement(order_id)
        escrow = settlement.derive_deposit(agreement)
        assert agreement["input_digest"] == settlement.digest_of(payload)
        assert agreement["input_schema_digest"] == settlement.digest_of(schema)
        mint(buyer_wallet, escrow.terms.token, escrow.terms.amount)

        instructions = buyer.orders.get_payment_instructions(order_id)
        shown = instructions["typed_data"]
        payment = settlement.transfer_authorization_data(
            escrow,
            token_name=shown["domain"]["name"],
            token_version=shown["domain"]["version"],
            payer=buyer_wallet.address,
            valid_before=int(str(shown["message"]["validBefore"])),
            nonce="0x" + secrets.token_hex(32),
        )
        nonce = {**payment["message"], "nonce": shown["message"]["nonce"]}
        assert {**payment, "message": nonce} == shown
        signature = buyer_wallet.sign_typed_data(payment)
        paid = buyer.orders.pay(order_id, {"signature": signature, "authorization": payment["message"]})
        again = buyer.orders.pay(order_id, {"signature": signature, "authorization": payment["message"]})
        assert again["payment"]["id"] == paid["payment"]["id"]
        wait_until(lambda: provider.orders.get(order_id)["status"] == "funded")

        provider.orders.start(order_id)
        output = {"characters": 9}
        delivered = provider.orders.deliver(order_id, output_payload=output)
        assert str(delivered["acceptance_ends_at"]) > str(delivered["delivered_at"])
        to_sign = provider.orders.get_delivery_record_to_sign(order_id)["typed_data"]
        record = settlement.record_delivery_data(
            escrow,
            output_hash=settlement.digest_of(output),
            number=1,
            deadline=int(str(to_sign["message"]["deadline"])),
        )
        assert record == to_sign
        provider.orders.record_delivery(order_id, signature=provider_wallet.sign_typed_data(record))

        deadline = int(time.time()) + 3600
        release = settlement.release_data(escrow, deadline=deadline)
        shown = buyer.orders.get_release_to_sign(order_id)["typed_data"]
        assert {**shown["message"], "deadline": str(deadline)} == release["message"]
        assert (shown["domain"], shown["types"]) == (release["domain"], release["types"])
        relay = buyer.orders.release(
            order_id, signature=buyer_wallet.sign_typed_data(release), deadline=deadline
        )
        assert relay["relay"]["error"] is None
        wait_until(lambda: buyer.orders.get(order_id)["status"] == "released")
        receipts = wait_until(
            lambda: [one for one in buyer.receipts.list(order_id)["items"] if one["claim"] == "released"]
        )
        types = [event["type"] for event in buyer.events.follow(until_caught_up=True)]
        assert types[:2] == ["order.created", "order.funded"]
        return {"receipt": receipts[0], "escrow": escrow, "output": output, "order_id": order_id}


def test_the_receipt_says_what_was_agreed(released: dict[str, Any]) -> None:
    escrow, receipt = released["escrow"], released["receipt"]
    with Verifier(issuer_of(url), status="require") as verifier:
        result = verifier.verify_receipt(receipt["document"])
        assert result.valid, result
        assert (result.claim, result.status) == ("released", "good")
        document = result.document
        assert document["escrow_id"] == escrow.escrow_id
        assert document["agreement_hash"] == escrow.terms.order_hash
        assert (document["buyer"], document["provider"]) == (escrow.terms.buyer, escrow.terms.provider)
        x402 = verifier.verify_x402_receipt(receipt["x402_receipt"], transaction=document["transaction"])
        assert x402.valid, x402
        both = verifier.verify_receipts([json.dumps(receipt["document"]), receipt["x402_receipt"]])
        assert [one.valid for one in both] == [True, True]
        assert not verifier.verify_receipt({**receipt["document"], "amount": "1"}).valid


def test_the_chain_agrees(released: dict[str, Any]) -> None:
    escrow, receipt = released["escrow"], released["receipt"]
    with Verifier(issuer_of(url)) as verifier:
        result = verifier.verify_receipt(receipt["document"])
        assert result.valid
        node = ChainNode(rpc_url, contract=escrow.escrow_contract)
        answer = verifier.confirm_on_chain(result, node)
        assert (answer.checked, answer.agrees, answer.code) == (True, True, None), answer
        # Each member is compared with the chain.
        other = "0x" + "1" * 64
        for change, code in {
            ("transaction", other): "transaction_not_found",
            ("block_hash", other): "block_mismatch",
            ("block_number", 1): "block_mismatch",
            ("log_index", 10_000): "log_not_found",
            ("claim", "refunded"): "event_mismatch",
            ("escrow_id", other): "escrow_mismatch",
            ("provider", escrow.terms.buyer): "party_mismatch",
            ("token", escrow.terms.buyer): "token_mismatch",
            ("amount", "1"): "amount_mismatch",
            ("buyer", escrow.terms.provider): "terms_mismatch",
            ("agreement_hash", other): "terms_mismatch",
            ("contract", escrow.terms.token): "contract_mismatch",
            ("chain", "eip155:1"): "wrong_chain",
        }.items():
            changed = type(result)(**{**vars(result), "document": {**result.document, change[0]: change[1]}})
            assert verifier.confirm_on_chain(changed, node).code == code, change
        deep = ChainNode(rpc_url, confirmations=10**6)
        assert verifier.confirm_on_chain(result, deep).code == "too_few_confirmations"
        foreign = ChainNode(rpc_url, contract=escrow.terms.token)
        assert verifier.confirm_on_chain(result, foreign).code == "contract_mismatch"
        assert verifier.confirm_on_chain(result, ChainNode(rpc_url, contract="x")).code == "invalid_shape"
        nobody = verifier.confirm_on_chain(result, ChainNode("http://127.0.0.1:1"))
        assert (nobody.checked, nobody.code) == (False, "chain_unreachable")


def test_anyone_may_read_a_receipt_and_check_the_key_log(released: dict[str, Any]) -> None:
    with Earnest(url) as anyone, Verifier(issuer_of(url)) as verifier:
        public = anyone.receipts.get(released["receipt"]["id"])
        assert public["document"] == released["receipt"]["document"]
        log = verifier.verify_key_log()
        assert log.valid, log
        assert verifier.verify_key_log(pin=log.head).valid


def test_the_receipt_is_in_the_log_within_seconds(released: dict[str, Any]) -> None:
    receipt = released["receipt"]
    with LogVerifier(issuer_of(url)) as log:
        found = wait_until(lambda: one if (one := log.look_up(receipt["document"])).valid else None)
        assert found.entry["receipt"] == receipt["id"]
        with_x402 = log.look_up(receipt["document"], jws=receipt["x402_receipt"])
        assert with_x402.valid, with_x402
        changed = log.look_up({**receipt["document"], "amount": "1"})
        assert changed.valid is False
        assert (changed.outcome, changed.code) == ("contradicted", "other_entry")
