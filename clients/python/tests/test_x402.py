"""A stock x402 client of PyPI. `npm run test:doors` installs it and runs this."""

from __future__ import annotations

from typing import Any

from eth_account import Account
from test_service import chain_id, offer_service, url
from trading import amount, chain_status, join, payload
from x402 import x402ClientSync
from x402.http.clients.requests import x402_requests
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact import ExactEvmScheme

from earnest import Earnest


def test_a_stock_client_buys_a_service_by_one_request_and_pays_once() -> None:
    buyer, provider = join(), join()
    with provider.client, buyer.client, Earnest(url) as session:
        session.sign_in(provider.wallet, chain_id=chain_id)
        slug, service = offer_service(session, provider.wallet)
        network, token = f"eip155:{chain_id}", chain_status()["token_address"]
        allowed: Any = {"network": network, "asset": token, "max_amount_per_payment": str(amount)}
        client = x402ClientSync().set_spend_controls({"allowed_assets": [allowed]})
        client.register(network, ExactEvmScheme(signer=EthAccountSigner(Account.from_key(buyer.wallet.key))))
        with x402_requests(client) as http:
            order = {"input_payload": payload, "buyer_address": buyer.wallet.address}
            bought = http.post(f"{url}/api/v1/buy/{slug}/{service['slug']}", json=order)
        assert bought.status_code in (200, 201, 202), bought.text
        assert bought.headers["PAYMENT-RESPONSE"]
        assert bought.json()["order"]["status"] in ("funded", "created")
        assert buyer.spent() == amount
