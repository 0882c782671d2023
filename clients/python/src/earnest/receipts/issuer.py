"""The did:web name of an issuer, and the URLs that derive from it."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from .errors import Rejection

KEY_LOG = "KeyLog"
STATUS_LIST = "ReceiptStatusList"

_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
_SEGMENT = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
_PORT = re.compile(r"0|[1-9][0-9]{0,4}")
_USUAL_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True)
class Issuer:
    name: str
    base_url: str
    """The issuer's URL without a trailing slash."""
    did_document_url: str


def issuer_of(public_url: str) -> str:
    """Returns the did:web name of the service behind a public URL: `did:web:host[%3Aport][:path]`.

    Source: https://w3c-ccg.github.io/did-method-web/

    Raises:
        ValueError: did:web cannot name the URL (no http(s), credentials, query, IPv6, unusual path)
    """
    match = re.fullmatch(r"(https?)://([^/?#@\[\]:]+)(?::([0-9]+))?(/[^?#]*)?", public_url)
    if match is not None:
        scheme, host, port, path = match.groups()
        name = _name_of(scheme, host.lower(), port, path or "")
        if name is not None:
            return name
    raise ValueError(f"did:web cannot name {public_url}: give https://host[:port][/path].")


def _name_of(scheme: str, host: str, port: str | None, path: str) -> str | None:
    inner = path.removeprefix("/").removesuffix("/")
    segments = inner.split("/") if inner else []
    good = _is_host(host) and all(_SEGMENT.fullmatch(segment) for segment in segments)
    if not good or (port is not None and int(port) > 65_535):
        return None
    number = None if port is None else str(int(port))
    place = host if number in (None, _USUAL_PORTS[scheme]) else f"{host}%3A{number}"
    return ":".join(["did:web", place, *segments])


def _is_host(host: str) -> bool:
    if not _HOST.fullmatch(host) or ".." in host or len(host) > 253:
        return False
    if not re.fullmatch(r"[0-9]+|0x[0-9a-f]*", host.rsplit(".", 1)[-1]):
        return True
    try:
        return str(ipaddress.IPv4Address(host)) == host
    except ValueError:
        return False


def locate_issuer(name: str) -> Issuer | None:
    """Reads a did:web name; None unless it is in its normal form.

    Plain http is used only for `localhost` and `127.0.0.1`, as x402's verifier does.
    """
    if not name.startswith("did:web:") or len(name) > 512:
        return None
    place, *segments = name.removeprefix("did:web:").split(":")
    host, *ports = place.split("%3A")
    if len(ports) > 1 or not all(_PORT.fullmatch(port) for port in ports):
        return None
    scheme = "http" if host in ("localhost", "127.0.0.1") else "https"
    origin = f"{scheme}://{host}" + "".join(f":{port}" for port in ports)
    path = "".join(f"/{segment}" for segment in segments)
    # Writing the name again refuses every other spelling: case, default port, dots, escapes.
    if _name_of(scheme, host, ports[0] if ports else None, path) != name:
        return None
    document = f"{origin}{path}/did.json" if path else f"{origin}/.well-known/did.json"
    return Issuer(name, origin + path, document)


def expected_issuer(name: object) -> Issuer:
    """Returns the expected issuer. Raises the rejection `invalid_issuer`."""
    issuer = locate_issuer(name) if isinstance(name, str) else None
    if issuer is None:
        raise Rejection("invalid_issuer", "Give a name such as did:web:example.com or did:web:host%3A8080.")
    return issuer


_URL = re.compile(r"https?://[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+")
_DOTS = re.compile(r"(?:\.|%2e){1,2}", re.IGNORECASE)


def is_url(value: object) -> bool:
    """Whether a value is an http(s) URL with RFC 3986's characters only. Parsers interpret other characters differently."""
    return (
        isinstance(value, str)
        and len(value) <= 2048
        and _URL.fullmatch(value) is not None
        and resolve_url(value) is not None
    )


def resolve_url(url: str) -> str | None:
    """Resolves a URL as browsers do: dots in the path lead up, even escaped ones. None for a text that is no URL."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not host or "%" in host or parts.netloc.endswith("]:"):
        return None
    segments: list[str] = []
    raw = parts.path.split("/")[1:]
    for at, segment in enumerate(raw):
        is_last = at == len(raw) - 1
        dots = _DOTS.fullmatch(segment)
        if dots is None:
            segments.append(segment)
            continue
        if len(re.sub("%2e", ".", segment, flags=re.IGNORECASE)) == 2 and segments:
            segments.pop()
        if is_last:
            segments.append("")
    user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    place = f"[{host}]" if ":" in host else host
    if port is not None and str(port) != _USUAL_PORTS[parts.scheme]:
        place = f"{place}:{port}"
    path = "/" + "/".join(segments)
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{user}{place}{path}{query}"
