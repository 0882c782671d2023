"""Sign-in with a wallet, and the check of the message before it is signed (EIP-4361)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import cast
from urllib.parse import urlsplit

from ._core.call import RequestOptions
from ._core.flow import Flow, Run, ask
from ._core.resource import FlowTransport
from ._core.times import read_time
from ._core.transport import Core
from ._generated import types
from ._generated.api import Api
from .errors import UntrustedTextError
from .wallet import AnyWallet

__all__ = ["ExpectedText", "check_sign_in_text"]


@dataclass(frozen=True)
class ExpectedText:
    """The expected values of a sign-in message."""

    host: str
    """The host with the port, unless it is the scheme's default, such as `localhost:42069`."""
    address: str
    chain_id: int
    nonce: str
    account_id: str | None = None
    """The account that the wallet is added to; None for a sign-in."""
    user_code: str | None = None
    """The code of the device that the wallet signs in; None for another purpose."""
    now: datetime | None = None
    """The time of the check. Default: the present."""


# The whole form of the service's messages, in its order. Nothing may follow, such as resources.
_SHAPE = re.compile(
    "\n".join(
        [
            r"(?P<host>\S+) wants you to sign in with your Ethereum account:",
            r"(?P<address>0x[0-9a-fA-F]{40})",
            r"",
            r"(?P<statement>[^\n\r]+)",
            r"",
            r"URI: (?P<uri>\S+)",
            r"Version: 1",
            r"Chain ID: (?P<chain_id>[0-9]+)",
            r"Nonce: (?P<nonce>[A-Za-z0-9]{8,})",
            r"Issued At: (?P<issued_at>\S+)",
            r"Expiration Time: (?P<expires_at>\S+)",
        ]
    )
)


def _purpose_of(expected: ExpectedText) -> str:
    """The begin of the statement, which names the purpose."""
    if expected.account_id:
        return f"Add this wallet to the Earnest account {expected.account_id},"
    if expected.user_code:
        return f"Sign in the device that shows the code {expected.user_code}:"
    return "Sign in to Earnest."


def check_sign_in_text(text: str, expected: ExpectedText) -> None:
    """Checks a message before a wallet signs it: host, URI, wallet, chain, nonce, purpose and expiry.

    The message may have nothing else.

    Raises:
        UntrustedTextError: with all faults
    """
    found = _SHAPE.fullmatch(text)
    if found is None:
        raise UntrustedTextError("The message is not a plain EIP-4361 sign-in. Nothing was signed.")
    purpose = _purpose_of(expected)
    expires_at = read_time(found["expires_at"])
    now = expected.now or datetime.now(timezone.utc)
    wrong = [
        found["host"] == expected.host or f"it is for the host {found['host']}, not {expected.host}",
        _host_of(found["uri"]) == expected.host or f"its URI is {found['uri']}, not of host {expected.host}",
        found["address"].lower() == expected.address.lower()
        or f"it is for the wallet {found['address']}, not {expected.address}",
        found["chain_id"] == str(expected.chain_id)
        or f"it is for chain {found['chain_id']}, not {expected.chain_id}",
        found["nonce"] == expected.nonce or "its nonce is not the one that came with it",
        found["statement"].startswith(purpose) or f"its statement is {found['statement']!r}, not {purpose!r}",
        (expires_at is not None and expires_at > now) or f"it expired at {found['expires_at']}",
    ]
    reasons = [reason for reason in wrong if isinstance(reason, str)]
    if reasons:
        raise UntrustedTextError(f"The sign-in message was not signed: {'; '.join(reasons)}.")


def _host_of(uri: str) -> str | None:
    try:
        url = urlsplit(uri)
        port = url.port
    except ValueError:
        return None
    if url.scheme not in ("http", "https") or not url.hostname or url.username is not None:
        return None
    usual = {"http": 80, "https": 443}[url.scheme]
    return url.hostname if port in (None, usual) else f"{url.hostname}:{port}"


def _own(options: RequestOptions | None, *, key: bool) -> RequestOptions:
    """Returns options for the person's own account, without an organisation. The caller's key is only for the last step."""
    given = options or RequestOptions()
    return replace(given, organisation=None, idempotency_key=given.idempotency_key if key else None)


def sign_in_flow(
    core: Core, wallet: AnyWallet, chain_id: int, host: str | None, options: RequestOptions | None
) -> Flow[types.SignIn]:
    api = Api(FlowTransport(core))
    message, nonce, signature = yield from _prove(core, wallet, chain_id, host, None, options)
    signed_in = yield from ask(
        api.auth.sign_in(message=message, nonce=nonce, signature=signature, options=_own(options, key=True))
    )
    core.token = signed_in["tokens"]["access_token"]
    return signed_in


def sign_out_flow(core: Core, options: RequestOptions | None) -> Flow[types.SignOut]:
    signed_out = yield from ask(Api(FlowTransport(core)).auth.sign_out(options=_own(options, key=True)))
    core.token = None
    return signed_out


def link_wallet_flow(
    core: Core, wallet: AnyWallet, chain_id: int, host: str | None, options: RequestOptions | None
) -> Flow[types.Wallet]:
    api = Api(FlowTransport(core))
    me = yield from ask(api.me(options=_own(options, key=False)))
    message, nonce, signature = yield from _prove(core, wallet, chain_id, host, me["id"], options)
    return (
        yield from ask(
            api.wallets.add(
                message=message, nonce=nonce, signature=signature, options=_own(options, key=True)
            )
        )
    )


def _prove(
    core: Core,
    wallet: AnyWallet,
    chain_id: int,
    host: str | None,
    account_id: str | None,
    options: RequestOptions | None,
) -> Flow[tuple[str, str, str]]:
    address = wallet.address
    asked = yield from ask(
        Api(FlowTransport(core)).auth.create_nonce(
            address=address,
            chain_id=chain_id,
            purpose="link_wallet" if account_id else "sign_in",
            options=_own(options, key=False),
        )
    )
    message, nonce = asked["message"], asked["nonce"]
    check_sign_in_text(message, ExpectedText(host or core.host, address, chain_id, nonce, account_id))
    signature = cast(str, (yield Run(lambda: wallet.sign_text(message))))
    return message, nonce, signature
