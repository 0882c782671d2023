"""The signatures of a session's buyer."""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from ..settlement import abi

_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
_ECDSA = ec.ECDSA(Prehashed(SHA256()))


class BuyerKey:
    """Checks the signatures of one address. The first good one shows the key, which checks the others faster."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._key: ec.EllipticCurvePublicKey | None = None

    def has_signed(self, digest: bytes, signature: str) -> bool:
        """Whether the key signed, in the form that the contract takes but for the last byte."""
        r, s, v = _read(signature)
        if not (0 < r < _ORDER and 0 < s <= _ORDER // 2 and v in (0, 1)):
            return False
        if self._key is None:
            return self._recover(digest, signature) is not None
        try:
            self._key.verify(encode_dss_signature(r, s), digest, _ECDSA)
        except InvalidSignature:
            return False
        return True

    def in_contract_form(self, digest: bytes, signature: str) -> str:
        """Returns the signature with the last byte that recovers the key, 27 or 28."""
        for last in ("1b", "1c"):
            if self._recover(digest, signature[:130] + last):
                return signature[:130] + last
        raise ValueError(f"The signature is not of {self._address}.")

    def _recover(self, digest: bytes, signature: str) -> ec.EllipticCurvePublicKey | None:
        try:
            from eth_keys.datatypes import Signature
            from eth_keys.exceptions import BadSignature
            from eth_utils.exceptions import ValidationError
        except ImportError as error:  # pragma: no cover - the tests install the extra
            raise ImportError(
                "Serving sessions needs eth-account: pip install 'earnest-client[wallet]'."
            ) from error
        r, s, v = _read(signature)
        try:
            found = Signature(vrs=(v, r, s)).recover_public_key_from_msg_hash(digest)
        except (BadSignature, ValidationError):
            return None
        if found.to_checksum_address() != self._address:
            return None
        self._key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256K1(), b"\x04" + found.to_bytes())
        return self._key


def _read(signature: str) -> tuple[int, int, int]:
    data = abi.from_hex(signature)
    v = data[64]
    return int.from_bytes(data[:32], "big"), int.from_bytes(data[32:64], "big"), v - 27 if v >= 27 else v
