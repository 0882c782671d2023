"""Requests to public addresses alone."""

from __future__ import annotations

import ipaddress
import socket

import httpx2

_METADATA = ipaddress.ip_address("168.63.129.16")
"""The metadata server of a cloud, which has a public number."""


class PrivateAddressError(Exception):
    """A provider's endpoint is in a private network, which the caller did not allow."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"{host} is in a private network, which the provider chose: pass allow_private if you trust it"
        )


def is_private_host(host: str) -> bool:
    """Whether a URL's host is in a private network by itself: `localhost`, a name without a dot, or such an address."""
    try:
        return not _is_public(host.strip("[]"))
    except ValueError:
        return "." not in host or host.endswith(".localhost")


class PublicTransport(httpx2.BaseTransport):
    """Connects to no private address. It looks up the name itself, and connects to the address that it has checked."""

    def __init__(self) -> None:
        self._inner = httpx2.HTTPTransport()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        failure: httpx2.TransportError = httpx2.ConnectError("The name has no address.", request=request)
        port = url.port or (443 if url.scheme == "https" else 80)
        try:
            found = dict.fromkeys(
                str(one[4][0]) for one in socket.getaddrinfo(url.host, port, type=socket.SOCK_STREAM)
            )
        except OSError as error:
            raise httpx2.ConnectError(str(error), request=request) from error
        public = [address for address in found if _is_public(address)]
        if found and not public:
            raise PrivateAddressError(url.host)
        # The certificate is that of the name.
        request.extensions = {**request.extensions, "sni_hostname": url.host}
        for address in public:
            request.url = url.copy_with(host=address)
            try:
                return self._inner.handle_request(request)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                failure = error
        raise failure

    def close(self) -> None:
        self._inner.close()


def _is_public(text: str) -> bool:
    """
    Raises:
        ValueError: the text is no address
    """
    address = ipaddress.ip_address(text)
    inner = getattr(address, "ipv4_mapped", None) or address
    return inner.is_global and not inner.is_multicast and inner != _METADATA
