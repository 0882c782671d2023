"""The programs of README.md and of examples/, each run as it stands."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from test_life import rpc_url
from trading import join

from earnest import Earnest, LocalWallet
from earnest.receipts import issuer_of

folder = Path(__file__).resolve().parents[1]
documents = folder.parents[1] / "docs"
every = re.findall(r"```python\n(.*?)```", (folder / "README.md").read_text("utf-8"), re.DOTALL)
buying, serving = ([one for one in every if f"earnest.{verb}(" in one] for verb in ("buy", "serve"))
blocks = [one for one in every if one not in buying + serving]
url = os.environ.get("EARNEST_URL", "")


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    """A key of a buyer who placed an order of a service of its own provider."""
    assert url, "EARNEST_URL has no address of a service: `npm run test:clients -- python` starts one."
    wallet = LocalWallet.create()
    with Earnest(url) as provider, Earnest(url) as buyer:
        payout = LocalWallet.create()
        provider.sign_in(payout, chain_id=31337)
        slug = f"agent-{secrets.token_hex(6)}"
        provider.agents.create(slug=slug, name="Statistics", capabilities={"skills": ["counting"]})
        provider.agents.set_payout_wallet(slug, {"address": payout.address})
        provider.agents.publish(slug)
        provider.services.create(
            slug, slug="count", title="Count", pricing_model="fixed", price="0.01", delivery_time_hours=1
        )
        service = provider.services.publish(slug, "count")
        buyer.sign_in(wallet, chain_id=31337)
        key = buyer.api_keys.create(name="readme", scopes=["orders:read", "orders:write", "webhooks:read"])
        buyer.orders.place(service_id=service["id"], input_payload={"text": "Guten Tag"})
    return {
        **os.environ,
        "EARNEST_KEY": key["token"],
        "WALLET_KEY": wallet.key,
        "EARNEST_URL": url,
        "RPC_URL": rpc_url,
    }


def run(*args: str, env: dict[str, str]) -> str:
    done = subprocess.run([sys.executable, *args], cwd=folder, env=env, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("at", "prints"),
    list(
        enumerate(
            [
                r"esk_[\w-]+\n",
                r"E-\w+ \d+\.\d+ TUSD\n(ord_\w+ \S+\n)+not_found req_\w+ \[\]\n",
                r"letter\.txt Guten Tag\n",
            ]
        )
    ),
)
def test_programs_of_the_readme(at: int, prints: str, environment: dict[str, str]) -> None:
    assert re.fullmatch(prints, run("-c", blocks[at], env=environment))


def test_every_program_is_run() -> None:
    assert (len(blocks), len(buying), len(serving)) == (3, 1, 1)


def number_schema(name: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "integer"}}, "required": [name]}


@pytest.fixture(scope="module")
def traders() -> tuple[str, dict[str, str], dict[str, str]]:
    """The slug of an agent that doubles numbers, the environment of its provider, and a buyer's."""
    provider, buyer = join(), join()
    slug = f"agent-{secrets.token_hex(6)}"
    with Earnest(url) as session:
        session.sign_in(provider.wallet, chain_id=31337)
        session.agents.create(slug=slug, name="Doubles")
        session.agents.set_payout_wallet(slug, {"address": provider.wallet.address})
        session.agents.publish(slug)
        session.services.create(
            slug,
            slug="double",
            title="Twice a number",
            pricing_model="fixed",
            price="2.50",
            delivery_time_hours=1,
            input_schema=number_schema("number"),
            output_schema=number_schema("twice"),
        )
        session.services.publish(slug, "double")
    with provider.client, buyer.client:
        shared = {**os.environ, "EARNEST_URL": url, "RPC_URL": rpc_url}
        sells = {**shared, "EARNEST_KEY": provider.token, "WALLET_KEY": provider.wallet.key}
        buys = {**shared, "EARNEST_KEY": buyer.token, "WALLET_KEY": buyer.wallet.key}
        return slug, sells, buys


