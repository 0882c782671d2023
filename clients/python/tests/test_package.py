"""The package: its types, its form, and what is built of it."""

from __future__ import annotations

import email
import inspect
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from vectors import read_vectors

import earnest
from earnest import AsyncEarnest, Earnest

folder = Path(__file__).resolve().parents[1]
CHECKS = [
    ["mypy", "--cache-dir", "../../node_modules/.cache/clients-python/mypy"],
    ["pyright", "--pythonpath", sys.executable],
    ["ruff", "check", "--no-cache", "."],
    ["ruff", "format", "--no-cache", "--check", "."],
]


def run(*args: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *args], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize("command", CHECKS, ids=lambda command: " ".join(command[:2]))
def test_types_and_form(command: list[str]) -> None:
    run(*command)


def test_a_wheel_with_its_types_and_metadata(tmp_path: Path) -> None:
    run("build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), ".")
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == f"earnest_client-{earnest.version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = email.message_from_bytes(
            archive.read(next(name for name in names if name.endswith("/METADATA")))
        )
    assert {"earnest/py.typed", "earnest/_generated/types.py", "earnest/settlement/terms.py"} <= set(names)
    assert {name.split("/")[0] for name in names} == {
        "earnest",
        wheel.name[: -len("-py3-none-any.whl")] + ".dist-info",
    }
    assert metadata["Requires-Python"] == ">=3.10"
    assert metadata["License-Expression"] == "Apache-2.0"
    needed = metadata.get_all("Requires-Dist") or []
    assert [one for one in needed if "eth-account" in one] == ["eth-account<0.15,>=0.13.4; extra == 'wallet'"]


def test_nothing_but_a_wallet_needs_eth_account() -> None:
    code = (
        "import sys; sys.modules['eth_account'] = None\n"
        "import earnest, earnest.receipts, earnest.settlement, earnest.webhooks\n"
        "try: earnest.LocalWallet('0x' + '1' * 64)\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True)
    assert done.stdout == "LocalWallet needs eth-account: pip install 'earnest-client[wallet]'.\n"


def operations_of(client: type[Any]) -> dict[str, str]:
    """Returns the operation of each method of a client, with the method's path, from the source."""
    found: dict[str, str] = {}

    def walk(kind: type[Any], path: str) -> None:
        for name, member in vars(kind).items():
            if isinstance(member, property) and member.fget is not None:
                module = sys.modules[kind.__module__]
                walk(getattr(module, member.fget.__annotations__["return"]), f"{path}{name}.")
            elif inspect.isfunction(member) and 'operation="' in inspect.getsource(member):
                found[inspect.getsource(member).split('operation="')[1].split('"')[0]] = f"{path}{name}"

    walk(client, "")
    return found


def is_handwritten(operation: Any) -> bool:
    """A stream of server-sent events (`events.stream`), or a proof as text (`earnest.tlog`): no generated method has them."""
    content = operation["responses"].get("200", {}).get("content", {})
    return "text/event-stream" in content or "text/plain" in content


@pytest.mark.parametrize("client", [Earnest.__bases__[0], AsyncEarnest.__bases__[0]])
def test_every_operation_has_its_method(client: type[Any]) -> None:
    document = read_vectors("docs/openapi.json")
    operations = {
        operation["operationId"]
        for methods in document["paths"].values()
        for verb, operation in methods.items()
        if verb in ("get", "post", "put", "patch", "delete") and not is_handwritten(operation)
    }
    found = operations_of(client)
    assert set(found) == operations
    assert found["placeOrder"] == "orders.place"
    assert found["resendWebhookDelivery"] == "webhooks.deliveries.resend"
    assert found["readMe"] == "me"
    assert len(set(found.values())) == len(operations) > 100
    assert json.dumps(found)


@pytest.mark.parametrize("name", ["constraints.txt", "constraints.doors.txt"])
def test_the_lock_names_no_registry(name: str) -> None:
    text = (folder / name).read_text()
    assert "://" not in text
    assert all("==" in line for line in text.splitlines())
