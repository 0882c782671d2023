"""Buying by the unmodified client of A2A's SDK, with a wallet's x402 payment."""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from secrets import token_hex
from typing import Any, Callable

import httpx
import pytest
from a2a.client import A2ACardResolver, ClientCallContext, ClientConfig, ClientFactory
from a2a.helpers.proto_helpers import get_data_parts, new_data_message, new_text_message
from a2a.types import GetTaskRequest, Role, SendMessageRequest, Task, TaskState
from a2a.utils.signing import InvalidSignaturesError, create_signature_verifier
from google.protobuf.json_format import MessageToDict, ParseDict
from jwt import PyJWK
from test_service import offer_service, sign_in, url
from trading import deliver, rich_wallet

from earnest import Earnest, LocalWallet


def find_key(kid: str | None, jku: str | None) -> PyJWK:
    assert jku == f"{url}/.well-known/jwks.json"
    with urllib.request.urlopen(jku) as answer:
        keys = {key["kid"]: key for key in json.load(answer)["keys"]}
    return PyJWK(keys[kid])


verify_card = create_signature_verifier(find_key, ["EdDSA"])


def sign(required: Any, wallet: LocalWallet) -> dict[str, Any]:
    """Signs the first way to pay (EIP-3009), in x402's form."""
    accepted = required["accepts"][0]
    authorization = {
        "from": wallet.address,
        "to": accepted["payTo"],
        "value": accepted["amount"],
        "validAfter": "0",
        "validBefore": str(int(time.time()) + int(accepted["maxTimeoutSeconds"])),
        "nonce": "0x" + token_hex(32),
    }
    names = ["from", "to", "value", "validAfter", "validBefore", "nonce"]
    kinds = ["address", "address", "uint256", "uint256", "uint256", "bytes32"]
    domain_types = [
        ("name", "string"),
        ("version", "string"),
        ("chainId", "uint256"),
        ("verifyingContract", "address"),
    ]
    signature = wallet.sign_typed_data(
        {
            "domain": {
                "name": accepted["extra"]["name"],
                "version": accepted["extra"]["version"],
                "chainId": int(accepted["network"].split(":")[1]),
                "verifyingContract": accepted["asset"],
            },
            "types": {
                "EIP712Domain": [{"name": name, "type": kind} for name, kind in domain_types],
                "TransferWithAuthorization": [
                    {"name": name, "type": kind} for name, kind in zip(names, kinds, strict=True)
                ],
            },
            "primaryType": "TransferWithAuthorization",
            "message": {
                name: int(value) if kind == "uint256" else value
                for (name, value), kind in zip(authorization.items(), kinds, strict=True)
            },
        }
    )
    payload = {"signature": signature, "authorization": authorization}
    return {"x402Version": 2, "accepted": accepted, "payload": payload, "extensions": required["extensions"]}


async def buy(slug: str, wallet: LocalWallet, deliver_now: Callable[[str], None]) -> Task:
    """Buys by A2A, and follows the task to its end."""
    async with httpx.AsyncClient(timeout=60) as http:
        card = await A2ACardResolver(http, f"{url}/a2a/{slug}").get_agent_card(signature_verifier=verify_card)
        card.description = "Another text."
        with pytest.raises(InvalidSignaturesError):
            verify_card(card)
        assert [skill.id for skill in card.skills] == ["count"]
        client = ClientFactory(ClientConfig(httpx_client=http)).create(card)

        async def send(message: Any) -> Task:
            request = SendMessageRequest(message=message)
            request.configuration.return_immediately = True
            return [event.task async for event in client.send_message(request)][-1]

        order = {"service": "count", "input_payload": {"text": "Guten Tag"}, "buyer_address": wallet.address}
        asked = await send(new_data_message(order, role=Role.ROLE_USER))
        assert asked.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
        required = MessageToDict(asked.status.message.metadata)["x402.payment.required"]

        payment = new_text_message("Here is the payment.", task_id=asked.id, role=Role.ROLE_USER)
        metadata = {
            "x402.payment.status": "payment-submitted",
            "x402.payment.payload": sign(required, wallet),
        }
        ParseDict(metadata, payment.metadata)
        paid = await send(payment)
        assert paid.id == asked.id
        token = MessageToDict(paid.metadata)["claim"]["token"]
        context = ClientCallContext(service_parameters={"Authorization": f"Bearer {token}"})
        delivered = False
        while True:
            task = await client.get_task(GetTaskRequest(id=paid.id), context=context)
            if task.status.state == TaskState.TASK_STATE_COMPLETED:
                return task
            settled = (
                MessageToDict(task.status.message.metadata)["x402.payment.status"] == "payment-completed"
            )
            if settled and not delivered:
                deliver_now(task.id)
                delivered = True
            await asyncio.sleep(0.2)


def test_the_sdk_of_a2a_verifies_the_card_pays_its_task_and_reads_the_output() -> None:
    provider, payout = sign_in(lambda: Earnest(url))
    slug, _ = offer_service(provider, payout)
    wallet = rich_wallet()
    task = asyncio.run(buy(slug, wallet, lambda order_id: deliver(provider, payout, order_id)))
    assert get_data_parts(task.artifacts[0].parts) == [{"characters": 9}]
    receipts = MessageToDict(task.status.message.metadata)["x402.payment.receipts"]
    assert [receipt["success"] for receipt in receipts] == [True]