def trade(serve: list[str], buy: list[str], traders: tuple[str, dict[str, str], dict[str, str]]) -> str:
    """What a buyer printed that bought of a provider, which was stopped then and ended well."""
    _, provider, buyer = traders
    running = subprocess.Popen([sys.executable, *serve], cwd=folder, env=provider)
    try:
        return run(*buy, env=buyer)
    finally:
        running.terminate()
        assert running.wait(60) == 0


def test_the_buyer_of_the_readme_buys_of_its_provider(
    traders: tuple[str, dict[str, str], dict[str, str]], tmp_path: Path
) -> None:
    sell, buy = (block.replace('"counter"', f'"{traders[0]}"') for block in (serving[0], buying[0]))
    assert trade(["-c", sell], ["-c", buy], traders) == "{'twice': 42} released\n"
    with Earnest(url, api_key=traders[2]["EARNEST_KEY"]) as buyer:
        (order,) = buyer.orders.list(status="released")
        receipts = buyer.receipts.list(order["id"])["items"]
    (receipt,) = [one for one in receipts if one["claim"] == "released"]
    (tmp_path / "receipt.json").write_text(json.dumps(receipt), "utf-8")
    program = (documents / "examples/verify_receipt.py").read_text("utf-8")
    here = program.replace("did:web:localhost%3A42069", issuer_of(url)).replace("http://localhost:42069", url)
    done = subprocess.run([sys.executable, "-c", here], cwd=tmp_path, text=True, capture_output=True)
    assert (done.stdout, done.stderr) == ("released\n", "")


def test_the_programs_of_the_documents_are_python() -> None:
    for program in (documents / "examples").glob("*.py"):
        compile(program.read_text("utf-8"), str(program), "exec")
    for page in documents.glob("*.md"):
        for program in re.findall(
            r"^```python\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
        ):
            compile(program, str(page), "exec")


def test_the_buyer_of_the_examples_buys_of_their_provider(
    traders: tuple[str, dict[str, str], dict[str, str]],
) -> None:
    slug = traders[0]
    order = ["examples/buy.py", f"{slug}/double", '{"number": 4}', "2.50", "escrow"]
    printed = trade(["examples/serve.py", slug], order, traders)
    assert re.fullmatch(
        r"The money of ord_\w+ is in escrow\n\{\"twice\": 8\}\nreleased, and the chain agrees: True\n",
        printed,
    )


def test_watch_orders_goes_on_where_it_was(environment: dict[str, str], tmp_path: Path) -> None:
    place, once = str(tmp_path / "cursor.txt"), {**environment, "EARNEST_ONCE": "1"}
    assert "order.created" in run("examples/watch_orders.py", place, env=once)
    assert run("examples/watch_orders.py", place, env=once) == ""


def test_receive_webhooks() -> None:
    secret = "whsec_" + base64.b64encode(b"s" * 32).decode()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "examples/receive_webhooks.py", str(port)],
        cwd=folder,
        env={**os.environ, "WEBHOOK_SECRET": secret},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        body, now = b'{"type": "order.funded", "id": "whd_1"}', int(time.time())
        mac = hmac.new(secret.encode(), f"{now}.".encode() + body, hashlib.sha256).hexdigest()
        for signature, status in ((mac, 204), ("0" * 64, 401)):
            request = urllib.request.Request(
                f"http://127.0.0.1:{port}", body, {"X-Service-Signature": f"t={now},v1={signature}"}
            )
            assert post(request) == status
        assert server.stdout is not None
        assert server.stdout.readline() == "order.funded whd_1\n"
    finally:
        server.kill()
        server.wait()


def post(request: urllib.request.Request) -> int:
    for _ in range(100):
        try:
            with urllib.request.urlopen(request) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code
        except urllib.error.URLError:
            time.sleep(0.1)
    raise AssertionError("The server did not start.")
