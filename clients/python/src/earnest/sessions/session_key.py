"""The key of a provider's sessions, which signs the answers."""

from __future__ import annotations

import base64
import os
from contextlib import suppress

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)


def session_key_of(folder: str) -> str:
    """Returns the public key of a folder's session key, for the service's `session_key`. Makes the key if there is none."""
    return public_text_of(read_key(folder))


def public_text_of(key: Ed25519PrivateKey) -> str:
    """Returns the public key in base64url without padding."""
    return base64.urlsafe_b64encode(key.public_key().public_bytes_raw()).decode().rstrip("=")


def read_key(folder: str) -> Ed25519PrivateKey:
    """Reads the key of a folder. Makes the key if there is none."""
    path = os.path.join(folder, "session-key.pem")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    # Another process may make the key at the same time: the first one counts.
    with suppress(FileExistsError):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        made = Ed25519PrivateKey.generate()
        with os.fdopen(file, "wb") as new:
            new.write(made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
            new.flush()
            os.fsync(new.fileno())
    with open(path, "rb") as kept:
        key = load_pem_private_key(kept.read(), None)
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError(f"{path} is no Ed25519 key.")
    return key
